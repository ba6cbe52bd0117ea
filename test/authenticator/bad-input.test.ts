import { describe, expect, test } from 'vitest';
import { createAuthenticator } from '../../src/authenticator/authenticator.js';
import { checkCredentialSource, credentialSourceFromJson, credentialSourceToJson } from '../../src/authenticator/credential-source.js';
import { createCredentialSourceStore } from '../../src/authenticator/credential-store.js';
import { scriptedUser } from '../../src/authenticator/user-verifier.js';
import { PasskeyError } from '../../src/errors.js';
import { getRequest, makeRequest, withCredential } from './requests.js';

/** As if written in JavaScript. */
const untyped = <T>(value: unknown): T => value as T;

describe('an option of the wrong type is a TypeError that names it', () => {
  test.each<[unknown, string]>([
    [null, 'Expected the options of an authenticator to be an object; got null.'],
    [{ aaguid: 'fbfc3007-154e-4ecc-8c0b-6e020557d7bd' }, 'Expected aaguid to be a Uint8Array of 16 bytes (parseAaguid of '],
    [{ aaguid: new Uint8Array(15) }, 'Expected an aaguid of 16 bytes; got 15.'],
    [{ algorithms: -7 }, 'Expected algorithms to be an array of COSEAlgorithmIdentifiers such as -7; got -7.'],
    [{ algorithms: ['ES256'] }, 'Expected algorithms to be an array of COSEAlgorithmIdentifiers such as -7; got an array.'],
    [{ algorithms: Array(3) }, 'Expected algorithms to be an array of COSEAlgorithmIdentifiers such as -7; got an array.'],
    [{ algorithms: [-999] }, 'Expected a COSE algorithm that this authenticator can have, one of -7 (ES256)'],
    [
      { attestation: 'fido-u2f' },
      'Expected attestation to be "none", "packed" or an attestation format { fmt, statement() }; got "fido-u2f".',
    ],
    [{ attestation: { statement() {} } }, 'an attestation format { fmt, statement() }; got an object.'],
    [{ attestation: { fmt: '', statement() {} } }, 'an attestation format { fmt, statement() }; got an object.'],
    [{ attachment: 'usb' }, 'Expected attachment to be one of "platform", "cross-platform"; got "usb".'],
    [{ transports: 'usb' }, 'Expected transports to be an array of strings; got "usb".'],
    [{ transports: Array(2) }, 'Expected transports to be an array of strings; got an array.'],
    [{ residentKey: 'required' }, 'Expected residentKey to be true or false; got "required".'],
    [{ signCount: 7 }, 'Expected signCount to be an object such as { kind: "global", start: 7 }; got 7.'],
    [{ signCount: { kind: 'random' } }, 'Expected kind of the sign counter to be one of "zero", "global", "per-credential"; got "random".'],
    [{ credentialIdLength: '32' }, 'Expected credentialIdLength to be a number; got "32".'],
    [
      { signCount: { kind: 'global', start: Symbol('7') } },
      'Expected start of the sign counter to be an integer from 0 to 4294967295; got Symbol(7).',
    ],
    [{ extensions: Array(1) }, 'Expected extensions to be an array of credProtect, prf, largeBlob; got an array.'],
    [{ extensions: ['credBlob'] }, 'Expected extensions to be an array of credProtect, prf, largeBlob; got an array.'],
    [{ random: 7 }, 'Expected random to be a function; got 7.'],
    [{ newPrivateKey: new Uint8Array(9) }, 'Expected newPrivateKey to be a function; got 9 bytes.'],
    [{ userVerifier: () => 'verified' }, 'Expected userVerifier to be a user verifier { canVerify, verify() }; got a function.'],
    [{ chooseAccount: {} }, 'Expected chooseAccount to be a function; got an object.'],
    [{ store: new Map() }, 'Expected store to be a store { find(), list(), put(), update(), remove() }; got an object.'],
  ])('%o', (options, message) => {
    expect(() => createAuthenticator(untyped(options))).toThrow(TypeError);
    expect(() => createAuthenticator(untyped(options))).toThrow(message);
  });

  test('an option that is undefined counts as left out', () => {
    expect(createAuthenticator(untyped({ transports: undefined })).info.transports).toEqual(['internal']);
  });

  test('a script of unknown outcomes, and a verifier that gives one', async () => {
    const message = 'Expected outcomes among present, verified, denied, timeout; got "ok".';
    expect(() => scriptedUser(untyped('ok'))).toThrow(new TypeError(message));
    expect(() => scriptedUser(untyped(7n))).toThrow(new TypeError(message.replace('"ok"', '7n')));
    const authenticator = createAuthenticator({ userVerifier: { canVerify: true, verify: () => untyped(true) } });
    await expect(authenticator.makeCredential(makeRequest())).rejects.toThrow(
      new TypeError('Expected verify() of the user verifier to answer present, verified, denied, timeout; got true.'),
    );
  });
});

