import { randomBytes } from 'node:crypto';
import { FLAG } from '../../../webauthn/authenticator-data.js';
import { decodeBase64url, encodeBase64url } from '../../../webauthn/base64url.js';
import { MAX_CREDENTIAL_ID_BYTES } from '../../../webauthn/limits.js';
import { type Actor, answerElsewhere, withChallenge } from '../../engine/attempts.js';
import { editAttested } from '../../engine/authenticator-data-edits.js';
import type { Case } from '../../engine/case.js';
import { beginAuthentication, beginRegistration } from '../../engine/ceremony.js';
import { type AuthenticationSpec, authenticationCase, registrationCase } from '../../engine/ceremony-cases.js';
import type { CaseContext } from '../../engine/context.js';
import { clearFlags, editId, otherId, type RegistrationEdits, setInner, setMembers } from '../../engine/edits.js';
import { laterLoginCase, registerElsewhere } from '../../engine/flows.js';
import { ACCEPTED, denied, notPrepared, refused } from '../../engine/outcome.js';
import { failedAt, notApplicable } from '../../engine/scenario.js';
import { foreignKey } from '../../engine/signers.js';
import { DISCOVERABLE } from '../values.js';

const NOT_FOUND = refused('passkey_not_found', undefined, 404);

/** Edits a registration to use another credential ID, in the attested data and in `id` and `rawId`. */
function withId(id: Uint8Array): RegistrationEdits {
  const text = encodeBase64url(id);
  return {
    authenticatorData: editAttested((attested) => ({ ...attested, credentialId: id })),
    response: setMembers({ id: text, rawId: text }),
  };
}

/**
 * Makes a credential ID that is one byte too long. The ID is random, because a server would refuse a constant ID as already known in a
 * second run.
 */
const makeLongId = () => new Uint8Array(randomBytes(MAX_CREDENTIAL_ID_BYTES + 1));

const UNIQUE =
  "Anyone who can register an existing credential ID can shadow or replace another user's credential. Make credential IDs unique across all users in the database, and refuse to register one that exists.";

const REGISTRATIONS: readonly Case[] = [
  laterLoginCase({
    id: 'register.credential-id-other',
    title: 'id and rawId that differ from the attested credential ID',
    registration: { response: otherId },
    otherwise: ACCEPTED,
    why: 'Only the credential ID inside the attestation object comes from the authenticator. A server that stores another one locks the user out, and lets anyone claim the ID of a credential that they do not have. Take the ID from the attested credential data.',
    expected: refused('credential_id_mismatch', 'credential-id'),
  }),
  registrationCase({
    id: 'register.credential-id-too-long',
    title: 'a credential ID of 1024 bytes',
    edits: () => withId(makeLongId()),
    why: 'No conforming authenticator makes such an ID, and a short database column would truncate it. Refuse credential IDs of more than 1023 bytes.',
    expected: refused('credential_id_too_long', 'credential-id'),
  }),
  registrationCase({
    id: 'register.credential-id-empty',
    step: 'credential-id',
    title: 'a credential ID of no bytes',
    edits: withId(new Uint8Array()),
    why: 'An empty ID identifies no credential, and every user who sends one would share it. Refuse it.',
    expected: refused('validation_failed'),
  }),
  registrationCase({
    id: 'register.credential-known',
    severalCeremonies: true,
    title: 'a credential that is already registered',
    async rewrite(attempt) {
      const { context, session, body } = attempt;
      await session.finishRegistration(body);
      const { challenge } = await beginRegistration(context, session);
      return withChallenge(attempt, challenge);
    },
    why: UNIQUE,
    expected: refused('credential_already_registered', 'credential-id-unused', 409),
  }),
  registrationCase({
    id: 'register.credential-known-to-another-user',
    severalCeremonies: true,
    title: 'a credential that another user has already registered',
    wants: { users: 2 },
    async rewrite(attempt) {
      const { context, body } = attempt;
      const other = await context.session(2);
      const { challenge } = await beginRegistration(context, other);
      await other.finishRegistration(await withChallenge(attempt, challenge));
      return body;
    },
    why: UNIQUE,
    expected: refused('credential_already_registered', 'credential-id-unused', 409),
  }),
];

/** Lets a second user register the same credential ID with their own key. The outcome is ignored here; another case tests it. */
async function claimId({ context, passkey }: Actor): Promise<void> {
  const id = decodeBase64url(passkey.credentialId);
  await registerElsewhere(context, await context.session(2), {
    ...withId(id),
    authenticatorData: editAttested((attested) => ({ ...attested, credentialId: id, credentialPublicKey: foreignKey().cose })),
    key: foreignKey().key,
  });
}

/** Changes one letter of base64url text between upper and lower case, which makes the text stand for other bytes. */
function inOtherCase(text: string): string {
  const at = [...text].findIndex((character) => /[a-z]/i.test(character));
  const letter = text.charAt(at);
  // The last character may have bits that mean nothing.
  if (at === -1 || at === text.length - 1) throw notApplicable('the credential ID has no letter');
  return text.slice(0, at) + (letter === letter.toLowerCase() ? letter.toUpperCase() : letter.toLowerCase()) + text.slice(at + 1);
}

const CASE =
  'Credential IDs are bytes, and their base64url is case-sensitive. A text column with a case-insensitive collation, the default in some databases, confuses two users. Store the bytes, or give the column a binary collation.';

