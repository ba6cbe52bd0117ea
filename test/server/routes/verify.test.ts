import { describe, expect } from 'vitest';
import { encodeBase64 } from '../../../src/webauthn/base64url.js';
import { OWN_ORIGIN, RP_ID, Service } from '../app.js';
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
