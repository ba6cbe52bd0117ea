import { FLAG } from '../../webauthn/authenticator-data.js';
import { encodeBase64url } from '../../webauthn/base64url.js';
import { encodeUtf8 } from '../../webauthn/bytes.js';
import type { Case } from '../engine/case.js';
import { createBrowser, performed, registerPasskey, revokePasskey } from '../engine/ceremony.js';
import { authenticationCase } from '../engine/ceremony-cases.js';
import { denied, refused } from '../engine/compare-answer.js';
import {
  appendByte,
  type ByteEdit,
  clearFlags,
  editInner,
  flipBit,
  otherId,
  setClientData,
  setFlags,
  setInner,
  setSignCount,
} from '../engine/edits.js';
import { DISCOVERABLE } from './values.js';

const COUNTING = { authenticator: { signCount: { kind: 'per-credential', start: 7 } } } as const;

/** A DER signature rewritten as r and s side by side (IEEE P1363). */
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
    title: 'client data of a registration',
    edits: { clientData: setClientData({ type: 'webauthn.create' }) },
    expected: denied('type_mismatch', 'type'),
  }),
];

const AUTHENTICATOR_DATA: readonly Case[] = [
  authenticationCase({
    id: 'login.backup-eligibility-gained',
    title: 'eligible for backup, although it was not at its registration',
    edits: { authenticatorData: setFlags(FLAG.be) },
    expected: denied('backup_eligibility_changed', 'backup-eligibility'),
  }),
  authenticationCase({
    id: 'login.backup-eligibility-lost',
    title: 'no longer eligible for backup',
    browser: { authenticator: { backupEligible: true } },
    edits: { authenticatorData: clearFlags(FLAG.be) },
    expected: denied('backup_eligibility_changed', 'backup-eligibility'),
  }),
  authenticationCase({
    id: 'login.counter-repeated',
    title: 'the stored sign count again',
    wants: { counter: true },
    browser: COUNTING,
    edits: { authenticatorData: setSignCount(7) },
    expected: denied('counter_regressed', 'sign-count'),
  }),
  authenticationCase({
    id: 'login.counter-regressed',
    title: 'a sign count below the stored one',
    wants: { counter: true },
    browser: COUNTING,
    edits: { authenticatorData: setSignCount(6) },
    expected: denied('counter_regressed', 'sign-count'),
  }),
  authenticationCase({
    id: 'verify.counter-zero',
    title: 'sign count 0, although a higher one is stored',
    wants: { endpoint: 'verify', counter: true },
    browser: COUNTING,
    edits: { authenticatorData: setSignCount(0) },
    expected: denied('counter_regressed', 'sign-count'),
  }),
];

const SIGNATURE: readonly Case[] = [
  authenticationCase({
    id: 'login.signature-bit',
    title: 'one bit of the signature flipped',
    edits: { signature: flipBit(-1) },
    expected: denied('signature_invalid', 'signature'),
  }),
  authenticationCase({
    id: 'verify.signature-bit',
    title: 'one bit of the signature flipped',
    wants: { endpoint: 'verify' },
    edits: { signature: flipBit(-1) },
    expected: denied('signature_invalid', 'signature'),
  }),
  authenticationCase({
    id: 'login.signed-data-bit',
    title: 'one bit of the counter flipped after signing',
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
    async rewrite({ context, options, body }) {
      const other = createBrowser(context);
      const { credentialId } = await registerPasskey(context, await context.session(1), other);
      const publicKey = { ...options, allowCredentials: [{ id: credentialId, type: 'public-key' }] };
      const { response } = await performed(context, other.ownPage.get({ publicKey }));
      return { ...body, response };
    },
    expected: denied('signature_invalid', 'signature'),
  }),
];

const NOT_FOUND = refused('passkey_not_found', undefined, 404);

const CREDENTIAL: readonly Case[] = [
  authenticationCase({
    id: 'login.user-handle-foreign',
    title: 'the user handle of another user',
    edits: { response: setInner({ userHandle: encodeBase64url(encodeUtf8('4711')) }) },
    expected: denied('user_handle_mismatch', 'user-handle'),
  }),
  authenticationCase({
    id: 'login.user-handle-missing',
    title: 'a discoverable login without a user handle',
    wants: { login: 'discoverable' },
    browser: DISCOVERABLE,
    edits: { response: setInner({ userHandle: undefined }) },
    expected: denied('user_handle_missing', 'user-handle'),
  }),
  authenticationCase({
    id: 'login.credential-unknown',
    title: 'an unregistered credential',
    edits: { response: otherId },
    expected: NOT_FOUND,
  }),
  authenticationCase({
    id: 'verify.credential-unknown',
    title: 'an unregistered credential',
    wants: { endpoint: 'verify' },
    edits: { response: otherId },
    expected: NOT_FOUND,
  }),
  authenticationCase({
    id: 'login.credential-revoked',
    title: 'a passkey revoked after the options were given',
    needs: ['api'],
    beforeSending: ({ context, passkey }) => revokePasskey(context, passkey),
    expected: NOT_FOUND,
  }),
  authenticationCase({
    id: 'login.id-not-canonical',
    title: 'an id in non-canonical base64url',
    edits: { response: (response) => ({ ...response, id: `${String(response.id)}A`, rawId: `${String(response.id)}A` }) },
    expected: NOT_FOUND,
  }),
];

/** Invalid in ways that only an authentication can be; the rest is in invalid-ceremonies.ts. */
export const INVALID_AUTHENTICATIONS: readonly Case[] = [...CLIENT_DATA, ...AUTHENTICATOR_DATA, ...SIGNATURE, ...CREDENTIAL];
