import { describe, expect } from 'vitest';
import { createClient } from '../../../src/client/client.js';
import { decodeBase64url, encodeBase64 } from '../../../src/webauthn/base64url.js';
import { APP_ORIGIN, OWN_ORIGIN, RP_ID, Service } from '../app.js';
import { test } from '../service-test.js';

describe('POST /api/passkeys/verify/options', () => {
  test('answers challenge, the one credential, timeout and userVerification, nothing else', async ({ service }) => {
    const { credentialId, passkey } = await service.register();
    for (const credential_id of [passkey.credential_id, credentialId]) {
      const reply = await service.post('/api/passkeys/verify/options', { credential_id }, { token: null });
      expect(reply.statusCode).toBe(200);
      expect(reply.json()).toEqual({
        challenge: expect.stringMatching(/^[A-Za-z0-9_-]{43}$/),
        allowCredentials: [{ id: credentialId, type: 'public-key', transports: ['internal'] }],
        timeout: 60_000,
        userVerification: 'preferred',
      });
    }
  });

  test('leaves transports out where the registration gave none', async ({ service }) => {
    const response = await service.attest();
    const { transports: _transports, ...inner } = response.response;
    await service.post('/api/passkeys/register', { ...response, response: inner });
    const reply = await service.post('/api/passkeys/verify/options', { credential_id: response.id }, { token: null });
    expect(reply.json().allowCredentials).toEqual([{ id: response.id, type: 'public-key' }]);
  });

  test.each([
    ['unknown', encodeBase64(new Uint8Array(32))],
    ['empty', ''],
    ['not canonical', 'AB'],
    ['a lone character', 'A'],
    ['longer than any credential ID', encodeBase64(new Uint8Array(2000))],
  ])('an ID that is %s is a 404', async (_what, credential_id) => {
    await using service = await Service.start();
    const reply = await service.post('/api/passkeys/verify/options', { credential_id }, { token: null });
    expect([reply.statusCode, reply.json().code]).toEqual([404, 'passkey_not_found']);
  });

  test.each(['development', 'production'] as const)('a revoked passkey is a 404, and says so in development mode: %s', async (mode) => {
    await using service = await Service.start({ settings: { mode } });
    const { credentialId, passkey } = await service.register();
    await service.relyingParty.revoke(passkey.id, {});
    const reply = await service.post('/api/passkeys/verify/options', { credential_id: credentialId }, { token: null });
    expect([reply.statusCode, reply.json().code]).toEqual([404, 'passkey_not_found']);
    expect(reply.json().detail).toEqual(mode === 'development' ? expect.stringContaining('was revoked') : undefined);
  });

  test.each([
    ['missing', {}],
    ['null', { credential_id: null }],
    ['a number', { credential_id: 5 }],
    ['outside both alphabets', { credential_id: 'AAA!' }],
    ['padded in the middle', { credential_id: 'AA=A' }],
  ])('an ID that is %s is a 422 at /credential_id', async (_what, body) => {
    await using service = await Service.start();
    const reply = await service.post('/api/passkeys/verify/options', body, { token: null });
    expect(reply.statusCode).toBe(422);
    expect(reply.json()).toMatchObject({ code: 'validation_failed', errors: [{ pointer: '/credential_id' }] });
  });
});

