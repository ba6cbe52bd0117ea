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
    title: 'members that this version of the standard does not define, at each level of the JSON',
    why: 'The standard grows, and browsers add members to the dictionaries. A server that refuses unknown members locks all users out with the next browser version. Ignore them.',
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
    why: 'Clients may leave authenticatorAttachment out, and older ones do not know it. Do not require it.',
    edits: { response: setMembers({ authenticatorAttachment: undefined }) },
  },
  'attachment-unknown': {
    title: 'an authenticatorAttachment that the standard does not define',
    why: 'Relying parties must treat unknown values as absent (§5.1, authenticatorAttachment). Do not check the value against a list.',
    edits: { response: setMembers({ authenticatorAttachment: 'example-further' }) },
  },
  'extension-results-absent': {
    title: 'no clientExtensionResults',
    why: 'Code that serializes credentials by hand, written before toJSON() existed, often leaves clientExtensionResults out. Treat the missing member as empty.',
    edits: { response: setMembers({ clientExtensionResults: undefined }) },
  },
  'extension-results-unsolicited': {
    title: 'client extension outputs that were not requested',
    why: 'Clients and authenticators may add their own extensions. Ignore outputs that you did not request; otherwise users of such a client are locked out.',
    edits: {
      response: setMembers({ clientExtensionResults: { credProps: { rk: true }, prf: { enabled: true }, appid: false, uvm: [[2, 4, 2]] } }),
    },
  },
};

const TRANSPORTS = 'Transports are hints for later options. Store the list as received, and treat a missing one as empty.';

export const CONFORMING_MEMBERS: readonly Case[] = [
  ...listRows(BOTH).flatMap(both),
  registrationCase({
    id: 'register.transports-absent',
    title: 'no transports',
    why: `Browsers without getTransports() send no transports. ${TRANSPORTS}`,
    edits: { response: setInner({ transports: undefined }) },
  }),
  registrationCase({
    id: 'register.transports-empty',
    title: 'an empty list of transports',
    why: `A browser that does not know the transports sends an empty list. ${TRANSPORTS}`,
    edits: { response: setInner({ transports: [] }) },
  }),
  registrationCase({
    id: 'register.transports-unknown',
    title: 'transports that the standard does not define',
    why: `New transports appear, as smart-card did, and relying parties store unknown values (§5.8.4). ${TRANSPORTS}`,
    edits: { response: setInner({ transports: ['example-further', 'internal', 'cable'] }) },
  }),
  registrationCase({
    id: 'register.copies-absent',
    title: 'no publicKey, publicKeyAlgorithm and authenticatorData in response',
    why: 'These members repeat the attestation object, and older clients do not send them. Take key and algorithm from the attestation object.',
    edits: { response: setInner({ publicKey: undefined, publicKeyAlgorithm: undefined, authenticatorData: undefined }) },
  }),
  registrationCase({
    id: 'register.attestation-object-reordered',
    title: 'an attestation object whose members come in another order',
    disputed: 'Decoders should refuse CBOR that is not in the canonical form of CTAP2, which fixes the order (§2).',
    why: 'Clients of several makers have sent this. Read fmt, attStmt and authData by their names.',
    edits: { attestationObject: reordered },
  }),
  registrationCase({
    id: 'register.hybrid',
    title: 'a passkey on a phone: cross-platform, over hybrid',
    why: 'Most people who sign in on a desktop with their phone use this. Do not insist on a platform authenticator when the response arrives.',
    wants: { attachment: 'cross-platform' },
    browser: {
      authenticator: { attachment: 'cross-platform', transports: ['hybrid', 'internal'], backupEligible: true, backupState: true },
    },
  }),
  authenticationCase({
    id: 'login.attachment-changed',
    title: 'a passkey of a phone, registered there and used from a desktop',
    why: 'The same credential reports "platform" on the device and "cross-platform" over hybrid. Do not compare the attachment with that of the registration.',
    edits: { response: setMembers({ authenticatorAttachment: 'cross-platform' }) },
  }),
  authenticationCase({
    id: 'login.user-handle-absent',
    title: 'a login of a named user without a user handle',
    why: 'Authenticators may leave the user handle out if the options named the credential. Require it only if the login named no user (§7.2, user handle).',
    edits: { response: setInner({ userHandle: undefined }) },
    wants: { login: 'named' },
  }),
  authenticationCase({
    id: 'login.user-handle-present',
    title: 'a login of a named user with the user handle',
    why: 'Discoverable credentials always return the user handle. Compare its bytes with those of the account; do not refuse it.',
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

const UNASKED = 'Authenticators may add their own extensions and sign the outputs.';

const EITHER: Rows<Omit<BothRow, 'what'>> = {
  'extension-unknown': {
    title: 'the signed output of an extension that was not requested',
    why: `${UNASKED} Decode the map that the ED flag announces, and ignore unknown outputs.`,
    edits: withExtensions({ 'example.further': true }),
  },
  'extension-nested': {
    title: 'signed extension outputs nested, long and large',
    why: `${UNASKED} Find the end of the authenticator data by decoding the map, whatever its values are.`,
    edits: withExtensions({ a: NESTED, b: 'x'.repeat(300), c: new Uint8Array(300), d: 2 ** 40 }),
  },
  'user-verified-unasked': {
    title: 'a user who was verified although that was discouraged',
    why: 'Many authenticators always verify their user. Require the UV flag if you need it, but never refuse it.',
    wants: { userVerification: 'discouraged' },
    edits: { authenticatorData: setFlags(FLAG.uv) },
  },
};

const REGISTRATION: readonly RegistrationSpec[] = [
  {
    id: 'register.credential-protection',
    title: 'the signed output of credProtect, which Chromium requests by itself',
    why: 'Chromium requests credProtect from security keys for every discoverable credential. A server that refuses the output locks out all security keys in Chromium.',
    edits: withExtensions({ credProtect: 2 }),
  },
  {
    id: 'register.hmac-secret',
    title: 'the signed output of hmac-secret',
    why: `${UNASKED} Ignore outputs that you did not request.`,
    edits: withExtensions({ 'hmac-secret': true }),
  },
  {
    id: 'register.aaguid-any',
    title: 'an AAGUID that is on no list',
    why: 'New models appear every month, and without attestation the AAGUID proves nothing. Use it only to show a name, unless your policy lists models.',
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
    why: 'Credential IDs have 16 to 1023 bytes, and those of security keys that wrap keys in them are long. Store all bytes, and make the column large enough.',
    browser: { authenticator: { credentialIdLength } },
  })),
  {
    id: 'login.credential-id-leading-zeros',
    title: 'a credential ID that begins with zeros',
    why: 'A credential ID is a byte string, not a number or a string that ends at U+0000. Store and compare all bytes.',
    browser: { authenticator: { newCredentialId: beginningWith(0, 0, 0) } },
  },
  {
    id: 'login.credential-id-url-safe',
    title: 'a credential ID with - and _ in its base64url',
    why: 'Base64url has - and _ where base64 has + and /. A server that decodes one as the other locks out some users at random.',
    browser: { authenticator: { newCredentialId: beginningWith(0xfb, 0xff, 0xbf, 0xfb, 0xef, 0xff) } },
  },
];

export const CONFORMING_AUTHENTICATORS: readonly Case[] = [
  ...listRows(EITHER).flatMap(both),
  ...REGISTRATION.map(registrationCase),
  ...LOGIN.map(authenticationCase),
];
