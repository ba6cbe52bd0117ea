import { describe, expect, test } from 'vitest';
import type { AuthenticatorOptions } from '../../src/authenticator/settings.js';
import { cooperativeUser, scriptedUser } from '../../src/authenticator/user-verifier.js';
import type { ClientOptions } from '../../src/client/client.js';
import type { CreateOptions } from '../../src/client/create.js';
import type { GetOptions } from '../../src/client/get.js';
import { decodeAttestationObject, encodeAttestationObject } from '../../src/webauthn/attestation-object.js';
import type { PublicKeyCredentialCreationOptionsJSON, PublicKeyCredentialRequestOptionsJSON } from '../../src/webauthn/json.js';
import { creation, registered, request, setUp } from './ceremony.js';

interface Row<T> {
  readonly when: string;
  readonly name: string;
  readonly message: RegExp;
  readonly authenticator?: AuthenticatorOptions;
  readonly client?: Partial<ClientOptions>;
  readonly publicKey?: T;
  readonly mediation?: CreateOptions['mediation'];
}

const STRANGER = { type: 'public-key', id: 'AAAAAAAAAAAAAAAAAAAAAA' };
const noVerification = { userVerifier: cooperativeUser({ canVerify: false }) };

/** What both operations refuse, before the authenticator is asked. */
const callers: Row<never>[] = [
  { when: 'the origin is opaque', client: { origin: 'null' }, name: 'NotAllowedError', message: /origin; its origin is opaque/ },
  {
    when: 'the context is not secure',
    client: { origin: 'http://example.com' },
    name: 'SecurityError',
    message: /secure context: https, or http on localhost; the origin is http:\/\/example\.com/,
  },
  {
    when: 'the host is an IPv4 address',
    client: { origin: 'https://127.0.0.1:8443' },
    name: 'SecurityError',
    message: /127\.0\.0\.1 is an IP address/,
  },
  {
    when: 'the host is an IPv6 address',
    client: { origin: 'http://[::1]:8080' },
    name: 'SecurityError',
    message: /\[::1\] is an IP address/,
  },
  {
    when: 'the RP ID is of somebody else',
    client: { origin: 'https://evil.test' },
    name: 'SecurityError',
    message: /to be evil\.test or a registrable suffix of it; got "example\.com" from https:\/\/evil\.test/,
  },
  {
    when: 'the RP ID ends alike, without a dot',
    client: { origin: 'https://badexample.com' },
    name: 'SecurityError',
    message: /got "example\.com"/,
  },
  { when: 'the RP ID is longer than the host', client: { origin: 'https://com' }, name: 'SecurityError', message: /got "example\.com"/ },
  { when: 'mediation is silent', mediation: 'silent', name: 'NotAllowedError', message: /"silent" rules it out/ },
];

/** What browsers refuse as `rp.id` (`rpId`) of an origin, and why the exception says so. */
const rpIds: [when: string, rpId: string, origin: string, message: RegExp][] = [
  ['a top-level domain', 'com', 'https://login.example.com', /to be login\.example\.com or .*; got "com" .* com is a public suffix/],
  [
    'a public suffix of registries',
    'co.uk',
    'https://example.co.uk',
    /got "co\.uk" from https:\/\/example\.co\.uk, and co\.uk is a public suffix/,
  ],
  ['a public suffix of a company', 'github.io', 'https://ada.github.io', /and github\.io is a public suffix: an RP ID must be longer/],
  ['above a public suffix', 'amazonaws.com', 'https://a.b.compute.amazonaws.com', /and b\.compute\.amazonaws\.com is a public suffix/],
  ['localhost of a name below it', 'localhost', 'http://app.localhost:7277', /and localhost is a public suffix: .* or the whole host/],
  ['in upper case', 'EXAMPLE.com', 'https://login.example.com', /got "EXAMPLE\.com" from .*: write it "example\.com"/],
  ['not in punycode', 'bücher.example', 'https://xn--bcher-kva.example', /: write it "xn--bcher-kva\.example"/],
  ['with a dot at its end', 'example.com.', 'https://login.example.com', /got "example\.com\." from https:\/\/login\.example\.com\.$/],
  ['empty', '', 'https://login.example.com', /got "" from/],
  ['with a port', 'example.com:443', 'https://login.example.com', /got "example\.com:443"/],
];