describe('POST /api/passkeys/verify', () => {
  test('answers whose passkey it is, and no more', async ({ service }) => {
    const { credentialId } = await service.register();
    const reply = await service.post('/api/passkeys/verify', await service.assert(credentialId), { token: null });
    expect(reply.statusCode).toBe(200);
    expect(reply.json()).toEqual({ passkeeable_id: 1, passkeeable_type: 'User', passkey: { id: 1 } });
    expect(reply.headers).not.toHaveProperty('set-cookie');
  });

  test('the type name of an owner round-trips', async () => {
    await using service = await Service.start({ settings: { ownerType: 'App\\Models\\User' } });
    const { credentialId } = await service.register();
    const reply = await service.post('/api/passkeys/verify', await service.assert(credentialId), { token: null });
    expect(reply.json().passkeeable_type).toBe('App\\Models\\User');
  });

  test('takes a user handle that is null or absent where the credential was named', async ({ service }) => {
    const { credentialId } = await service.register();
    const one = await service.assert(credentialId);
    const withNull = await service.post(
      '/api/passkeys/verify',
      { ...one, response: { ...one.response, userHandle: null } },
      { token: null },
    );
    expect(withNull.statusCode).toBe(200);
    const two = await service.assert(credentialId);
    const { userHandle: _userHandle, ...inner } = two.response;
    const without = await service.post('/api/passkeys/verify', { ...two, response: inner }, { token: null });
    expect(without.statusCode).toBe(200);
  });

  test('an assertion that does not verify is a 401 with the failed check, its step and WWW-Authenticate', async ({ service }) => {
    const { credentialId } = await service.register();
    const assertion = await service.assert(credentialId);
    const signature = decodeBase64url(assertion.response.signature);
    signature[signature.length - 1] = (signature.at(-1) ?? 0) ^ 1;
    const reply = await service.post(
      '/api/passkeys/verify',
      { ...assertion, response: { ...assertion.response, signature: encodeBase64(signature) } },
      { token: null },
    );
    expect(reply.statusCode).toBe(401);
    expect(reply.headers['www-authenticate']).toBe('Bearer realm="passkey"');
    expect(reply.json()).toMatchObject({ status: 401, code: 'signature_invalid', step: { section: '7.2', slug: expect.any(String) } });
  });

  test('an unknown ID is a 404 and spends no challenge; rawId must be the same bytes', async ({ service }) => {
    const { credentialId } = await service.register();
    const assertion = await service.assert(credentialId);
    const unknown = encodeBase64(new Uint8Array(32));

    const other = await service.post('/api/passkeys/verify', { ...assertion, id: unknown, rawId: unknown }, { token: null });
    expect([other.statusCode, other.json().code]).toEqual([404, 'passkey_not_found']);
    const lookUpFirst = await service.post('/api/passkeys/verify', { ...assertion, id: unknown }, { token: null });
    expect(lookUpFirst.statusCode).toBe(404);
    const differs = await service.post('/api/passkeys/verify', { ...assertion, rawId: unknown }, { token: null });
    expect(differs.statusCode).toBe(422);
    expect(differs.json()).toMatchObject({ code: 'validation_failed', errors: [{ pointer: '/rawId' }] });

    const good = await service.post('/api/passkeys/verify', assertion, { token: null });
    expect(good.statusCode).toBe(200);
  });

  test('the first response that reaches the challenge spends it, verified or not', async ({ service }) => {
    const { credentialId } = await service.register();
    const assertion = await service.assert(credentialId);
    const broken = { ...assertion, response: { ...assertion.response, signature: 'AAAA' } };
    expect((await service.post('/api/passkeys/verify', broken, { token: null })).json().code).toBe('signature_invalid');
    const reply = await service.post('/api/passkeys/verify', assertion, { token: null });
    expect([reply.statusCode, reply.json().code]).toEqual([401, 'challenge_used']);
  });

  test('of two racing responses one wins', async ({ service }) => {
    const { credentialId } = await service.register();
    const assertion = await service.assert(credentialId);
    const replies = await Promise.all([1, 2].map(() => service.post('/api/passkeys/verify', assertion, { token: null })));
    expect(replies.map(({ statusCode }) => statusCode).sort((a, b) => a - b)).toEqual([200, 401]);
  });

  test('a passkey revoked meanwhile is a 404', async ({ service }) => {
    const { credentialId, passkey } = await service.register();
    const assertion = await service.assert(credentialId);
    await service.relyingParty.revoke(passkey.id, {});
    expect((await service.post('/api/passkeys/verify', assertion, { token: null })).statusCode).toBe(404);
  });

  test('an origin of --origin that fits the rp.id is accepted too, another is not', async () => {
    const login = 'https://login.app.example.com';
    await using service = await Service.start({ settings: { origins: [APP_ORIGIN, login] } });
    const { credentialId } = await service.register();
    for (const [origin, status] of [
      [login, 200],
      ['https://other.app.example.com', 401],
    ] as const) {
      const options = await service.post('/api/passkeys/verify/options', { credential_id: credentialId }, { token: null });
      const client = createClient({ authenticator: service.authenticator, origin });
      const assertion = await client.get({ publicKey: { rpId: RP_ID, ...options.json() } });
      expect((await service.post('/api/passkeys/verify', assertion, { token: null })).statusCode).toBe(status);
    }
  });

  test('the own origin is nothing special to a passkey of another', async ({ service }) => {
    const { credentialId } = await service.register();
    const options = await service.post(
      '/api/passkeys/verify/options',
      { credential_id: credentialId },
      { headers: { origin: OWN_ORIGIN } },
    );
    const assertion = await service.client.get({ publicKey: { rpId: RP_ID, ...options.json() } });
    expect((await service.post('/api/passkeys/verify', assertion, { token: null })).statusCode).toBe(200);
  });
});