const PARAMETERS = 'Expected pubKeyCredParams to be an array of credential parameters { type, alg }';

describe('a request of the wrong shape is refused with the member that is wrong', () => {
  test.each<[unknown, string]>([
    [undefined, 'Expected a request to be an object; got nothing.'],
    [{ ...makeRequest(), clientDataHash: 'text' }, 'Expected clientDataHash to be a Uint8Array; got "text".'],
    [{ ...makeRequest(), rp: undefined }, 'Expected rp to be an object; got nothing.'],
    [{ ...makeRequest(), rp: { id: 'example.com' } }, 'Expected rp.name to be a string; got nothing.'],
    [{ ...makeRequest(), user: { id: 'MQ', name: '', displayName: '' } }, 'Expected user.id to be a Uint8Array; got "MQ".'],
    [{ ...makeRequest(), pubKeyCredParams: -7 }, `${PARAMETERS}; got -7.`],
    [{ ...makeRequest(), pubKeyCredParams: [null] }, `${PARAMETERS}; got an array.`],
    [{ ...makeRequest(), pubKeyCredParams: Array(2) }, `${PARAMETERS}; got an array.`],
    [{ ...makeRequest(), pubKeyCredParams: [{ type: 'public-key', alg: Symbol('ES256') }] }, `${PARAMETERS}; got an array.`],
    [
      { ...makeRequest(), excludeCredentials: [{ id: 'AA' }] },
      'Expected excludeCredentials to be an array of credential descriptors { type, id }; got an array.',
    ],
    [
      { ...makeRequest(), excludeCredentials: Array(2) },
      'Expected excludeCredentials to be an array of credential descriptors { type, id }; got an array.',
    ],
    [{ ...makeRequest(), requireResidentKey: 'required' }, 'Expected requireResidentKey to be true or false; got "required".'],
    [{ ...makeRequest(), attestationFormats: undefined }, 'Expected attestationFormats to be an array of strings; got nothing.'],
    [{ ...makeRequest(), extensions: undefined }, 'Expected extensions to be an object; got nothing.'],
    [{ ...makeRequest(), extensions: { credProtect: 'x' } }, 'Expected extensions.credProtect to be 1, 2 or 3; got "x".'],
    [{ ...makeRequest(), extensions: { prf: true } }, 'Expected extensions.prf to be an object; got true.'],
    [
      { ...makeRequest(), extensions: { prf: { eval: { first: 'salt' } } } },
      'Expected extensions.prf.eval to be PRF inputs { first, second } as Uint8Array; got an object.',
    ],
    [
      { ...makeRequest(), extensions: { largeBlob: { support: 'yes' } } },
      'Expected extensions.largeBlob.support to be one of "required", "preferred"; got "yes".',
    ],
    [{ ...makeRequest(), signal: 7n }, 'Expected signal to be an AbortSignal; got 7n.'],
    [
      {
        ...makeRequest(),
        rp: {
          id: 'example.com',
          get name() {
            throw new Error('secret');
          },
        },
      },
      'Expected rp.name to be a string; it cannot be read.',
    ],
  ])('makeCredential %#', async (request, message) => {
    const authenticator = createAuthenticator();
    expect(await authenticator.makeCredential(untyped(request))).toEqual({ ok: false, status: 'CTAP1_ERR_INVALID_PARAMETER', message });
    expect(await authenticator.store.list()).toEqual([]);
  });

  test.each<[unknown, string]>([
    [null, 'Expected a request to be an object; got null.'],
    [{ ...getRequest(), rpId: undefined }, 'Expected rpId to be a string; got nothing.'],
    [
      { ...getRequest(), allowCredentials: ['AA'] },
      'Expected allowCredentials to be an array of credential descriptors { type, id }; got an array.',
    ],
    [
      { ...getRequest(), extensions: { prf: { evalByCredential: { AA: null } } } },
      'Expected extensions.prf.evalByCredential to be an object of PRF inputs { first, second } as Uint8Array by credential ID; got an object.',
    ],
    [{ ...getRequest(), extensions: { largeBlob: { write: 'AA' } } }, 'Expected extensions.largeBlob.write to be a Uint8Array; got "AA".'],
    [{ ...getRequest(), requireUserPresence: undefined }, 'Expected requireUserPresence to be true or false; got nothing.'],
  ])('getAssertion %#', async (request, message) => {
    const { authenticator } = await withCredential();
    expect(await authenticator.getAssertion(untyped(request))).toEqual({ ok: false, status: 'CTAP1_ERR_INVALID_PARAMETER', message });
  });
});

