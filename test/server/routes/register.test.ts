import { describe, expect } from 'vitest';
import { decodeUtf8 } from '../../../src/kernel/bytes.js';
import { decodeBase64url, encodeBase64, encodeBase64url } from '../../../src/webauthn/base64url.js';
import { APP_ORIGIN, APP_URL, OWN_ORIGIN, Service } from '../app.js';
import { test } from '../service-test.js';

describe('POST /api/passkeys/register/options', () => {
  test('answers the listed members and nothing else on a first registration', async ({ service }) => {
    const reply = await service.post('/api/passkeys/register/options', { app_name: 'My App', app_url: APP_URL });
    expect(reply.statusCode).toBe(200);
    expect(reply.headers['content-type']).toMatch(/^application\/json/);
    expect(reply.json()).toEqual({
      challenge: expect.stringMatching(/^[A-Za-z0-9_-]{43}$/),
      rp: { name: 'My App', id: 'app.example.com' },
      user: { id: encodeBase64url(new TextEncoder().encode('1')), name: 'ada@example.com', displayName: 'Ada Lovelace' },
      pubKeyCredParams: [
        { type: 'public-key', alg: -7 },
        { type: 'public-key', alg: -257 },
      ],
      timeout: 60_000,
      attestation: 'none',
      authenticatorSelection: { residentKey: 'preferred', userVerification: 'preferred' },
    });
  });

  test.each([
    ['https://example.com', 'example.com'],
    ['https://EXAMPLE.com:8443/path?q#f', 'example.com'],
    ['https://müller.example/', 'xn--mller-kva.example'],
    ['http://localhost:3000', 'localhost'],
    ['HTTPS://user:secret@example.com', 'example.com'],
  ])('rp.id of %s is %s', async (app_url, rpId) => {
    await using service = await Service.start();
    const reply = await service.post('/api/passkeys/register/options', { app_name: 'A', app_url });
    expect(reply.json().rp.id).toBe(rpId);
  });

  test.each([
    ['no body at all', undefined, ['/app_name', '/app_url']],
    ['an empty name', { app_name: '', app_url: APP_URL }, ['/app_name']],
    ['a name of 256 characters', { app_name: 'é'.repeat(256), app_url: APP_URL }, ['/app_name']],
    ['a name that is a number', { app_name: 5, app_url: APP_URL }, ['/app_name']],
    ['a relative URL', { app_name: 'A', app_url: '/path' }, ['/app_url']],
    ['a URL without slashes', { app_name: 'A', app_url: 'https:example.com' }, ['/app_url']],
    ['a URL of another scheme', { app_name: 'A', app_url: 'ftp://example.com' }, ['/app_url']],
    ['a URL with a line break', { app_name: 'A', app_url: 'https://example\n.com' }, ['/app_url']],
    ['a URL without a host', { app_name: 'A', app_url: 'https://' }, ['/app_url']],
    ['a URL of 2049 characters', { app_name: 'A', app_url: `https://example.com/${'a'.repeat(2029)}` }, ['/app_url']],
    ['null', null, ['']],
    ['an array', [], ['']],
    ['both wrong', { app_name: null, app_url: 7 }, ['/app_name', '/app_url']],
  ])('refuses %s and names every field', async (_what, body, pointers) => {
    await using service = await Service.start();
    const reply = await service.post('/api/passkeys/register/options', body);
    expect(reply.statusCode).toBe(422);
    const problem = reply.json();
    expect(problem.code).toBe('validation_failed');
    expect(problem.errors.map(({ pointer }: { pointer: string }) => pointer).sort()).toEqual(pointers);
  });

  test.each([
    ['a name of 1 character', { app_name: 'A', app_url: APP_URL }],
    ['a name of 255 characters', { app_name: '😀'.repeat(255), app_url: APP_URL }],
    ['a URL of 2048 characters', { app_name: 'A', app_url: `https://example.com/${'a'.repeat(2028)}` }],
    ['further members', { app_name: 'A', app_url: APP_URL, more: 1, __proto__: { x: 1 } }],
  ])('takes %s', async (_what, body) => {
    await using service = await Service.start();
    expect((await service.post('/api/passkeys/register/options', body)).statusCode).toBe(200);
  });

  describe('an IP address as host', () => {
    test.each([
      ['http://127.0.0.1:3000', '127.0.0.1'],
      ['http://[::1]:3000', '[::1]'],
    ])('%s is taken in development', async (app_url, rpId) => {
      await using service = await Service.start();
      const reply = await service.post('/api/passkeys/register/options', { app_name: 'A', app_url });
      expect(reply.statusCode).toBe(200);
      expect(reply.json().rp.id).toBe(rpId);
    });

    test.each([
      ['another in development', 'http://192.168.1.5', 'development'],
      ['loopback in production', 'http://127.0.0.1:3000', 'production'],
      ['IPv6 loopback in production', 'http://[::1]', 'production'],
      ['another in production', 'https://10.0.0.1', 'production'],
      ['one in decimal', 'http://3232235781', 'development'],
    ] as const)('%s is refused with the reason', async (_what, app_url, mode) => {
      await using service = await Service.start({ settings: { mode } });
      const reply = await service.post('/api/passkeys/register/options', { app_name: 'A', app_url });
      expect(reply.statusCode).toBe(422);
      expect(reply.json()).toMatchObject({
        code: 'validation_failed',
        errors: [{ pointer: '/app_url', detail: expect.stringContaining('which browsers refuse as RP ID') }],
      });
    });
  });

  test.each([
    ['development', 200, 'localhost'],
    ['production', 403, undefined],
  ] as const)('with --origin, an app_url of the server itself is answered in %s with %i', async (mode, status, rpId) => {
    await using service = await Service.start({ settings: { mode, origins: [APP_ORIGIN] } });
    const begun = await service.post('/api/passkeys/register/options', { app_name: 'A', app_url: OWN_ORIGIN });
    expect([begun.statusCode, begun.json().rp?.id]).toEqual([status, rpId]);
  });

  test('with --origin, another origin is refused; the path does not matter', async () => {
    await using service = await Service.start({ settings: { origins: [APP_ORIGIN] } });
    const taken = await service.post('/api/passkeys/register/options', { app_name: 'A', app_url: APP_URL });
    expect(taken.statusCode).toBe(200);
    for (const app_url of [
      'https://example.com',
      'http://app.example.com',
      'https://app.example.com:8443',
      'https://app.example.com.evil.test',
    ]) {
      const refused = await service.post('/api/passkeys/register/options', { app_name: 'A', app_url });
      expect(refused.statusCode).toBe(403);
      expect(refused.json().code).toBe('origin_not_allowed');
    }
  });

  test('user.id names the type unless it is the default one, and is fixed at the first registration', async ({ service }) => {
    const owner = await service.accounts.addOwner({ email: 'php@example.com', name: 'Php', type: 'App\\Models\\User', id: 7 });
    const { token } = await service.accounts.createToken({ owner });
    const reply = await service.post('/api/passkeys/register/options', { app_name: 'A', app_url: APP_URL }, { token });
    expect(decodeUtf8(decodeBase64url(reply.json().user.id))).toBe('App\\Models\\User:7');
    await expect(service.accounts.findOwner(owner)).resolves.toMatchObject({ userHandle: new TextEncoder().encode('App\\Models\\User:7') });
  });
});