const creations: Row<Partial<PublicKeyCredentialCreationOptionsJSON>>[] = [
  ...callers,
  ...rpIds.map(([what, id, origin, message]) => ({
    when: `the RP ID is ${what}`,
    client: { origin },
    publicKey: { rp: { id, name: '' } },
    name: 'SecurityError',
    message,
  })),
  {
    when: 'no parameter is a public key',
    publicKey: { pubKeyCredParams: [{ type: 'tin-foil', alg: -7 }] },
    name: 'NotSupportedError',
    message: /publicKey\.pubKeyCredParams with type "public-key"/,
  },
  {
    when: 'no algorithm is known',
    publicKey: { pubKeyCredParams: [{ type: 'public-key', alg: -999 }] },
    name: 'NotSupportedError',
    message: /publicKey\.pubKeyCredParams: .* asked for -999/,
  },
  {
    when: 'the default algorithms are not known',
    authenticator: { algorithms: [-8] },
    publicKey: { pubKeyCredParams: [] },
    name: 'NotSupportedError',
    message: /asked for -7, -257/,
  },
  {
    when: 'another attachment is wanted',
    publicKey: { authenticatorSelection: { authenticatorAttachment: 'cross-platform' } },
    name: 'NotAllowedError',
    message: /authenticatorAttachment; the options ask for cross-platform, the authenticator is platform/,
  },
  {
    when: 'a discoverable credential is required and impossible',
    authenticator: { residentKey: false },
    publicKey: { authenticatorSelection: { residentKey: 'required' } },
    name: 'ConstraintError',
    message: /authenticatorSelection\.residentKey is "required"/,
  },
  {
    when: 'large blobs are required with a server-side credential',
    publicKey: { authenticatorSelection: { residentKey: 'discouraged' }, extensions: { largeBlob: { support: 'required' } } },
    name: 'ConstraintError',
    message: /with discoverable credentials only/,
  },
  {
    when: 'a protection policy is enforced and impossible',
    authenticator: { extensions: ['prf'] },
    publicKey: {
      authenticatorSelection: { userVerification: 'required' },
      extensions: { credentialProtectionPolicy: 'userVerificationRequired', enforceCredentialProtectionPolicy: true },
    },
    name: 'NotAllowedError',
    message: /credentialProtectionPolicy is to be enforced/,
  },
  {
    when: 'the same in the words of Level 1',
    authenticator: { residentKey: false },
    publicKey: { authenticatorSelection: { requireResidentKey: true } },
    name: 'ConstraintError',
    message: /cannot store discoverable credentials/,
  },
  {
    when: 'user verification is required and impossible',
    authenticator: noVerification,
    publicKey: { authenticatorSelection: { userVerification: 'required' } },
    name: 'ConstraintError',
    message: /authenticatorSelection\.userVerification is "required"; the authenticator cannot verify its user/,
  },
  {
    when: 'large blobs are required and impossible',
    authenticator: { extensions: [] },
    publicKey: { extensions: { largeBlob: { support: 'required' } } },
    name: 'ConstraintError',
    message: /Large blobs were required/,
  },
  {
    when: 'the user refuses',
    authenticator: { userVerifier: scriptedUser('denied') },
    name: 'NotAllowedError',
    message: /The user denied/,
  },
  {
    when: 'the user does nothing',
    authenticator: { userVerifier: scriptedUser('timeout') },
    name: 'NotAllowedError',
    message: /did not act in time/,
  },
  {
    when: 'mediation is conditional in an iframe of another origin',
    client: { crossOrigin: true },
    mediation: 'conditional',
    name: 'NotAllowedError',
    message: /same-origin with its ancestors for mediation "conditional"/,
  },
  {
    when: 'the challenge is no base64url',
    publicKey: { challenge: 'a+b/' },
    name: 'EncodingError',
    message: /publicKey\.challenge: Expected base64url/,
  },
  {
    when: 'the user ID is padded',
    publicKey: { user: { id: 'MQ==', name: '', displayName: '' } },
    name: 'EncodingError',
    message: /^publicKey\.user\.id: Expected base64url without padding; got "=" at position 2/,
  },
  {
    when: 'an excluded ID is no base64url',
    publicKey: { excludeCredentials: [STRANGER, { type: 'public-key', id: 'ä' }] },
    name: 'EncodingError',
    message: /publicKey\.excludeCredentials\[1\]\.id/,
  },
  {
    when: 'PRF inputs are given by credential',
    publicKey: { extensions: { prf: { evalByCredential: {} } } },
    name: 'NotSupportedError',
    message: /publicKey\.extensions\.prf\.evalByCredential is for authentication only/,
  },
  ...['read', 'write'].map((member) => ({
    when: `a large blob is to be ${member}`,
    publicKey: { extensions: { largeBlob: { [member]: true } } },
    name: 'NotSupportedError',
    message: new RegExp(`publicKey\\.extensions\\.largeBlob\\.${member} is for authentication only`),
  })),
];

