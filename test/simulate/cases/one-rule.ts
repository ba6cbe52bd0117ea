import { PasskeyError } from '../../../src/errors.js';
import { asObject } from '../../../src/kernel/json-value.js';
import type { CeremonyFinished } from '../../../src/relying-party/events.js';
import type { Ceremony } from '../../../src/relying-party/ports.js';
import { hasFailed } from '../../../src/relying-party/steps/step.js';
import { decodeBase64url, encodeBase64url } from '../../../src/webauthn/base64url.js';
import { decodeClientData } from '../../../src/webauthn/client-data.js';
import { explainedEvent } from '../explained-event.js';
import type { Watched } from './watched-run.js';

/** Cases with a ceremony in which explain does not find the one step that the server names. */
const OTHERWISE: Readonly<Record<string, readonly string[]>> = {
  // Explain does not know which credential the challenge is bound to, nor what a login at the same time has stored.
  'login.credential-of-another-user': [],
  'login.credential-not-allowed': [],
  'login.same-count-at-once': [],
  // The server has forgotten the challenge, or another application gave it; against its own options the response is whole.
  'login.challenge-forgotten': [],
  'login.passkey-of-another-application': [],
  // What spends the challenge, or comes first, breaks two rules.
  'login.challenge-spent-by-failure': ['type', 'signature'],
  'register.options-of-another-user': ['origin', 'rp-id-hash'],
  // The site of the response is another one as a whole.
  'register.site-in-request': ['origin', 'rp-id-hash'],
  'login.site-in-request': ['origin', 'rp-id-hash'],
};

/** Refused before any step is taken, or not readable far enough to take one. */
const BEFORE_THE_STEPS = /^(?:validation_failed|passkey_not_found)$/;
const UNREADABLE = /^(?:validation_failed|passkey_not_found|.*_malformed)$/;

function sentChallenge({ response }: CeremonyFinished): string | undefined {
  try {
    return decodeClientData(decodeBase64url(String(asObject(response['response']).clientDataJSON))).challenge;
  } catch {
    return undefined;
  }
}

/** The last begun ceremony of the same kind and user: the one that is meant, where the case has changed the challenge. */
function findMeant(event: CeremonyFinished, begun: readonly Ceremony[]): Ceremony | undefined {
  const { kind, owner, passkey } = event;
  const sent = sentChallenge(event);
  return begun.findLast((ceremony) => {
    const fits =
      kind === 'registration'
        ? ceremony.owner?.id === owner?.id
        : ceremony.credentialId === undefined ||
          passkey === undefined ||
          encodeBase64url(ceremony.credentialId) === encodeBase64url(passkey.credential.id);
    return ceremony.kind === kind && fits && encodeBase64url(ceremony.challenge) !== sent;
  });
}

/** The steps that fail in explain; undefined for what cannot be read. */
async function findFailed(event: CeremonyFinished): Promise<readonly string[] | undefined> {
  try {
    return (await explainedEvent(event)).steps.filter(hasFailed).map(({ slug }) => slug);
  } catch (error) {
    if (error instanceof PasskeyError) return undefined;
    throw error;
  }
}

/** Ceremonies of a case in which other steps fail than the one at which the server refused them, or any in one that it accepted. */
export async function findOtherFaults(id: string, { begun, finished }: Watched): Promise<object[]> {
  const others: object[] = [];
  for (const event of finished) {
    const { error, ...rest } = event;
    const code = error?.code ?? '';
    const unknown = code === 'challenge_unknown' || (error !== undefined && event.ceremony === undefined);
    const failed = await findFailed(unknown ? { ...rest, error: undefined, ceremony: findMeant(event, begun) } : event);
    // What is not even a text is no JSON.
    const consequences = id.endsWith('.client-data-empty') ? ['client-data'] : [];
    const expected = error?.step === undefined ? [] : [error.step.slug, ...consequences];
    const isUnread = failed === undefined || BEFORE_THE_STEPS.test(code);
    const asExpected = [expected.join(), OTHERWISE[id]?.join()].includes(failed?.join());
    if (isUnread ? !UNREADABLE.test(code) : !asExpected) others.push({ code, failed, expected });
  }
  return others;
}