const CLAIMED: readonly Case[] = [
  laterLoginCase({
    id: 'login.credential-id-claimed',
    step: 'user-handle',
    title: 'a login with a passkey whose ID another user has tried to register',
    meanwhile: claimId,
    wants: { users: 2 },
    why: UNIQUE,
    expected: ACCEPTED,
  }),
  laterLoginCase({
    id: 'login.key-of-claimed-credential-id',
    title: 'a login with the key that another user has tried to register for the same ID',
    browser: { authenticator: { algorithms: [-7] } },
    meanwhile: claimId,
    wants: { users: 2 },
    // Where the login is named, the user handle may be left out.
    edits: ({ options: { allowCredentials = [] } }) => ({
      sign: foreignKey().sign,
      ...(allowCredentials.length > 0 && { response: setInner({ userHandle: undefined }) }),
    }),
    why: UNIQUE,
    expected: denied('signature_invalid', 'signature'),
  }),
  laterLoginCase({
    id: 'login.credential-of-refused-registration',
    title: 'a login with a credential whose registration was refused',
    wants: { login: 'discoverable' },
    browser: DISCOVERABLE,
    registration: { authenticatorData: clearFlags(FLAG.up) },
    registered: refused('user_not_present', 'user-present'),
    why: 'A server that stores the credential before all checks have passed lets a refused credential log in. Store it last, in the same transaction.',
    step: 'user-handle',
    expected: NOT_FOUND,
  }),
  laterLoginCase({
    id: 'login.credential-ids-differing-in-case',
    step: 'user-handle',
    title: "a login with a passkey whose ID differs from another user's in the case of one letter only",
    wants: { users: 2 },
    async meanwhile({ context, passkey }) {
      const id = decodeBase64url(inOtherCase(passkey.credentialId));
      const answer = await registerElsewhere(context, await context.session(2), withId(id));
      if (answer.outcome !== 'accepted') throw notPrepared('the registration of the other user', answer);
    },
    why: CASE,
    expected: ACCEPTED,
  }),
];

const LOOKED_UP =
  'The credential ID decides which key verifies the signature. Compare all its bytes with the stored IDs, and refuse an unknown one.';

const REVOKED =
  'Users delete the passkey of a lost device so that it no longer works. Look the credential up when the response arrives, not when the options are made.';

/** Deletes everything that the case has registered, or ends the case if the profile does not say how. */
async function deleteAll({ context: { driver, cleanUp } }: { readonly context: CaseContext }): Promise<void> {
  if (!driver.cleansUp) throw notApplicable('the profile does not say how to delete a passkey');
  const [left] = await cleanUp();
  if (left === undefined) return;
  const deviation = { kind: 'not_prepared' } as const;
  throw failedAt({ at: 'the deletion of a passkey (preparation)', expected: 'accepted', received: left, deviation });
}

/** Logins with a credential that the server does not have, or no longer has. */
const MISSING: readonly AuthenticationSpec[] = [
  ...['login', 'verify'].flatMap((endpoint) => [
    { id: `${endpoint}.credential-unknown`, title: 'an unregistered credential', edits: { response: otherId }, why: LOOKED_UP },
    {
      id: `${endpoint}.credential-revoked`,
      title: 'a passkey deleted after the options were given',
      beforeSending: deleteAll,
      why: REVOKED,
    },
  ]),
  {
    id: 'login.id-not-canonical',
    title: 'an id in non-canonical base64url',
    edits: { response: editId((id) => `${id}A`) },
    why: LOOKED_UP,
  },
  {
    id: 'login.credential-id-cut',
    title: 'a credential ID without its last bytes',
    edits: { response: editId((id) => encodeBase64url(decodeBase64url(id).slice(0, -4))) },
    why: LOOKED_UP,
  },
  {
    id: 'login.credential-id-other-case',
    title: 'a credential ID with the case of one letter changed',
    edits: { response: editId(inOtherCase) },
    why: CASE,
  },
];

const LOGINS: readonly Case[] = [
  ...MISSING.map((row) => authenticationCase({ ...row, step: 'user-handle', expected: NOT_FOUND })),
  authenticationCase({
    id: 'login.credential-of-another-user',
    severalCeremonies: true,
    title: "another user's passkey at a login that named the first user's",
    wants: { login: 'named', users: 2 },
    async rewrite({ context, options }) {
      if ((options.allowCredentials ?? []).length === 0) {
        throw notApplicable('the target lists no credential in the options of a login that names its user');
      }
      return { ...(await answerElsewhere(context, 2, options)) };
    },
    why: 'The login was begun for one user and answered by another. A server that only verifies the signature signs in the first user, so every user can sign in as any other. Check that allowCredentials lists the credential and that it belongs to the user whom you sign in.',
    expected: denied('challenge_unknown', 'challenge'),
  }),
  authenticationCase({
    id: 'login.credential-not-allowed',
    severalCeremonies: true,
    title: 'another passkey of the same user, which allowCredentials does not list',
    wants: { login: 'named' },
    async rewrite({ context, session, passkey, options }) {
      const response = await answerElsewhere(context, 1, options);
      const { allowCredentials = [] } = await beginAuthentication(context, session.newVisit(), passkey, { login: 'named' });
      if (allowCredentials.length === 0 || allowCredentials.some(({ id }) => id === response.id)) {
        throw notApplicable('the target allows every passkey of its user');
      }
      return { ...response };
    },
    why: 'Options that list only some passkeys of a user require one of these, for example a device-bound one. Store the list with the challenge, and compare the credential with it (§7.2 step 5).',
    expected: denied('challenge_unknown', 'challenge'),
  }),
];

/** Cases about credential IDs (§7.1 steps 25 and 26, §7.2 steps 5 and 6). */
export const CREDENTIALS: readonly Case[] = [...REGISTRATIONS, ...CLAIMED, ...LOGINS];