const requests: Row<Partial<PublicKeyCredentialRequestOptionsJSON>>[] = [
  ...callers,
  ...rpIds.map(([what, rpId, origin, message]) => ({
    when: `the RP ID is ${what}`,
    client: { origin },
    publicKey: { rpId },
    name: 'SecurityError',
    message,
  })),
  { when: 'the RP ID is a top-level domain', publicKey: { rpId: 'com' }, name: 'SecurityError', message: /publicKey\.rpId .* got "com"/ },
  {
    when: 'no allowed credential is here',
    publicKey: { allowCredentials: [STRANGER] },
    name: 'NotAllowedError',
    message: /one of 1 allowed credentials for example\.com/,
  },
  {
    when: 'no entry of the list is a public key',
    publicKey: { allowCredentials: [{ ...STRANGER, type: 'tin-foil' }] },
    name: 'NotAllowedError',
    message: /allowCredentials with type "public-key"; there is none/,
  },
  {
    when: 'nothing is discoverable for the RP ID',
    publicKey: { rpId: 'login.example.com' },
    name: 'NotAllowedError',
    message: /a discoverable credential for login\.example\.com/,
  },
  {
    when: 'nothing is discoverable for autofill',
    publicKey: { rpId: 'login.example.com' },
    mediation: 'conditional',
    name: 'NotAllowedError',
    message: /has none\. A browser would keep waiting/,
  },
  {
    when: 'autofill has nothing of the list',
    publicKey: { allowCredentials: [STRANGER] },
    mediation: 'conditional',
    name: 'NotAllowedError',
    message: /has none/,
  },
  {
    when: 'nothing is picked from autofill',
    client: { pickCredential: () => undefined },
    mediation: 'conditional',
    name: 'NotAllowedError',
    message: /picked none/,
  },
  {
    when: 'no account is picked',
    authenticator: { chooseAccount: () => undefined },
    name: 'NotAllowedError',
    message: /picked no account/,
  },
  {
    when: 'user verification is required and impossible',
    authenticator: { userVerifier: scriptedUser('verified', 'verified', 'present') },
    publicKey: { userVerification: 'required' },
    name: 'NotAllowedError',
    message: /publicKey\.userVerification is "required"/,
  },
  {
    when: 'the user refuses',
    authenticator: { userVerifier: scriptedUser('verified', 'verified', 'denied') },
    name: 'NotAllowedError',
    message: /The user denied/,
  },
  {
    when: 'the user does nothing',
    authenticator: { userVerifier: scriptedUser('verified', 'verified', 'timeout') },
    name: 'NotAllowedError',
    message: /did not act in time/,
  },
  { when: 'the challenge is no base64url', publicKey: { challenge: '!' }, name: 'EncodingError', message: /publicKey\.challenge/ },
  {
    when: 'PRF inputs by credential without a list',
    publicKey: { extensions: { prf: { evalByCredential: { AAAA: { first: 'AA' } } } } },
    name: 'NotSupportedError',
    message: /prf\.evalByCredential needs allowCredentials; the list is empty/,
  },
  ...['', '!', 'AAAA'].map((key) => ({
    when: `a PRF input is for ${JSON.stringify(key)}`,
    publicKey: { allowCredentials: [STRANGER], extensions: { prf: { evalByCredential: { [key]: { first: 'AA' } } } } },
    name: 'SyntaxError',
    message: /every key must be the base64url of an ID in allowCredentials/,
  })),
  {
    when: 'a PRF input is no base64url',
    publicKey: { extensions: { prf: { eval: { first: '=' } } } },
    name: 'EncodingError',
    message: /prf\.eval\.first/,
  },
  {
    when: 'large blob support is asked for',
    publicKey: { extensions: { largeBlob: { support: 'required' } } },
    name: 'NotSupportedError',
    message: /largeBlob\.support is for registration only/,
  },
  {
    when: 'a blob is read and written',
    publicKey: { extensions: { largeBlob: { read: true, write: 'AA' } } },
    name: 'NotSupportedError',
    message: /exclude each other/,
  },
  {
    when: 'a blob is written to nobody',
    publicKey: { extensions: { largeBlob: { write: 'AA' } } },
    name: 'NotSupportedError',
    message: /exactly one credential in allowCredentials; got 0/,
  },
];