describe('POST /api/passkeys/register', () => {
  test('stores the passkey and shows id, label, credential_id and created_at, nothing else', async ({ service }) => {
    const response = await service.attest();
    const reply = await service.post('/api/passkeys/register', { label: 'My phone', ...response });
    expect(reply.statusCode).toBe(200);
    expect(reply.json()).toEqual({
      passkey: {
        id: 1,
        label: 'My phone',
        credential_id: encodeBase64(decodeBase64url(response.id)),
        created_at: '2026-01-15T10:30:00.000000Z',
      },
    });
    await expect(service.relyingParty.find(1)).resolves.toMatchObject({
      owner: { type: 'User', id: 1 },
      rpId: 'app.example.com',
      origin: APP_ORIGIN,
      authenticatorAttachment: 'platform',
      credential: { transports: ['internal'] },
    });
  });

  test('takes null for what browsers need not send', async ({ service }) => {
    const { id, rawId, type, response } = await service.attest();
    const { clientDataJSON, attestationObject } = response;
    const nothing = { authenticatorAttachment: null, clientExtensionResults: null };
    const reply = await service.post('/api/passkeys/register', {
      id,
      rawId,
      type,
      response: { clientDataJSON, attestationObject, transports: null },
      ...nothing,
    });
    expect(reply.statusCode).toBe(200);
    const login = await service.post('/api/passkeys/login', { ...(await service.assert(id)), ...nothing }, { token: null });
    expect(login.statusCode).toBe(200);
  });
});
