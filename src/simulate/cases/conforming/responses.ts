import { randomBytes } from 'node:crypto';
import { asObject, type JsonObject } from '../../../kernel/json-value.js';
import { decodeAttestationObject } from '../../../webauthn/attestation-object.js';
import { decodeAuthenticatorData, encodeAuthenticatorData, FLAG } from '../../../webauthn/authenticator-data.js';
import { type CborValue, encodeCbor } from '../../../webauthn/cbor.js';
import { MAX_CREDENTIAL_ID_BYTES, MIN_CREDENTIAL_ID_BYTES } from '../../../webauthn/limits.js';
import { type Case, listRows, type Rows } from '../../engine/case.js';
import {
  type AuthenticationSpec,
  authenticationCase,
  type BothRow,
  both,
  type RegistrationSpec,
  registrationCase,
} from '../../engine/ceremony-cases.js';
import { type CommonEdits, setFlags, setInner, setMembers } from '../../engine/edits.js';
import { text, writeMap } from '../shapes/cbor-faults.js';

const FURTHER = { further: { member: [1, null, true, 'text'] }, 'x-further': null };

function reversed(value: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(value).toReversed());
}

/** Reorders the members of an attestation object. With format `none` nothing in the object is signed. */
function reordered(attestationObject: Uint8Array): Uint8Array {
  const { fmt, attStmt, authData } = decodeAttestationObject(attestationObject);
  return writeMap([text('authData'), encodeCbor(authData)], [text('fmt'), text(fmt)], [text('attStmt'), encodeCbor(attStmt)]);
}

const BOTH: Rows<Omit<BothRow, 'what'>> = {
  'unknown-members': {
    title: 'members that this version of the standard does not know, at each level',
    why: 'The standard grows: browsers add members to the dictionaries. A server that refuses unknown ones locks all users out with the next version of a browser. Ignore them.',
    edits: {
      response: (response) => ({
        ...setInner(FURTHER)(response),
        ...FURTHER,
        clientExtensionResults: { ...asObject(response['clientExtensionResults']), 'example.further': FURTHER },
      }),
    },
  },
  'members-reordered': {
    title: 'the members in another order',
    why: 'JSON objects have no order. Read members by their names.',
    edits: { response: (response) => reversed({ ...response, response: reversed(asObject(response['response'])) }) },
  },
  'attachment-absent': {
    title: 'no authenticatorAttachment',
    why: 'Clients leave it out when they do not tell, and older ones do not know it. Do not require it.',
    edits: { response: setMembers({ authenticatorAttachment: undefined }) },
  },
  'attachment-unknown': {
    title: 'an authenticatorAttachment that the standard does not name',
    why: 'Relying parties treat unknown values as absent (§5.1, authenticatorAttachment). Do not hold it against a list.',
    edits: { response: setMembers({ authenticatorAttachment: 'example-further' }) },
  },
  'extension-results-absent': {
    title: 'no clientExtensionResults',
    why: 'Code that serializes credentials by hand, from before toJSON(), often leaves them out. Take them for empty.',
    edits: { response: setMembers({ clientExtensionResults: undefined }) },
  },
  'extension-results-unsolicited': {
    title: 'client extension outputs that were not requested',
    why: 'Clients and authenticators may add extensions of their own. Ignore what you did not ask for; otherwise users of such a client are locked out.',
    edits: {
      response: setMembers({ clientExtensionResults: { credProps: { rk: true }, prf: { enabled: true }, appid: false, uvm: [[2, 4, 2]] } }),
    },
  },
};

const TRANSPORTS = 'Transports are hints for later options. Store what you get as it is, and take none for an empty list.';

export const CONFORMING_MEMBERS: readonly Case[] = [
  ...listRows(BOTH).flatMap(both),
  registrationCase({
    id: 'register.transports-absent',
    title: 'no transports',
    why: `Browsers without getTransports() send none. ${TRANSPORTS}`,
    edits: { response: setInner({ transports: undefined }) },
  }),
  registrationCase({
    id: 'register.transports-empty',
    title: 'an empty list of transports',
    why: `A browser that does not know them sends an empty list. ${TRANSPORTS}`,
    edits: { response: setInner({ transports: [] }) },
  }),
  registrationCase({
    id: 'register.transports-unknown',
    title: 'transports that the standard does not name',
    why: `New ones appear, such as smart-card did; relying parties store unknown values (§5.8.4). ${TRANSPORTS}`,
    edits: { response: setInner({ transports: ['example-further', 'internal', 'cable'] }) },
  }),
  registrationCase({
    id: 'register.copies-absent',
    title: 'no publicKey, publicKeyAlgorithm and authenticatorData in response',
    why: 'They repeat the attestation object, and older clients do not have them. Take key and algorithm from the attestation object.',
    edits: { response: setInner({ publicKey: undefined, publicKeyAlgorithm: undefined, authenticatorData: undefined }) },
  }),
  registrationCase({
    id: 'register.attestation-object-reordered',
    title: 'an attestation object whose members come in another order',
    disputed: 'Decoders should refuse CBOR that is not in the canonical form of CTAP2, which has one order (§2).',
    why: 'Clients of several makers wrote it so. Read fmt, attStmt and authData by their names.',
    edits: { attestationObject: reordered },
  }),
  registrationCase({
    id: 'register.hybrid',
    title: 'a passkey on a phone: cross-platform, over hybrid',
    why: 'Most people who sign in on a desktop with a phone come this way. Do not ask for a platform authenticator after the fact.',
    wants: { attachment: 'cross-platform' },
    browser: {
      authenticator: { attachment: 'cross-platform', transports: ['hybrid', 'internal'], backupEligible: true, backupState: true },
    },
  }),
  authenticationCase({
    id: 'login.attachment-changed',
    title: 'a passkey of a phone, registered there and used from a desktop',
    why: 'The same credential is platform on the device and cross-platform over hybrid. Do not compare the attachment with that of the registration.',
    edits: { response: setMembers({ authenticatorAttachment: 'cross-platform' }) },
  }),
  authenticationCase({
    id: 'login.user-handle-absent',
    title: 'a login of a named user without a user handle',
    why: 'Authenticators leave it out where the credential was named. Require it only where no user was named (§7.2, user handle).',
    edits: { response: setInner({ userHandle: undefined }) },
    wants: { login: 'named' },
  }),
  authenticationCase({
    id: 'login.user-handle-present',
    title: 'a login of a named user with the user handle',
    why: 'Discoverable credentials give it, asked or not. Compare its bytes with those of the account; do not refuse it.',
    browser: { authenticator: { alwaysDiscoverable: true } },
    wants: { login: 'named' },
  }),
];