async function reject(promise: Promise<unknown>, { name, message }: Row<unknown>): Promise<void> {
  const error: unknown = await promise.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  expect(error).toMatchObject({ name, message: expect.stringMatching(message) });
  // A real DOMException, with the legacy code of those names that have one.
  expect(Object.prototype.toString.call(error)).toBe('[object DOMException]');
  expect(error).toBeInstanceOf(Error);
}

describe('create() throws', () => {
  test.each(creations)('$name when $when', async (row) => {
    const { client, authenticator } = setUp(row.authenticator, row.client);
    await reject(client.create({ publicKey: creation(row.publicKey), ...(row.mediation && { mediation: row.mediation }) }), row);
    expect(await authenticator.store.list()).toEqual([]);
  });

  test('InvalidStateError when an excluded credential is on the authenticator', async () => {
    const { client, id } = await registered();
    const publicKey = creation({ excludeCredentials: [STRANGER, { type: 'public-key', id, transports: ['usb'] }] });
    await reject(client.create({ publicKey }), {
      when: '',
      name: 'InvalidStateError',
      message: /publicKey\.excludeCredentials: .* already/,
    });
  });

  test('ConstraintError and UnknownError also from an authenticator that says nothing of itself', async () => {
    const { authenticator } = setUp({ residentKey: false });
    const { makeCredential, getAssertion } = authenticator;
    const mute = setUp({}, { authenticator: { makeCredential, getAssertion } }).client;
    const publicKey = creation({ authenticatorSelection: { residentKey: 'required' } });
    await reject(mute.create({ publicKey }), { when: '', name: 'ConstraintError', message: /cannot store one/ });

    const garbage = async () => ({ ok: true, attestationObject: new Uint8Array([0xa0]) }) as const;
    const broken = setUp({}, { authenticator: { makeCredential: garbage, getAssertion } }).client;
    await reject(broken.create({ publicKey }), { when: '', name: 'UnknownError', message: /Expected an attestation object/ });

    const offCurve: typeof makeCredential = async (request) => {
      const made = await makeCredential({ ...request, requireResidentKey: false });
      if (!made.ok) return made;
      // Authenticator data without extensions ends with the y coordinate.
      const { authData, ...object } = decodeAttestationObject(made.attestationObject);
      const turned = authData.map((byte, at) => (at === authData.length - 1 ? byte ^ 1 : byte));
      return { ...made, attestationObject: encodeAttestationObject({ ...object, authData: turned }) };
    };
    const odd = setUp({}, { authenticator: { makeCredential: offCurve, getAssertion } }).client;
    await reject(odd.create({ publicKey }), { when: '', name: 'UnknownError', message: /a point on P-256, got one that is not/ });
  });
});

describe('get() throws', () => {
  test.each(requests)('$name when $when', async (row) => {
    // Two accounts, so that a chooser is asked. They are registered on the right page.
    const { authenticator, client } = await registered({ ...row.authenticator });
    await client.create({ publicKey: creation({ user: { id: 'Mg', name: 'b', displayName: 'B' } }) });
    const page = setUp({}, { authenticator, ...row.client }).client;
    const options: GetOptions = { publicKey: request(row.publicKey), ...(row.mediation && { mediation: row.mediation }) };
    await reject(page.get(options), row);
  });
});

describe('a fault of the authenticator', () => {
  test('is not dressed up as a refusal', async () => {
    const fault = new Error('unplugged');
    const broken = async () => {
      throw fault;
    };
    const { client } = setUp({}, { authenticator: { makeCredential: broken, getAssertion: broken } });
    await expect(client.create({ publicKey: creation() })).rejects.toBe(fault);
    await expect(client.get({ publicKey: request() })).rejects.toBe(fault);
  });
});
