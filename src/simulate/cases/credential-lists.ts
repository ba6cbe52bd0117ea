import { randomBytes } from 'node:crypto';
import { MAX_CREDENTIAL_ID_BYTES, MIN_CREDENTIAL_ID_BYTES } from '../../webauthn/limits.js';
import { type Actor, prepareActor, readyRegistration, toActor } from '../engine/attempts.js';
import type { Case } from '../engine/case.js';
import { beginRegistration, createBrowser } from '../engine/ceremony.js';
import type { CaseContext } from '../engine/context.js';
import { flowCase, loggedIn } from '../engine/flows.js';
import { describeOutcome, expectTrue, readDeviation } from '../engine/outcome.js';
import { notApplicable } from '../engine/scenario.js';
import type { Mismatch } from '../report/report.js';
import type { Session } from '../target/driver.js';

/** Lengths of credential IDs, in bytes, at or just above the limits of common database columns and indexes. */
const LENGTHS = [MIN_CREDENTIAL_ID_BYTES, 64, 65, 255, 256, MAX_CREDENTIAL_ID_BYTES];

/** Flips the last bit of a credential ID. */
const twinOf = (id: Uint8Array): Uint8Array => id.with(-1, (id.at(-1) ?? 0) ^ 1);

/** Registers a passkey with this credential ID. The result has no actor if the target refused the registration. */
async function registerWithId(context: CaseContext, session: Session, id: Uint8Array) {
  const browser = createBrowser(context, { authenticator: { newCredentialId: () => new Uint8Array(id) } });
  const ready = await readyRegistration(context, session, { browser });
  const answer = await ready.send();
  return { answer, ...(answer.outcome === 'accepted' && { actor: toActor(ready, answer) }) };
}

/** Registers two users whose credential IDs differ only in the last byte, and lists the mismatches. */
async function compareTwins(context: CaseContext, length: number): Promise<readonly Mismatch[]> {
  const id = new Uint8Array(randomBytes(length));
  const { actor } = await registerWithId(context, await context.session(1), id);
  // Whether it takes IDs of such a length, another case tests.
  if (actor === undefined) return [];
  const { answer } = await registerWithId(context, await context.session(2), twinOf(id));
  const compare = (at: string, compared: typeof answer): readonly Mismatch[] =>
    compared.outcome === 'accepted'
      ? []
      : [{ at: `${at}, ${length} bytes`, expected: 'accepted', received: describeOutcome(compared), deviation: readDeviation(compared) }];
  const registered = compare('the registration of the other user', answer);
  return registered.length > 0 ? registered : compare('the login', (await loggedIn('', actor)).answer);
}

const WHOLE =
  'All bytes of a credential ID matter. A column, index or comparison that uses only the first bytes confuses two users. Store and compare the whole ID, or its SHA-256.';
const OWN =
  'A list of credentials is for its user alone. Other users would learn which authenticators exist, and their browsers would refuse to create a passkey on a shared authenticator. Select the credentials of the user whom the options are for.';

/** Checks that a list of credential IDs does not contain the passkey of another user. */
const withoutThose = (what: string, ids: readonly string[], { passkey }: Actor) =>
  expectTrue(what, `without ${passkey.credentialId}, which is another user's`, ids, !ids.includes(passkey.credentialId));

const withoutEmpty = (what: string, ids: readonly string[]) => expectTrue(what, 'no empty ID', ids, !ids.includes(''));

/** Cases about the credential IDs that the options list, and about how much of an ID the target compares (§5.8.3). */
export const CREDENTIAL_LISTS: readonly Case[] = [
  flowCase({
    id: 'login.credential-ids-differing-at-the-end',
    step: 'user-handle',
    title: "a login with a passkey whose ID differs from another user's in the last byte only",
    wants: { users: 2 },
    why: WHOLE,
    async run(context) {
      for (const length of LENGTHS) {
        const mismatches = await compareTwins(context, length);
        if (mismatches.length > 0) return [{ mismatches }];
      }
      return [];
    },
  }),
  flowCase({
    id: 'register.exclude-credentials-own',
    title: 'options for a second passkey, which exclude no passkey of another user',
    step: 'credential-id-unused',
    wants: { users: 2 },
    why: OWN,
    async run(context) {
      const other = await prepareActor(context, await context.session(2));
      const { session } = await prepareActor(context, await context.session(1));
      const { excludeCredentials = [] } = await beginRegistration(context, session);
      const ids = excludeCredentials.map(({ id }) => id);
      return [{ mismatches: [...withoutThose('excludeCredentials', ids, other), ...withoutEmpty('excludeCredentials', ids)] }];
    },
  }),
  flowCase({
    id: 'login.credentials-listed',
    title: 'options for a login that names no user, which list no credentials',
    wants: { login: 'discoverable', users: 2 },
    why: 'Anyone can get these options. A list of credentials in them reveals which users and authenticators exist, and grows with every user. Leave allowCredentials out if no user is named.',
    async run(context) {
      const actor = await prepareActor(context, await context.session(1));
      const { answer, options } = await actor.session.newVisit().beginAuthentication('discoverable');
      if (options === undefined) throw notApplicable(`the target gives no such options (${answer.said})`);
      const ids = (options.allowCredentials ?? []).map(({ id }) => id);
      return [{ mismatches: [...withoutThose('allowCredentials', ids, actor), ...withoutEmpty('allowCredentials', ids)] }];
    },
  }),
];
