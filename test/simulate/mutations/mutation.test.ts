import { describe, expect, test } from 'vitest';
import { createAuthenticator } from '../../../src/authenticator/authenticator.js';
import type { AuthenticatorTraits } from '../../../src/authenticator/settings.js';
import { createClient } from '../../../src/client/client.js';
import { explain } from '../../../src/explain/library.js';
import { mutateAuthentication, mutateRegistration } from '../../../src/simulate/mutations/mutate.js';
import { findMutation, listMutations } from '../../../src/simulate/mutations/mutation.js';
import { encodeBase64url } from '../../../src/webauthn/base64url.js';
import type { PublicKeyCredentialCreationOptionsJSON } from '../../../src/webauthn/json.js';

const origin = 'https://app.example';
const challenge = encodeBase64url(new Uint8Array(32).fill(7));
const creation: PublicKeyCredentialCreationOptionsJSON = {
  rp: { id: 'app.example', name: 'App' },
  user: { id: encodeBase64url(Uint8Array.of(1, 2, 3)), name: 'ada@app.example', displayName: 'Ada' },
  challenge,
  pubKeyCredParams: [
    { type: 'public-key', alg: -7 },
    { type: 'public-key', alg: -257 },
  ],
};
const request = { challenge, rpId: 'app.example' };

async function holder(traits: AuthenticatorTraits = {}) {
  const authenticator = createAuthenticator({ alwaysDiscoverable: true, ...traits });
  await createClient({ authenticator, origin }).create({ publicKey: creation });
  return authenticator;
}

describe('findMutation', () => {
  test('describes a mutation by its whole id', () => {
    expect(findMutation('login.signature-bit')).toMatchObject({
      id: 'login.signature-bit',
      ceremony: 'authentication',
      title: 'one bit of the signature flipped',
      expected: 'refused',
      code: 'signature_invalid',
      tests: { section: '7.2', number: 21, slug: 'signature' },
      why: expect.stringContaining('only proof'),
      requires: [],
    });
  });

  test('has one of the two endpoints of a login, and a change that one of them has alone', () => {
    expect(findMutation('signature-bit').id).toBe('login.signature-bit');
    expect(findMutation('counter-zero')).toMatchObject({ id: 'verify.counter-zero', code: 'counter_regressed' });
    expect(() => findMutation('verify.signature-bit')).toThrow(expect.objectContaining({ code: 'usage' }));
  });

  test('takes what stands behind the first dot, where that is one mutation', () => {
    expect(findMutation('signature-bit').id).toBe('login.signature-bit');
    expect(findMutation('origin-other-site', 'registration').id).toBe('register.origin-other-site');
    expect(findMutation('origin-other-site', 'authentication').id).toBe('login.origin-other-site');
  });

  test.each([
    ['origin-other-site', undefined, 'Name one of them: register.origin-other-site, login.origin-other-site.'],
    ['signatur-bit', undefined, 'There is no mutation "signatur-bit". Did you mean signature-bit'],
    ['login.signature-bits', undefined, 'Did you mean login.signature-bit?'],
    [
      'signature-bit',
      'registration',
      'Expected a mutation of a registration, got "signature-bit" of an authentication. Choose another, or give request options.',
    ],
    ['zzzz', 'registration', 'There is no mutation "zzzz" of a registration. `passkey credential answer --list-tampers` lists them.'],
  ] as const)('%s of %s is no mutation', (id, ceremony, message) => {
    expect(() => findMutation(id, ceremony)).toThrow(expect.objectContaining({ code: 'usage', message: expect.stringContaining(message) }));
  });

  test('says what the relying party must be like, and what others may decide otherwise', () => {
    expect(findMutation('register.packed-self-signed-certificate').requires).toContain(
      'it trusts the root of `passkey attestation-root`, and no other',
    );
    expect(findMutation('register.raw-id-missing').disputed).toBe('tests the HTTP contract of passkey serve');
  });

  test('lists those of one ceremony', () => {
    expect(new Set(listMutations('registration').map(({ ceremony }) => ceremony))).toEqual(new Set(['registration']));
    expect(listMutations()).toHaveLength(listMutations('registration').length + listMutations('authentication').length);
  });
});

