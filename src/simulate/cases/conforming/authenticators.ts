import { randomBytes } from 'node:crypto';
import { decodeAuthenticatorData, encodeAuthenticatorData, FLAG } from '../../../webauthn/authenticator-data.js';
import { type CborValue, encodeCbor } from '../../../webauthn/cbor.js';
import { MAX_CREDENTIAL_ID_BYTES, MIN_CREDENTIAL_ID_BYTES } from '../../../webauthn/limits.js';
import { acceptedLogin, acceptedRegistration, bothAccepted } from '../../engine/both-ceremonies.js';
import type { Case, CaseSpec } from '../../engine/case.js';
import type { BrowserTraits } from '../../engine/ceremony.js';
import { type ByteEdit, setFlags } from '../../engine/edits.js';

interface Row extends Pick<CaseSpec, 'title' | 'why' | 'wants'> {
  /** Last part of the ids. */
  readonly what: string;
  readonly authenticatorData?: ByteEdit;
  readonly browser?: BrowserTraits;
}

/** Extension outputs in the signed data; with format `none` a registration needs no signature anew. */
function withExtensions(outputs: Readonly<Record<string, CborValue>>): ByteEdit {
  const extensionBytes = encodeCbor(new Map(Object.entries(outputs)));
  return (bytes) => encodeAuthenticatorData({ ...decodeAuthenticatorData(bytes), extensionBytes });
}

const NESTED = new Map<CborValue, CborValue>([
  [1, [true, null, -1]],
  ['text', new Map([['further', Uint8Array.of(1, 2)]])],
]);

const UNASKED = 'Clients and authenticators may add extensions of their own, and sign them.';

const EITHER: readonly Row[] = [
  {
    what: 'extension-unknown',
    title: 'the signed output of an extension that nobody asked for',
    why: `${UNASKED} Decode the map that the ED flag announces, and ignore what you do not know.`,
    authenticatorData: withExtensions({ 'example.further': true }),
  },
  {
    what: 'extension-nested',
    title: 'signed extension outputs nested, long and large',
    why: `${UNASKED} Find the end of the authenticator data by decoding the map, whatever its values are.`,
    authenticatorData: withExtensions({ a: NESTED, b: 'x'.repeat(300), c: new Uint8Array(300), d: 2 ** 40 }),
  },
  {
    what: 'user-verified-unasked',
    title: 'a user who was verified although that was discouraged',
    why: 'Many authenticators always verify their user. Require UV where you need it; never refuse it.',
    wants: { userVerification: 'discouraged' },
    authenticatorData: setFlags(FLAG.uv),
  },
];

const REGISTRATION: readonly Row[] = [
  {
    what: 'credential-protection',
    title: 'the signed output of credProtect, which Chromium asks for by itself',
    why: 'Chromium asks security keys for credProtect whenever a discoverable credential is wanted. A server that refuses the output locks out every security key there.',
    authenticatorData: withExtensions({ credProtect: 2 }),
  },
  {
    what: 'hmac-secret',
    title: 'the signed output of hmac-secret',
    why: `${UNASKED} Ignore outputs that you did not ask for.`,
    authenticatorData: withExtensions({ 'hmac-secret': true }),
  },
  {
    what: 'aaguid-any',
    title: 'an AAGUID that no list knows',
    why: 'New models appear every month, and without attestation the AAGUID proves nothing. Use it for a name at most, unless your policy names models.',
    browser: { authenticator: { aaguid: new Uint8Array(16).fill(0xff) } },
  },
];

/** New credential IDs that begin with these bytes. */
const beginningWith =
  (...bytes: readonly number[]) =>
  (length: number) =>
    new Uint8Array([...bytes, ...randomBytes(length - bytes.length)]);

const LENGTHS = [MIN_CREDENTIAL_ID_BYTES, 17, 48, 64, 255, 256, MAX_CREDENTIAL_ID_BYTES];

const LOGIN: readonly Row[] = [
  ...LENGTHS.map((credentialIdLength) => ({
    what: `credential-id-of-${credentialIdLength}`,
    title: `a credential ID of ${credentialIdLength} bytes`,
    why: 'Credential IDs have 16 to 1023 bytes, and security keys that wrap keys in them have long ones. Store them whole, as bytes, and give the column room.',
    browser: { authenticator: { credentialIdLength } },
  })),
  {
    what: 'credential-id-leading-zeros',
    title: 'a credential ID that begins with zeros',
    why: 'An ID is bytes, neither a number nor a text that ends with U+0000. Store and compare all of them.',
    browser: { authenticator: { newCredentialId: beginningWith(0, 0, 0) } },
  },
  {
    what: 'credential-id-url-safe',
    title: 'a credential ID with - and _ in its text',
    why: 'Base64url has - and _ where base64 has + and /. A server that decodes one as the other loses a part of its users at random.',
    browser: { authenticator: { newCredentialId: beginningWith(0xfb, 0xff, 0xbf, 0xfb, 0xef, 0xff) } },
  },
];

const edited = ({ what: _what, authenticatorData, ...row }: Row) => ({
  ...row,
  tags: ['conforming'],
  ...(authenticatorData && { edits: { authenticatorData } }),
});
const registration = (row: Row) => acceptedRegistration({ ...edited(row), id: `register.${row.what}` });
const login = (row: Row) => acceptedLogin({ ...edited(row), id: `login.${row.what}` });

export const CONFORMING_AUTHENTICATORS: readonly Case[] = [
  ...EITHER.flatMap((row) => bothAccepted({ ...edited(row), what: row.what })),
  ...REGISTRATION.map(registration),
  ...LOGIN.map(login),
];
