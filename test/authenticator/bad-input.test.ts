import { describe, expect, test } from 'vitest';
import { createAuthenticator } from '../../src/authenticator/authenticator.js';
import { checkCredentialSource, credentialSourceFromJson, credentialSourceToJson } from '../../src/authenticator/credential-source.js';
import { createCredentialSourceStore } from '../../src/authenticator/credential-store.js';
import type { AuthenticatorOptions } from '../../src/authenticator/settings.js';
import { makeRequest, withCredential } from './requests.js';

/** As JSON.parse gives it. */
const untyped = <T>(value: unknown): T => value as T;

describe('options out of range, or against each other, are a TypeError that says what is expected', () => {
  test.each<[AuthenticatorOptions, string]>([
    [{ aaguid: new Uint8Array(15) }, 'Expected an aaguid of 16 bytes; got 15. Use parseAaguid for text.'],
    [{ algorithms: [] }, 'Expected at least one algorithm; got none.'],
    [{ algorithms: [-999] }, 'Expected a COSE algorithm that this authenticator has, one of -7 (ES256), -8 (EdDSA), '],
    [{ algorithms: [-65535] }, '; got -65535.'],
    [{ signCount: { kind: 'global', start: -1 } }, 'Expected start of the sign counter to be 0 to 4294967295; got -1.'],
    [{ signCount: { kind: 'zero', step: 0.5 } }, 'Expected step of the sign counter to be -4294967295 to 4294967295; got 0.5.'],
    [{ credentialIdLength: 15 }, 'Expected a credentialIdLength of 16 to 1023 bytes; got 15.'],
    [{ credentialIdLength: 1024 }, 'Expected a credentialIdLength of 16 to 1023 bytes; got 1024.'],
    [{ backupState: true }, 'Expected backupState to be false while backupEligible is false; got true.'],
  ])('%o', (options, message) => {
    expect(() => createAuthenticator(options)).toThrow(TypeError);
    expect(() => createAuthenticator(options)).toThrow(message);
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
    [{ id: undefined }, 'Expected id of a credential source to be a base64url string; got nothing.'],
    [{ user: undefined }, 'Expected user of a credential source to be an object; got nothing.'],
    [{ privateKey: { kty: 'EC' } }, 'Expected privateKey of a credential source to be a base64url string; got object.'],
    [{ prf: {} }, 'Expected prf.withVerification of a credential source to be a base64url string; got nothing.'],
    [{ signCount: '1' }, 'Expected signCount of a credential source to be an unsigned 32-bit integer; got "1".'],
  ])('as JSON: %j', async (change, message) => {
    const wrong = { ...credentialSourceToJson(await source()), ...change };
    expect(() => credentialSourceFromJson(untyped(wrong))).toThrow(new TypeError(message));
  });
});