describe('a mutation that does not apply', () => {
  test.each<[id: string, options: Partial<PublicKeyCredentialCreationOptionsJSON>, reason: string]>([
    ['register.attestation-signature', {}, 'the options ask for attestation "none"; "direct" is needed'],
    ['register.user-not-verified', {}, 'the options ask for user verification "preferred"; "required" is needed'],
    ['register.ps256', {}, 'the options do not offer PS256'],
    [
      'register.security-key',
      { authenticatorSelection: { authenticatorAttachment: 'platform' } },
      'the options ask for a platform authenticator',
    ],
    ['register.top-origin-other', {}, 'it needs a top-level origin that the relying party accepts (topOrigin)'],
  ])('%s says why', async (id, options, reason) => {
    await expect(mutateRegistration({ id, origin, options: { ...creation, ...options } })).rejects.toMatchObject({
      code: 'not_applicable',
      message: `The mutation ${id} does not apply here: ${reason}.`,
    });
  });

  test.each<[id: string, traits: AuthenticatorTraits, reason: string]>([
    ['login.rs256-with-pss', {}, 'it needs a credential of RS256, and this one is of ES256'],
    ['login.backup-eligibility-lost', {}, 'it needs a credential that is eligible for backup'],
    ['login.backup-state-without-eligibility', { backupEligible: true }, 'it needs a credential that is not eligible for backup'],
    ['login.backup-eligibility-gained', { backupEligible: true }, 'it would not change the response'],
    ['verify.counter-zero', {}, 'it needs an authenticator that counts its signatures and has counted before; the count of this one is 0'],
    ['login.user-handle-absent', {}, 'the options name no credential (allowCredentials)'],
    ['login.user-not-verified', {}, 'the options ask for user verification "preferred"; "required" is needed'],
  ])('%s says why', async (id, traits, reason) => {
    await expect(mutateAuthentication({ id, origin, options: request, credential: await holder(traits) })).rejects.toMatchObject({
      code: 'not_applicable',
      message: `The mutation ${id} does not apply here: ${reason}.`,
    });
  });

  test('options that no browser answers are a mistake of usage', async () => {
    const asked = { id: 'register.origin-other-site', options: creation, origin: 'https://elsewhere.example' };
    await expect(mutateRegistration(asked)).rejects.toMatchObject({ code: 'usage', message: expect.stringContaining('SecurityError') });
  });
});

describe('an attested registration', () => {
  test.each(['packed', 'packed-x5c', 'tpm', 'android-key', 'apple', 'compound'] as const)(
    'with %s is attested again, so that only the change is wrong',
    async (attestation) => {
      const options = { ...creation, attestation: 'direct' };
      const { response } = await mutateRegistration({ id: 'origin-other-site', options, origin, authenticator: { attestation } });
      const { steps } = await explain(response, { rpId: 'app.example', origin: [origin], challenge, at: new Date() });
      expect(steps.filter(({ status }) => status === 'fail').map(({ slug }) => slug)).toEqual(['origin']);
      expect(steps).toContainEqual(expect.objectContaining({ slug: 'attestation-statement', status: 'pass' }));
    },
  );

  test('whose statement is what is changed keeps the change', async () => {
    const options = { ...creation, attestation: 'direct' };
    const { response } = await mutateRegistration({ id: 'attestation-signature', options, origin });
    const { steps } = await explain(response, { rpId: 'app.example', origin: [origin], challenge, at: new Date() });
    expect(steps.filter(({ status }) => status === 'fail').map(({ slug }) => slug)).toEqual(['attestation-statement']);
  });
});

describe('a credential of its own', () => {
  test('answers, whether it is given alone or with its authenticator', async () => {
    const authenticator = await holder();
    const [credential] = await authenticator.store.list();
    if (credential === undefined) throw new TypeError('Expected a credential.');
    for (const given of [credential, authenticator]) {
      const { response } = await mutateAuthentication({ id: 'signature-bit', options: request, origin, credential: given });
      expect(response).toMatchObject({ id: encodeBase64url(credential.id), response: { userHandle: creation.user.id } });
    }
  });

  test('of another algorithm answers where the change means the same for it', async () => {
    const asked = { options: request, origin, credential: await holder({ algorithms: [-257] }) };
    for (const id of ['signature-bit', 'signature-empty', 'signature-cut', 'signature-zero-bytes']) {
      await expect(mutateAuthentication({ id, ...asked })).resolves.toHaveProperty('response.response.signature');
    }
    await expect(mutateAuthentication({ id: 'signature-raw', ...asked })).rejects.toMatchObject({ code: 'not_applicable' });
  });

  test('of a registration is given back', async () => {
    const { response, credential } = await mutateRegistration({ id: 'origin-other-site', options: creation, origin });
    expect(response).toMatchObject({ id: encodeBase64url(credential.id) });
    expect(credential).toMatchObject({ rpId: 'app.example', algorithm: -7 });
  });
});