test('extensions that it does not know are ignored, whatever they hold', async () => {
  const extensions = untyped<object>({ 'hmac-secret': 'x', minPinLength: [null], largeBlobKey: Symbol('x'), credBlob: 7n });
  expect(await createAuthenticator().makeCredential(makeRequest({ extensions }))).toMatchObject({ ok: true });
});

test('a parameter of another type than public-key plays no part', async () => {
  const authenticator = createAuthenticator();
  const pubKeyCredParams = untyped<[]>([{ type: 'tin-foil', alg: -7 }]);
  expect(await authenticator.makeCredential(makeRequest({ pubKeyCredParams }))).toMatchObject({
    status: 'CTAP2_ERR_UNSUPPORTED_ALGORITHM',
  });
});

describe('a credential source of the wrong shape is a TypeError that names the member, and never shows the key', () => {
  const made = withCredential({}, { extensions: { prf: {} } });
  const source = async () => {
    const [held] = await (await made).authenticator.store.list();
    if (held === undefined) throw new Error('Expected a credential.');
    return held;
  };

  test.each<[object, string]>([
    [{ id: undefined }, 'Expected id of a credential source to be a Uint8Array; got nothing.'],
    [{ rpName: 7 }, 'Expected rpName of a credential source to be a string; got 7.'],
    [{ user: { id: 'MQ', name: '', displayName: '' } }, 'Expected user.id of a credential source to be a Uint8Array; got "MQ".'],
    [{ algorithm: 'ES256' }, 'Expected algorithm of a credential source to be a COSEAlgorithmIdentifier; got "ES256".'],
    [
      { privateKey: '-----BEGIN PRIVATE KEY-----' },
      'Expected privateKey of a credential source to be a Uint8Array of PKCS#8 DER; got string.',
    ],
    [{ discoverable: 'yes' }, 'Expected discoverable of a credential source to be true or false; got "yes".'],
    [{ protection: 4 }, 'Expected protection of a credential source to be 1, 2 or 3; got 4.'],
    [{ prf: { withVerification: 'secret' } }, 'Expected prf.withVerification of a credential source to be 32 bytes; got string.'],
  ])('%j', async (change, message) => {
    const wrong = { ...(await source()), ...change };
    expect(() => checkCredentialSource(untyped(wrong))).toThrow(new TypeError(message));
    expect(() => createCredentialSourceStore([untyped(wrong)])).toThrow(new TypeError(message));
  });

  test.each<[object, string]>([
    [{ id: undefined }, 'Expected id of a credential source to be a base64url text; got nothing.'],
    [{ user: undefined }, 'Expected user of a credential source to be an object; got nothing.'],
    [{ privateKey: { kty: 'EC' } }, 'Expected privateKey of a credential source to be a base64url text; got object.'],
    [{ prf: {} }, 'Expected prf.withVerification of a credential source to be a base64url text; got nothing.'],
    [{ signCount: '1' }, 'Expected signCount of a credential source to be an unsigned 32-bit integer; got "1".'],
  ])('as JSON: %j', async (change, message) => {
    const wrong = { ...credentialSourceToJson(await source()), ...change };
    expect(() => credentialSourceFromJson(untyped(wrong))).toThrow(new TypeError(message));
  });

  test('as JSON: nothing, and text that is not base64url', async () => {
    expect(() => credentialSourceFromJson(untyped(null))).toThrow(new TypeError('Expected a credential source to be an object; got null.'));
    const wrong = { ...credentialSourceToJson(await source()), id: 'a+b' };
    expect(() => credentialSourceFromJson(wrong)).toThrow(PasskeyError);
    expect(() => credentialSourceFromJson(wrong)).toThrow(/^id of a credential source: Expected base64url without padding; got "\+"/);
  });
});
