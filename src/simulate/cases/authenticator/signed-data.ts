import { concatBytes, decodeUtf8, encodeUtf8, toHex } from '../../../kernel/bytes.js';
import { asObject } from '../../../kernel/json-value.js';
import { FLAG, OFFSETS, RESERVED_FLAG_BITS } from '../../../webauthn/authenticator-data.js';
import { decodeBase64url, encodeBase64url } from '../../../webauthn/base64url.js';
import { findRpId } from '../../engine/attempts.js';
import { CRED_PROTECT, hashText, overwrite, setExtensions, setRpIdHash } from '../../engine/authenticator-data-edits.js';
import { type Case, listRows, type Rows } from '../../engine/case.js';
import { type AuthenticationSpec, authenticationCase } from '../../engine/ceremony-cases.js';
import { setClientData } from '../../engine/client-data-edits.js';
import {
  type AssertionParts,
  type AuthenticationEdits,
  clearFlags,
  editInner,
  flipBit,
  setFlags,
  toggleFlags,
  withClientData,
} from '../../engine/edits.js';
import { denied } from '../../engine/outcome.js';
import { digest, signOver } from '../../engine/signers.js';

const INVALID = denied('signature_invalid', 'signature');
const NOTHING = new Uint8Array();

const OVER: Rows<{ readonly title: string; readonly data: (parts: AssertionParts) => Uint8Array }> = {
  nothing: { title: 'a signature over no bytes', data: () => NOTHING },
  'authenticator-data': {
    title: 'a signature over the authenticator data alone',
    data: ({ authenticatorData }) => authenticatorData,
  },
  'client-data-hash': { title: 'a signature over the client data hash alone', data: ({ clientDataHash }) => clientDataHash },
  'hash-first': {
    title: 'a signature over the client data hash and then the authenticator data',
    data: ({ authenticatorData, clientDataHash }) => concatBytes(clientDataHash, authenticatorData),
  },
  'client-data': {
    title: 'a signature over authenticator data and client data, not hashed',
    data: ({ authenticatorData, clientDataJSON }) => concatBytes(authenticatorData, clientDataJSON),
  },
  'sha-1': {
    title: 'a signature over authenticator data and SHA-1 of the client data',
    data: ({ authenticatorData, clientDataJSON }) => concatBytes(authenticatorData, digest('sha1', clientDataJSON)),
  },
  'sha-512': {
    title: 'a signature over authenticator data and SHA-512 of the client data',
    data: ({ authenticatorData, clientDataJSON }) => concatBytes(authenticatorData, digest('sha512', clientDataJSON)),
  },
  'encoded-client-data': {
    title: 'a signature over authenticator data and the hash of the client data in base64url',
    data: ({ authenticatorData, clientDataJSON }) =>
      concatBytes(authenticatorData, digest('sha256', encodeUtf8(encodeBase64url(clientDataJSON)))),
  },
  'hash-in-hex': {
    title: 'a signature over authenticator data and the client data hash in hexadecimal digits',
    data: ({ authenticatorData, clientDataHash }) => concatBytes(authenticatorData, encodeUtf8(toHex(clientDataHash))),
  },
  challenge: {
    title: 'a signature over authenticator data and the challenge',
    data: ({ authenticatorData, clientDataJSON }) =>
      concatBytes(authenticatorData, decodeBase64url(String(asObject(JSON.parse(decodeUtf8(clientDataJSON))).challenge))),
  },
  digest: {
    title: 'a signature over the hash of the data to be signed',
    data: ({ authenticatorData, clientDataHash }) => digest('sha256', authenticatorData, clientDataHash),
  },
};

const BINDS =
  'A signature proves nothing about data that it does not cover: the challenge and origin, or the flags and RP ID, can then be replaced. Verify it over the authenticator data as received, followed by the SHA-256 of the client data as received, and nothing else.';

/** Changes the authenticator data after they were signed, which breaks the signature. */
const afterSigning = (edit: Parameters<typeof editInner>[1]): AuthenticationEdits => ({ response: editInner('authenticatorData', edit) });

const AFTER: Rows<Pick<AuthenticationSpec, 'title' | 'wants' | 'browser' | 'edits'>> = {
  'signed-data-bit': {
    title: 'one bit of the counter flipped after signing',
    edits: afterSigning(flipBit(OFFSETS.aaguid - 1)),
  },
  'user-verified-after-signing': {
    title: 'user verification claimed after signing',
    wants: { userVerification: 'required' },
    edits: { authenticatorData: clearFlags(FLAG.uv), ...afterSigning(setFlags(FLAG.uv)) },
  },
  'user-present-after-signing': {
    title: 'user presence claimed after signing',
    edits: { authenticatorData: clearFlags(FLAG.up), ...afterSigning(setFlags(FLAG.up)) },
  },
  'backed-up-after-signing': {
    title: 'the backup state changed after signing',
    browser: { authenticator: { backupEligible: true } },
    edits: afterSigning(toggleFlags(FLAG.bs)),
  },
  'reserved-flag-after-signing': {
    title: 'a reserved flag set after signing',
    edits: afterSigning(setFlags(1 << (RESERVED_FLAG_BITS[0] ?? 0))),
  },
  'rp-id-hash-after-signing': {
    title: 'signed for another site, with the right RP ID hash put in afterwards',
    edits: ({ context, options }) => ({
      authenticatorData: setRpIdHash(hashText('other-site.example')),
      ...afterSigning(setRpIdHash(hashText(findRpId(context, options.rpId)))),
    }),
  },
  'extensions-after-signing': { title: 'extension data added after signing', edits: afterSigning(setExtensions(CRED_PROTECT)) },
  'extension-changed-after-signing': {
    title: 'an extension output changed after signing',
    edits: {
      authenticatorData: setExtensions(CRED_PROTECT),
      // The value of the output is the last byte.
      ...afterSigning((bytes) => overwrite(bytes.length - 1, Uint8Array.of(3))(bytes)),
    },
  },
  'client-data-member-after-signing': {
    title: 'an unknown member added to the client data after signing',
    edits: { response: (response) => withClientData(response, setClientData({ further: true })) },
  },
  'client-data-space-after-signing': {
    title: 'a space added to the client data after signing',
    edits: { response: (response) => withClientData(response, (text) => `${text} `) },
  },
};

/** Cases about the data that a login's signature covers (§7.2 step 21). */
export const SIGNED_DATA: readonly Case[] = [
  ...listRows(OVER).map(({ what, title, data }) =>
    authenticationCase({ id: `login.signature-over-${what}`, title, edits: { sign: signOver(data) }, why: BINDS, expected: INVALID }),
  ),
  ...listRows(AFTER).map(({ what, ...row }) => authenticationCase({ ...row, id: `login.${what}`, why: BINDS, expected: INVALID })),
];
