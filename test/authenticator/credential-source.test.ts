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

describe('the credential source store', () => {
  test('takes no change that makes a source unusable', async () => {
    const store = createCredentialSourceStore([sample]);
    await expect(store.update(RP_ID, sample.id, (source) => ({ ...source, signCount: -1 }))).rejects.toThrow(TypeError);
    expect(await store.list()).toEqual([sample]);
    expect(() => createCredentialSourceStore([{ ...sample, rpId: '' }])).toThrow(TypeError);
  });
});
