import { afterAll, describe, expect, test } from 'vitest';
import { asObject } from '../../../../src/kernel/json-value.js';
import type { CeremonyFinished } from '../../../../src/relying-party/events.js';
import type { Ceremony } from '../../../../src/relying-party/ports.js';
import { hasFailed } from '../../../../src/relying-party/steps/step.js';
import { CLIENT_DATA_CASES } from '../../../../src/simulate/cases/all-cases.js';
import { decodeBase64url, encodeBase64url } from '../../../../src/webauthn/base64url.js';
import { decodeClientData } from '../../../../src/webauthn/client-data.js';
import { share } from '../../../thorough.js';
import { explainedEvent } from '../../explained-event.js';
import { openWatchedRun } from '../watched-run.js';

const { finishedIn, close } = await openWatchedRun();
afterAll(close);

function sentChallenge({ response }: CeremonyFinished): string | undefined {
  try {
    return decodeClientData(decodeBase64url(String(asObject(response['response']).clientDataJSON))).challenge;
  } catch {
    return undefined;
  }
}

/** The last begun ceremony of the same kind and user: the one that is meant, where the case has changed the challenge. */
function meant(event: CeremonyFinished, begun: readonly Ceremony[]): Ceremony | undefined {
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

/** Refused because the server has forgotten the challenge; against its own options the response is whole. */
const FORGOTTEN = 'login.challenge-forgotten';

/** What is not even a text is no JSON. */
const consequencesOf = (id: string) => (id.endsWith('.client-data-empty') ? ['client-data'] : []);

const refusals = CLIENT_DATA_CASES.flatMap((each) =>
  each.expected.outcome === 'rejected' ? [[each.id, each, each.expected] as const] : [],
);

describe('a refused ceremony breaks one rule only', () => {
  test.each(share(refusals, 10))('%s', async (_, each, { code }) => {
    const { begun, finished } = await finishedIn(each);
    const last = finished.at(-1);
    if (last === undefined) throw new TypeError('Expected a ceremony that finished; got none.');
    expect(last.error?.code).toBe(code);
    const unknown = code === 'challenge_unknown' || last.ceremony === undefined;
    const { error: _error, ...rest } = last;
    const { steps } = await explainedEvent(unknown ? { ...rest, error: undefined, ceremony: meant(last, begun) } : last);
    const failed = steps.filter(hasFailed).map(({ slug }) => slug);
    expect(failed).toEqual(each.id === FORGOTTEN ? [] : [last.error?.step?.slug, ...consequencesOf(each.id)]);
  });
});
