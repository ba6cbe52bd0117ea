import { describe, expect, test } from 'vitest';
import type { AuthenticatorOptions } from '../../src/authenticator/settings.js';
import { cooperativeUser, scriptedUser } from '../../src/authenticator/user-verifier.js';
import type { ClientOptions } from '../../src/client/client.js';
import type { CreateOptions } from '../../src/client/create.js';
import type { GetOptions } from '../../src/client/get.js';
import { decodeAttestationObject, encodeAttestationObject } from '../../src/webauthn/attestation-object.js';
import type { PublicKeyCredentialCreationOptionsJSON, PublicKeyCredentialRequestOptionsJSON } from '../../src/webauthn/json.js';
import { creation, registered, request, setUp } from './ceremony.js';

type Row<T> = [
  when: string,
  name: string,
  message: RegExp,
  made?: {
    readonly authenticator?: AuthenticatorOptions;
    readonly client?: Partial<ClientOptions>;
    readonly publicKey?: T;
    readonly mediation?: CreateOptions['mediation'];
  },
];

const STRANGER = { type: 'public-key', id: 'AAAAAAAAAAAAAAAAAAAAAA' };
const noVerification = { userVerifier: cooperativeUser({ canVerify: false }) };

/** What both operations refuse, before the authenticator is asked. */
const callers: Row<never>[] = [
  ['the origin is opaque', 'NotAllowedError', /the caller's origin is opaque/, { client: { origin: 'null' } }],
  [
    'the context is not secure',
    'SecurityError',
    /secure context: https, or http on localhost; the origin is http:\/\/example\.com/,
    { client: { origin: 'http://example.com' } },
  ],
  ['the host is an IPv4 address', 'SecurityError', /127\.0\.0\.1 is an IP address/, { client: { origin: 'https://127.0.0.1:8443' } }],
  ['the host is an IPv6 address', 'SecurityError', /\[::1\] is an IP address/, { client: { origin: 'http://[::1]:8080' } }],
  [
    'the RP ID is of somebody else',
    'SecurityError',
    /to be evil\.test or a registrable suffix of it; got "example\.com" from https:\/\/evil\.test/,
    { client: { origin: 'https://evil.test' } },
  ],
  ['the RP ID ends alike, without a dot', 'SecurityError', /got "example\.com"/, { client: { origin: 'https://badexample.com' } }],
  ['the RP ID is longer than the host', 'SecurityError', /got "example\.com"/, { client: { origin: 'https://com' } }],
  ['mediation is silent', 'NotAllowedError', /that involves the user; got "silent"/, { mediation: 'silent' }],
];

/** What browsers refuse as `rp.id` (`rpId`) of an origin, and why the exception says so. */
const rpIds: [when: string, rpId: string, origin: string, message: RegExp][] = [
  [
    'a top-level domain',
    'com',
    'https://login.example.com',
    /publicKey\.rp(?:\.id|Id) to be login\.example\.com or .*; got "com" .* com is a public suffix/,
  ],
  [
    'a public suffix of registries',
    'co.uk',
    'https://example.co.uk',
    /got "co\.uk" from https:\/\/example\.co\.uk, and co\.uk is a public suffix/,
  ],
  ['a public suffix of a company', 'github.io', 'https://ada.github.io', /and github\.io is a public suffix: the RP ID must be longer/],
  ['above a public suffix', 'amazonaws.com', 'https://a.b.compute.amazonaws.com', /and b\.compute\.amazonaws\.com is a public suffix/],
  ['localhost of a name below it', 'localhost', 'http://app.localhost:7277', /and localhost is a public suffix: .* or equal to the host/],
  ['in upper case', 'EXAMPLE.com', 'https://login.example.com', /got "EXAMPLE\.com" from .*: write it "example\.com"/],
  ['not in punycode', 'bücher.example', 'https://xn--bcher-kva.example', /: write it "xn--bcher-kva\.example"/],
  ['with a dot at its end', 'example.com.', 'https://login.example.com', /got "example\.com\." from https:\/\/login\.example\.com\.$/],
  ['empty', '', 'https://login.example.com', /got "" from/],
  ['with a port', 'example.com:443', 'https://login.example.com', /got "example\.com:443"/],
];

const creations: Row<Partial<PublicKeyCredentialCreationOptionsJSON>>[] = [
  ...callers,
  ...rpIds.map<Row<object>>(([what, id, origin, message]) => [
    `the RP ID is ${what}`,
    'SecurityError',
    message,
    { client: { origin }, publicKey: { rp: { id, name: '' } } },
  ]),
  [
    'no parameter is a public key',
    'NotSupportedError',
    /publicKey\.pubKeyCredParams with type "public-key"/,
    { publicKey: { pubKeyCredParams: [{ type: 'tin-foil', alg: -7 }] } },
  ],
  [
    'no algorithm is known',
    'NotSupportedError',
    /publicKey\.pubKeyCredParams: .* asked for -999/,
    { publicKey: { pubKeyCredParams: [{ type: 'public-key', alg: -999 }] } },
  ],
  [
    'the default algorithms are not known',
    'NotSupportedError',
    /asked for -7, -257/,
    { authenticator: { algorithms: [-8] }, publicKey: { pubKeyCredParams: [] } },
  ],
  [
    'another attachment is wanted',
    'NotAllowedError',
    /authenticatorAttachment; the options ask for cross-platform, the authenticator is platform/,
    { publicKey: { authenticatorSelection: { authenticatorAttachment: 'cross-platform' } } },
  ],
  [
    'a discoverable credential is required and impossible',
    'ConstraintError',
    /authenticatorSelection\.residentKey is "required"/,
    { authenticator: { residentKey: false }, publicKey: { authenticatorSelection: { residentKey: 'required' } } },
  ],
  [
    'large blobs are required with a server-side credential',
    'ConstraintError',
    /with discoverable credentials only/,
    { publicKey: { authenticatorSelection: { residentKey: 'discouraged' }, extensions: { largeBlob: { support: 'required' } } } },
  ],
  [
    'a protection policy is enforced and impossible',
    'NotAllowedError',
    /credentialProtectionPolicy must be enforced/,
    {
      authenticator: { extensions: ['prf'] },
      publicKey: {
        authenticatorSelection: { userVerification: 'required' },
        extensions: { credentialProtectionPolicy: 'userVerificationRequired', enforceCredentialProtectionPolicy: true },
      },
    },
  ],
  [
    'the same in the words of Level 1',
    'ConstraintError',
    /cannot store discoverable credentials/,
    { authenticator: { residentKey: false }, publicKey: { authenticatorSelection: { requireResidentKey: true } } },
  ],
  [
    'user verification is required and impossible',
    'ConstraintError',
    /authenticatorSelection\.userVerification is "required"; the authenticator cannot verify its user/,
    { authenticator: noVerification, publicKey: { authenticatorSelection: { userVerification: 'required' } } },
  ],
  [
    'large blobs are required and impossible',
    'ConstraintError',
    /Large blobs were required/,
    { authenticator: { extensions: [] }, publicKey: { extensions: { largeBlob: { support: 'required' } } } },
  ],
  ['the user refuses', 'NotAllowedError', /The user denied/, { authenticator: { userVerifier: scriptedUser('denied') } }],
  ['the user does nothing', 'NotAllowedError', /did not act in time/, { authenticator: { userVerifier: scriptedUser('timeout') } }],
  [
    'mediation is conditional in an iframe of another origin',
    'NotAllowedError',
    /same-origin with its ancestors for mediation "conditional"/,
    { client: { crossOrigin: true }, mediation: 'conditional' },
  ],
  ['the challenge is no base64url', 'EncodingError', /publicKey\.challenge: Expected base64url/, { publicKey: { challenge: 'a+b/' } }],
  [
    'the user ID is padded',
    'EncodingError',
    /^publicKey\.user\.id: Expected base64url without padding; got "=" at position 2/,
    { publicKey: { user: { id: 'MQ==', name: '', displayName: '' } } },
  ],
  [
    'an excluded ID is no base64url',
    'EncodingError',
    /publicKey\.excludeCredentials\[1\]\.id/,
    { publicKey: { excludeCredentials: [STRANGER, { type: 'public-key', id: 'ä' }] } },
  ],
  [
    'PRF inputs are given by credential',
    'NotSupportedError',
    /publicKey\.extensions\.prf\.evalByCredential is for authentication only/,
    { publicKey: { extensions: { prf: { evalByCredential: {} } } } },
  ],
  ...['read', 'write'].map<Row<object>>((member) => [
    `a large blob is to be ${member}`,
    'NotSupportedError',
    new RegExp(`publicKey\\.extensions\\.largeBlob\\.${member} is for authentication only`),
    { publicKey: { extensions: { largeBlob: { [member]: true } } } },
  ]),
];

const requests: Row<Partial<PublicKeyCredentialRequestOptionsJSON>>[] = [
  ...callers,
  ...rpIds.map<Row<object>>(([what, rpId, origin, message]) => [
    `the RP ID is ${what}`,
    'SecurityError',
    message,
    { client: { origin }, publicKey: { rpId } },
  ]),
  [
    'no allowed credential is here',
    'NotAllowedError',
    /one of 1 allowed credentials for example\.com/,
    { publicKey: { allowCredentials: [STRANGER] } },
  ],
  [
    'no entry of the list is a public key',
    'NotAllowedError',
    /allowCredentials with type "public-key"; there is none/,
    { publicKey: { allowCredentials: [{ ...STRANGER, type: 'tin-foil' }] } },
  ],
  [
    'nothing is discoverable for the RP ID',
    'NotAllowedError',
    /a discoverable credential for login\.example\.com/,
    { publicKey: { rpId: 'login.example.com' } },
  ],
  [
    'nothing is discoverable for autofill',
    'NotAllowedError',
    /has none\. A browser would keep waiting/,
    { publicKey: { rpId: 'login.example.com' }, mediation: 'conditional' },
  ],
  [
    'autofill has nothing of the list',
    'NotAllowedError',
    /has none/,
    { publicKey: { allowCredentials: [STRANGER] }, mediation: 'conditional' },
  ],
  [
    'nothing is picked from autofill',
    'NotAllowedError',
    /picked none/,
    { client: { pickCredential: () => undefined }, mediation: 'conditional' },
  ],
  ['no account is picked', 'NotAllowedError', /picked no account/, { authenticator: { chooseAccount: () => undefined } }],
  [
    'user verification is required and impossible',
    'NotAllowedError',
    /publicKey\.userVerification is "required"/,
    { authenticator: { userVerifier: scriptedUser('verified', 'verified', 'present') }, publicKey: { userVerification: 'required' } },
  ],
  [
    'the user refuses',
    'NotAllowedError',
    /The user denied/,
    { authenticator: { userVerifier: scriptedUser('verified', 'verified', 'denied') } },
  ],
  [
    'the user does nothing',
    'NotAllowedError',
    /did not act in time/,
    { authenticator: { userVerifier: scriptedUser('verified', 'verified', 'timeout') } },
  ],
  ['the challenge is no base64url', 'EncodingError', /publicKey\.challenge/, { publicKey: { challenge: '!' } }],
  [
    'PRF inputs by credential without a list',
    'NotSupportedError',
    /prf\.evalByCredential needs allowCredentials; the list is empty/,
    { publicKey: { extensions: { prf: { evalByCredential: { AAAA: { first: 'AA' } } } } } },
  ],
  ...['', '!', 'AAAA'].map<Row<object>>((key) => [
    `a PRF input is for ${JSON.stringify(key)}`,
    'SyntaxError',
    /every key must be the base64url of an ID in allowCredentials/,
    { publicKey: { allowCredentials: [STRANGER], extensions: { prf: { evalByCredential: { [key]: { first: 'AA' } } } } } },
  ]),
  ['a PRF input is no base64url', 'EncodingError', /prf\.eval\.first/, { publicKey: { extensions: { prf: { eval: { first: '=' } } } } }],
  [
    'large blob support is asked for',
    'NotSupportedError',
    /largeBlob\.support is for registration only/,
    { publicKey: { extensions: { largeBlob: { support: 'required' } } } },
  ],
  [
    'a blob is read and written',
    'NotSupportedError',
    /exclude each other/,
    { publicKey: { extensions: { largeBlob: { read: true, write: 'AA' } } } },
  ],
  [
    'a blob is written to nobody',
    'NotSupportedError',
    /exactly one credential in allowCredentials; got 0/,
    { publicKey: { extensions: { largeBlob: { write: 'AA' } } } },
  ],
];

async function reject(promise: Promise<unknown>, name: string, message: RegExp): Promise<void> {
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
  test.each(creations)('when %s: %s', async (_, name, message, { mediation, publicKey, ...made } = {}) => {
    const { client, authenticator } = setUp(made.authenticator, made.client);
    await reject(client.create({ publicKey: creation(publicKey), ...(mediation && { mediation }) }), name, message);
    expect(await authenticator.store.list()).toEqual([]);
  });

  test('InvalidStateError when an excluded credential is on the authenticator', async () => {
    const { client, id } = await registered();
    const publicKey = creation({ excludeCredentials: [STRANGER, { type: 'public-key', id, transports: ['usb'] }] });
    await reject(client.create({ publicKey }), 'InvalidStateError', /publicKey\.excludeCredentials: .* already/);
  });

  test('ConstraintError and UnknownError also from an authenticator that says nothing of itself', async () => {
    const { authenticator } = setUp({ residentKey: false });
    const { makeCredential, getAssertion } = authenticator;
    const mute = setUp({}, { authenticator: { makeCredential, getAssertion } }).client;
    const publicKey = creation({ authenticatorSelection: { residentKey: 'required' } });
    await reject(mute.create({ publicKey }), 'ConstraintError', /cannot store one/);

    const garbage = async () => ({ ok: true, attestationObject: new Uint8Array([0xa0]) }) as const;
    const broken = setUp({}, { authenticator: { makeCredential: garbage, getAssertion } }).client;
    await reject(broken.create({ publicKey }), 'UnknownError', /Expected an attestation object/);

    const offCurve: typeof makeCredential = async (request) => {
      const made = await makeCredential({ ...request, requireResidentKey: false });
      if (!made.ok) return made;
      // Authenticator data without extensions ends with the y coordinate.
      const { authData, ...object } = decodeAttestationObject(made.attestationObject);
      const turned = authData.map((byte, at) => (at === authData.length - 1 ? byte ^ 1 : byte));
      return { ...made, attestationObject: encodeAttestationObject({ ...object, authData: turned }) };
    };
    const odd = setUp({}, { authenticator: { makeCredential: offCurve, getAssertion } }).client;
    await reject(odd.create({ publicKey }), 'UnknownError', /a point on P-256, got coordinates that are not on it/);
  });
});

describe('get() throws', () => {
  test.each(requests)('when %s: %s', async (_, name, message, { mediation, publicKey, ...made } = {}) => {
    // Two accounts, so that a chooser is asked. They are registered on the right page.
    const { authenticator, client } = await registered({ ...made.authenticator });
    await client.create({ publicKey: creation({ user: { id: 'Mg', name: 'b', displayName: 'B' } }) });
    const page = setUp({}, { authenticator, ...made.client }).client;
    const options: GetOptions = { publicKey: request(publicKey), ...(mediation && { mediation }) };
    await reject(page.get(options), name, message);
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
