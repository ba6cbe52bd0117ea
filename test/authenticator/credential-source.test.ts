import { describe, expect, test } from 'vitest';
import { signingAlgorithm } from '../../src/authenticator/algorithms.js';
import { createAuthenticator } from '../../src/authenticator/authenticator.js';
import {
  type CredentialSource,
  checkCredentialSource,
  credentialSourceFromJson,
  credentialSourceToJson,
} from '../../src/authenticator/credential-source.js';
import { createCredentialSourceStore } from '../../src/authenticator/credential-store.js';
import { PasskeyError } from '../../src/errors.js';
import { fc } from '../properties.js';
import { getRequest, granted, quickKeys, RP_ID, systemRandom, user, withCredential } from './requests.js';

const privateKey = await quickKeys(signingAlgorithm(-7));
const sample: CredentialSource = {
  id: systemRandom(32),
  rpId: RP_ID,
  rpName: 'Example',
  user: user('1'),
  algorithm: -7,
  privateKey,
  discoverable: true,
  signCount: 0,
  backupEligible: false,
  backupState: false,
};

const bytes = (minLength: number, maxLength: number) => fc.uint8Array({ minLength, maxLength });
const sources = fc
  .record({
    id: bytes(1, 1023),
    rpId: fc.domain(),
    rpName: fc.string({ unit: 'grapheme' }),
    user: fc.record({ id: bytes(1, 64), name: fc.string({ unit: 'grapheme' }), displayName: fc.string() }),
    discoverable: fc.boolean(),
    signCount: fc.nat(0xffffffff),
    backup: fc.constantFrom([false, false], [true, false], [true, true]),
    protection: fc.option(fc.constantFrom<1 | 2 | 3>(1, 2, 3), { nil: undefined }),
    prf: fc.option(fc.record({ withVerification: bytes(32, 32), withoutVerification: bytes(32, 32) }), { nil: undefined }),
    largeBlob: fc.option(bytes(0, 100), { nil: undefined }),
  })
  .map(
    ({ backup: [backupEligible = false, backupState = false], protection, prf, largeBlob, ...rest }): CredentialSource => ({
      ...rest,
      algorithm: -7,
      privateKey,
      backupEligible,
      backupState,
      ...(protection && { protection }),
      ...(prf && { prf }),
      ...(largeBlob && { largeBlob }),
    }),
  );

describe('a credential source as JSON', () => {
  test('survives the way to disk and back', () => {
    fc.assert(
      fc.property(sources, (source) => {
        const text = JSON.stringify(credentialSourceToJson(source));
        expect(credentialSourceFromJson(JSON.parse(text))).toEqual(source);
      }),
    );
  });

  test('moves a passkey to another authenticator', async () => {
    const { authenticator: old, id } = await withCredential({ signCount: { kind: 'per-credential', start: 41 } });
    const [source] = await old.store.list();
    if (source === undefined) throw new Error('Expected a credential.');
    const store = createCredentialSourceStore([credentialSourceFromJson(credentialSourceToJson(source))]);
    const authenticator = createAuthenticator({ store, signCount: { kind: 'global' } });
    expect(granted(await authenticator.getAssertion(getRequest())).credentialId).toEqual(id);
    expect(await store.list()).toMatchObject([{ signCount: 42 }]);
  });

  const json = credentialSourceToJson(sample);
  test.each([
    ['another type', { ...json, type: 'password' as 'public-key' }, TypeError, /type "public-key"; got "password"/],
    ['text that is not base64url', { ...json, id: 'a+b' }, PasskeyError, /position 1|"\+"/],
  ])('refuses %s', (_, wrong, error, message) => {
    expect(() => credentialSourceFromJson(wrong)).toThrow(error);
    expect(() => credentialSourceFromJson(wrong)).toThrow(message);
  });
});

describe('checkCredentialSource', () => {
  const wrong: [string, Partial<CredentialSource>, RegExp][] = [
    ['an empty ID', { id: new Uint8Array() }, /Expected id .* 1 to 1023 bytes long; got 0 bytes/],
    ['an ID that is too long', { id: new Uint8Array(1024) }, /got 1024 bytes/],
    ['no RP ID', { rpId: '' }, /Expected rpId .* a host name; got ""/],
    ['a user handle that is too long', { user: user('x'.repeat(65)) }, /user\.id .* 1 to 64 bytes long; got 65 bytes/],
    ['no user handle in a discoverable one', { user: user('') }, /user\.id/],
    ['a negative sign count', { signCount: -1 }, /signCount .* unsigned 32-bit integer; got -1/],
    ['a sign count over 32 bits', { signCount: 2 ** 32 }, /signCount/],
    ['a backup without eligibility', { backupState: true }, /backupState .* false while backupEligible is false/],
    ['an unknown algorithm', { algorithm: -65535 }, /got -65535/],
    ['a key of another kind', { algorithm: -8 }, /kind "Ed25519" for EdDSA/],
  ];
  test.each(wrong)('refuses %s', (_, change, message) => {
    const check = () => checkCredentialSource({ ...sample, ...change });
    expect(check).toThrow(TypeError);
    expect(check).toThrow(message);
    // The key is nobody's business.
    expect(check).not.toThrow(Buffer.from(privateKey).toString('base64url').slice(0, 20));
  });
});

