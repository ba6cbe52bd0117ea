import { encodeBase64url } from '../../webauthn/base64url.js';
import { createActor } from './actor.js';
import { type AuthenticationMoment, authenticationCase, registerHonestly } from './authentication-case.js';
import { appendByte, type ByteEdit, clearFlags, FLAG, flipBit, setFlags, setSignCount } from './byte-edits.js';
import { type Case, denied } from './case.js';
import { setClientData } from './client-data-edits.js';
import { performed, requireToken } from './requests.js';
import { editInner, otherId, setInner } from './response-edits.js';

const DISCOVERABLE = { authenticator: { alwaysDiscoverable: true } } as const;
const COUNTING = { authenticator: { signCount: { kind: 'per-credential', start: 7 } } } as const;

/** The same signature as r and s side by side, as other formats have it. */
const rawSignature: ByteEdit = (der) => {
  const rLength = der[3] ?? 0;
  const integer = (bytes: Uint8Array) => bytes.subarray(Math.max(0, bytes.length - 32));
  const raw = new Uint8Array(64);
  const r = integer(der.subarray(4, 4 + rLength));
  const s = integer(der.subarray(6 + rLength));
  raw.set(r, 32 - r.length);
  raw.set(s, 64 - s.length);
  return raw;
};

const CLIENT_DATA: readonly Case[] = [
  authenticationCase({
    id: 'login.type-swapped',
    title: 'the client data is of a registration',
    edits: { clientData: setClientData({ type: 'webauthn.create' }) },
    expected: denied('type_mismatch', 'type'),
  }),
];

const AUTHENTICATOR_DATA: readonly Case[] = [
  authenticationCase({
    id: 'login.backup-eligibility-gained',
    title: 'eligible for backup, which it was not when it was registered',
    edits: { authenticatorData: setFlags(FLAG.be) },
    expected: denied('backup_eligibility_changed', 'backup-eligibility'),
  }),
  authenticationCase({
    id: 'login.backup-eligibility-lost',
    title: 'not eligible for backup any more',
    actor: { authenticator: { backupEligible: true } },
    edits: { authenticatorData: clearFlags(FLAG.be) },
    expected: denied('backup_eligibility_changed', 'backup-eligibility'),
  }),
  authenticationCase({
    id: 'login.counter-repeated',
    title: 'the sign count that is stored already',
    actor: COUNTING,
    edits: { authenticatorData: setSignCount(7) },
    expected: denied('counter_regressed', 'sign-count'),
  }),
  authenticationCase({
    id: 'login.counter-regressed',
    title: 'a lower sign count than the stored one',
    actor: COUNTING,
    edits: { authenticatorData: setSignCount(6) },
    expected: denied('counter_regressed', 'sign-count'),
  }),
  authenticationCase({
    id: 'verify.counter-zero',
    title: 'no sign count any more, where one is stored',
    endpoint: 'verify',
    actor: COUNTING,
    edits: { authenticatorData: setSignCount(0) },
    expected: denied('counter_regressed', 'sign-count'),
  }),
];

const SIGNATURE: readonly Case[] = [
  authenticationCase({
    id: 'login.signature-bit',
    title: 'one bit of the signature turned',
    edits: { signature: flipBit(-1) },
    expected: denied('signature_invalid', 'signature'),
  }),
  authenticationCase({
    id: 'verify.signature-bit',
    title: 'one bit of the signature turned',
    endpoint: 'verify',
    edits: { signature: flipBit(-1) },
    expected: denied('signature_invalid', 'signature'),
  }),
  authenticationCase({
    id: 'login.signed-data-bit',
    title: 'one bit of the signed counter turned after signing',
    edits: { response: editInner('authenticatorData', flipBit(36)) },
    expected: denied('signature_invalid', 'signature'),
  }),
  authenticationCase({
    id: 'login.signature-raw',
    title: 'r and s side by side instead of DER',
    edits: { signature: rawSignature },
    expected: denied('signature_invalid', 'signature'),
  }),
  authenticationCase({
    id: 'login.signature-trailing-byte',
    title: 'a byte after the DER signature',
    edits: { signature: appendByte(0) },
    expected: denied('signature_invalid', 'signature'),
  }),
  authenticationCase({
    id: 'login.signature-of-another-passkey',
    title: "another passkey's signature",
    async rewrite({ stage, options, body }) {
      const other = createActor(stage);
      const { credentialId } = await registerHonestly(stage, other);
      const publicKey = { ...options, allowCredentials: [{ id: credentialId, type: 'public-key' }] };
      const { response } = await performed(stage, other.client.get({ publicKey }));
      return { ...body, response };
    },
    expected: denied('signature_invalid', 'signature'),
  }),
];

const revoke = async ({ stage, passkey }: AuthenticationMoment) =>
  stage.target.send({
    method: 'DELETE',
    path: `/api/passkeys/${passkey.id}`,
    headers: { authorization: `Bearer ${await requireToken(stage, 1)}` },
  });

const notFound = denied('passkey_not_found', undefined, 404);

const CREDENTIAL: readonly Case[] = [
  authenticationCase({
    id: 'login.user-handle-foreign',
    title: 'the user handle of another user',
    edits: { response: setInner({ userHandle: encodeBase64url(new TextEncoder().encode('4711')) }) },
    expected: denied('user_handle_mismatch', 'user-handle'),
  }),
  authenticationCase({
    id: 'login.user-handle-missing',
    title: 'a discoverable login without user handle',
    from: 'login/options',
    actor: DISCOVERABLE,
    edits: { response: setInner({ userHandle: undefined }) },
    expected: denied('user_handle_missing', 'user-handle'),
  }),
  authenticationCase({
    id: 'login.credential-unknown',
    title: 'a credential that nobody registered',
    edits: { response: otherId },
    expected: notFound,
  }),
  authenticationCase({
    id: 'verify.credential-unknown',
    title: 'a credential that nobody registered',
    endpoint: 'verify',
    edits: { response: otherId },
    expected: notFound,
  }),
  authenticationCase({
    id: 'login.credential-revoked',
    title: 'a passkey that was revoked in the meantime',
    between: revoke,
    expected: notFound,
  }),
  authenticationCase({
    id: 'login.id-not-canonical',
    title: 'an id whose last bits no encoder writes',
    edits: { response: (response) => ({ ...response, id: `${String(response.id)}A`, rawId: `${String(response.id)}A` }) },
    expected: notFound,
  }),
];

/** Invalid in ways that only an authentication can be; the others are in invalid-ceremonies.ts. */
export const INVALID_AUTHENTICATIONS: readonly Case[] = [...CLIENT_DATA, ...AUTHENTICATOR_DATA, ...SIGNATURE, ...CREDENTIAL];