/** Adds extension outputs to the authenticator data. A registration with format `none` needs no new signature. */
function withExtensions(outputs: Readonly<Record<string, CborValue>>): CommonEdits {
  const extensionBytes = encodeCbor(new Map(Object.entries(outputs)));
  return { authenticatorData: (bytes) => encodeAuthenticatorData({ ...decodeAuthenticatorData(bytes), extensionBytes }) };
}

const NESTED = new Map<CborValue, CborValue>([
  [1, [true, null, -1]],
  ['text', new Map([['further', Uint8Array.of(1, 2)]])],
]);

const UNASKED = 'Clients and authenticators may add extensions of their own, and sign them.';

const EITHER: Rows<Omit<BothRow, 'what'>> = {
  'extension-unknown': {
    title: 'the signed output of an extension that was not requested',
    why: `${UNASKED} Decode the map that the ED flag announces, and ignore what you do not know.`,
    edits: withExtensions({ 'example.further': true }),
  },
  'extension-nested': {
    title: 'signed extension outputs nested, long and large',
    why: `${UNASKED} Find the end of the authenticator data by decoding the map, whatever its values are.`,
    edits: withExtensions({ a: NESTED, b: 'x'.repeat(300), c: new Uint8Array(300), d: 2 ** 40 }),
  },
  'user-verified-unasked': {
    title: 'a user who was verified although that was discouraged',
    why: 'Many authenticators always verify their user. Require UV where you need it; never refuse it.',
    wants: { userVerification: 'discouraged' },
    edits: { authenticatorData: setFlags(FLAG.uv) },
  },
};

const REGISTRATION: readonly RegistrationSpec[] = [
  {
    id: 'register.credential-protection',
    title: 'the signed output of credProtect, which Chromium asks for by itself',
    why: 'Chromium asks security keys for credProtect whenever a discoverable credential is wanted. A server that refuses the output locks out every security key there.',
    edits: withExtensions({ credProtect: 2 }),
  },
  {
    id: 'register.hmac-secret',
    title: 'the signed output of hmac-secret',
    why: `${UNASKED} Ignore outputs that you did not ask for.`,
    edits: withExtensions({ 'hmac-secret': true }),
  },
  {
    id: 'register.aaguid-any',
    title: 'an AAGUID that no list knows',
    why: 'New models appear every month, and without attestation the AAGUID proves nothing. Use it for a name at most, unless your policy names models.',
    browser: { authenticator: { aaguid: new Uint8Array(16).fill(0xff) } },
  },
];

/** Makes random credential IDs that begin with these bytes. */
const beginningWith =
  (...bytes: readonly number[]) =>
  (length: number) =>
    new Uint8Array([...bytes, ...randomBytes(length - bytes.length)]);

const LENGTHS = [MIN_CREDENTIAL_ID_BYTES, 17, 48, 64, 255, 256, MAX_CREDENTIAL_ID_BYTES];

const LOGIN: readonly AuthenticationSpec[] = [
  ...LENGTHS.map((credentialIdLength) => ({
    id: `login.credential-id-of-${credentialIdLength}`,
    title: `a credential ID of ${credentialIdLength} bytes`,
    why: 'Credential IDs have 16 to 1023 bytes, and security keys that wrap keys in them have long ones. Store them whole, as bytes, and give the column room.',
    browser: { authenticator: { credentialIdLength } },
  })),
  {
    id: 'login.credential-id-leading-zeros',
    title: 'a credential ID that begins with zeros',
    why: 'An ID is bytes, neither a number nor a text that ends with U+0000. Store and compare all of them.',
    browser: { authenticator: { newCredentialId: beginningWith(0, 0, 0) } },
  },
  {
    id: 'login.credential-id-url-safe',
    title: 'a credential ID with - and _ in its text',
    why: 'Base64url has - and _ where base64 has + and /. A server that decodes one as the other loses a part of its users at random.',
    browser: { authenticator: { newCredentialId: beginningWith(0xfb, 0xff, 0xbf, 0xfb, 0xef, 0xff) } },
  },
];

export const CONFORMING_AUTHENTICATORS: readonly Case[] = [
  ...listRows(EITHER).flatMap(both),
  ...REGISTRATION.map(registrationCase),
  ...LOGIN.map(authenticationCase),
];