describe('the message about a member', () => {
  const full = { ...sample, prf: { withVerification: systemRandom(32), withoutVerification: systemRandom(32) } };
  const about = (member: string, expected: string, got: string) =>
    `Expected ${member} of a credential source to be ${expected}; got ${got}.`;
  const long = 'x'.repeat(61);
  test.each<[change: object, message: string]>([
    [{ id: 'AAAA' }, about('id', 'a Uint8Array', '"AAAA"')],
    [{ rpId: 5 }, about('rpId', 'a host name', '5')],
    [{ rpName: null }, about('rpName', 'a string', 'null')],
    [{ user: long }, about('user', 'an object', `"${'x'.repeat(60)}"`)],
    [{ user: { ...sample.user, id: [1] } }, about('user.id', 'a Uint8Array', 'an object')],
    [{ user: { ...sample.user, name: false } }, about('user.name', 'a string', 'false')],
    [{ user: { ...sample.user, displayName: {} } }, about('user.displayName', 'a string', 'an object')],
    [{ algorithm: 1.5 }, about('algorithm', 'a COSEAlgorithmIdentifier', '1.5')],
    [{ privateKey: 'secret' }, about('privateKey', 'a Uint8Array of PKCS#8 DER', 'string')],
    [{ discoverable: 1 }, about('discoverable', 'true or false', '1')],
    [{ signCount: undefined }, about('signCount', 'an unsigned 32-bit integer', 'nothing')],
    [{ backupEligible: 'no' }, about('backupEligible', 'true or false', '"no"')],
    [{ backupState: null }, about('backupState', 'true or false', 'null')],
    [{ protection: 4 }, about('protection', '1, 2 or 3', '4')],
    [{ prf: 3 }, about('prf', 'an object', '3')],
    [{ prf: { ...full.prf, withVerification: new Uint8Array(31) } }, about('prf.withVerification', '32 bytes', 'object')],
    [{ prf: { ...full.prf, withoutVerification: new Uint8Array(33) } }, about('prf.withoutVerification', '32 bytes', 'object')],
    [{ largeBlob: 'x' }, about('largeBlob', 'a Uint8Array', '"x"')],
    [{ credBlob: new Uint8Array(33) }, about('credBlob', 'at most 32 bytes', '33 bytes')],
    [{ hidden: 0 }, about('hidden', 'true or false', '0')],
    [{ user: user('x'.repeat(65)) }, about('user.id', '1 to 64 bytes long', '65 bytes')],
    [{ id: new Uint8Array() }, about('id', '1 to 1023 bytes long', '0 bytes')],
    [{ backupState: true }, about('backupState', 'false while backupEligible is false', 'true')],
  ])('%#', (change, message) => {
    expect(() => checkCredentialSource({ ...full, ...change })).toThrow(new TypeError(message));
  });

  const json = credentialSourceToJson(full);
  test.each<[value: object, message: string]>([
    [{ ...json, id: undefined }, about('id', 'a base64url string', 'nothing')],
    [{ ...json, privateKey: { kty: 'EC' } }, about('privateKey', 'a base64url string', 'object')],
    [{ ...json, user: null }, about('user', 'an object', 'null')],
    [{ ...json, user: { ...json.user, id: 7 } }, about('user.id', 'a base64url string', 'number')],
    [{ ...json, prf: { ...json.prf, withVerification: true } }, about('prf.withVerification', 'a base64url string', 'boolean')],
    [{ ...json, largeBlob: null }, about('largeBlob', 'a base64url string', 'object')],
    [{ ...json, type: undefined }, 'Expected a credential source with type "public-key"; got nothing.'],
  ])('in JSON, %#', (value, message) => {
    expect(() => credentialSourceFromJson(value as typeof json)).toThrow(new TypeError(message));
  });

  test('in JSON that is no object', () => {
    for (const [value, got] of [
      [null, 'null'],
      [[], 'an object'],
      ['x', '"x"'],
    ] as const) {
      const read = () => credentialSourceFromJson(value as never);
      expect(read).toThrow(new TypeError(`Expected a credential source to be an object; got ${got}.`));
    }
  });

  test('that is not base64url names the member and keeps the cause', () => {
    const refused = (() => {
      try {
        return credentialSourceFromJson({ ...json, user: { ...json.user, id: 'a+b' } });
      } catch (error) {
        return error;
      }
    })();
    if (!(refused instanceof PasskeyError) || !(refused.cause instanceof PasskeyError)) throw new Error('Expected a cause.');
    expect(refused.message).toBe(`user.id of a credential source: ${refused.cause.message}`);
    expect(refused.code).toBe(refused.cause.code);
  });

  test('both limits of a length are inside', () => {
    const ends = [
      { id: new Uint8Array(1) },
      { id: new Uint8Array(1023) },
      { user: user('x'.repeat(64)) },
      { credBlob: new Uint8Array(32) },
      { credBlob: new Uint8Array() },
      { discoverable: false, user: user('') },
      { protection: 1 as const },
      { protection: 3 as const },
    ].map((change) => ({ ...full, ...change }));
    for (const source of ends) expect(checkCredentialSource(source)).toBe(source);
  });
});

describe('the credential source store', () => {
  test('takes no change that makes a source unusable', async () => {
    const store = createCredentialSourceStore([sample]);
    await expect(store.update(RP_ID, sample.id, (source) => ({ ...source, signCount: -1 }))).rejects.toThrow(TypeError);
    expect(await store.list()).toEqual([sample]);
    expect(() => createCredentialSourceStore([{ ...sample, rpId: '' }])).toThrow(TypeError);
  });
});
