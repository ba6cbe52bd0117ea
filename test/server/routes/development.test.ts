import { describe, expect } from 'vitest';
import { decodeUtf8 } from '../../../src/kernel/bytes.js';
import { PRESETS } from '../../../src/page/setup/presets.js';
import type { ServerSettings } from '../../../src/server/settings.js';
import { ALGORITHMS } from '../../../src/webauthn/algorithms.js';
import { decodeBase64url } from '../../../src/webauthn/base64url.js';
import { lookTogether, OWN_ORIGIN, Service } from '../app.js';
import { test } from '../service-test.js';

type Peer = { remoteAddress?: string; headers?: Record<string, string> };

const REFUSED: [string, Peer, Partial<ServerSettings>][] = [
  ['a peer that is not loopback', { remoteAddress: '192.168.1.9' }, {}],
  ['a Host that is a name of this machine', { headers: { host: 'own.test:7277' } }, { allowedHosts: ['own.test'] }],
  ['a Host that only starts like it', { headers: { host: 'localhost.test' } }, { allowedHosts: ['localhost.test'] }],
  ['a Forwarded header', { headers: { forwarded: 'for=127.0.0.1' } }, {}],
  ['an X-Forwarded-For header', { headers: { 'x-forwarded-for': '127.0.0.1' } }, {}],
  ['an X-Forwarded-Host header', { headers: { 'x-forwarded-host': 'localhost' } }, {}],
  ['any X-Forwarded header', { headers: { 'x-forwarded-anything': '' } }, {}],
  ['--trust-proxy', {}, { trustProxy: true }],
  ['everybody with --dev-sign-in off', {}, { devSignIn: 'off' }],
];

const ROUTES = [
  ['POST', '/dev/sign-in'],
  ['POST', '/dev/register/options'],
  ['POST', '/dev/verify/options'],
  ['POST', '/dev/login/options'],
  ['GET', '/dev/events'],
  ['GET', '/dev/fixtures/AAAA'],
  ['GET', '/dev/passkeys'],
  ['POST', '/dev/passkeys/1/restore'],
  ['POST', '/dev/answer'],
  ['GET', '/dev/personas'],
  ['GET', '/dev/mutations'],
  ['POST', '/dev/annotate'],
  ['POST', '/dev/browser-error'],
] as const;
const OWN_ROUTES = [...ROUTES, ['GET', '/dev/state']] as const;

describe('the guard', () => {
  test.each(REFUSED)('refuses %s', async (_what, peer, settings) => {
    await using service = await Service.start({ settings });
    for (const [method, url] of ROUTES) {
      const reply = await service.inject({ method, url, ...peer });
      expect([url, reply.statusCode, reply.json().code]).toEqual([url, 403, 'development_only']);
    }
    const state = await service.inject({ url: '/dev/state', ...peer });
    expect(state.json()).toMatchObject({ signIn: false, signInReason: expect.stringContaining('bearer token'), users: [] });
    expect(await service.store.listAccess({ kind: 'session' })).toEqual([]);
  });

  test.each(['localhost', 'localhost:7277', '127.0.0.1:7277', '[::1]:7277'])('lets a browser at %s in', async (host) => {
    await using service = await Service.start();
    const reply = await service.inject({
      method: 'POST',
      url: '/dev/sign-in',
      headers: { host },
      remoteAddress: host.startsWith('[') ? '::1' : '127.0.0.1',
    });
    expect(reply.statusCode).toBe(200);
  });

  test('a page of another origin cannot use the developer’s browser, not even one of --origin', async () => {
    await using service = await Service.start({ settings: { origins: ['https://app.example.com'] } });
    for (const origin of ['https://evil.test', 'null', 'https://app.example.com', 'http://localhost:3000']) {
      for (const [method, url] of OWN_ROUTES) {
        const reply = await service.inject({ method, url, headers: { origin } });
        expect([reply.statusCode, reply.json().code]).toEqual([403, 'origin_not_allowed']);
      }
    }
    expect((await service.post('/dev/sign-in', {}, { headers: { origin: OWN_ORIGIN } })).statusCode).toBe(200);
  });

  test.for(['cross-site', 'same-site'])('nor by a request without an Origin that the browser calls %s', async (site, { service }) => {
    for (const [method, url] of OWN_ROUTES) {
      const reply = await service.inject({ method, url, headers: { 'sec-fetch-site': site } });
      expect([url, reply.statusCode, reply.json().code]).toEqual([url, 403, 'origin_not_allowed']);
      expect(reply.json().detail).toContain(`Sec-Fetch-Site: ${site}`);
    }
  });

  test.for(['same-origin', 'none'])('a request that the browser calls %s is welcome', async (site, { service }) => {
    const headers = { 'sec-fetch-site': site };
    expect((await service.inject({ url: '/dev/state', headers })).statusCode).toBe(200);
    expect((await service.post('/dev/sign-in', {}, { headers })).statusCode).toBe(200);
  });

  test('an Origin that is allowed is enough, whatever the browser calls the site', async ({ service }) => {
    const headers = { origin: OWN_ORIGIN, 'sec-fetch-site': 'same-site' };
    expect((await service.post('/dev/sign-in', {}, { headers })).statusCode).toBe(200);
  });
});

describe('GET /dev/state', () => {
  test('says what the page may do, for whom, and by which policy', async () => {
    await using service = await Service.start({ settings: { authAction: 'token', origins: ['https://app.example.com'] } });
    const reply = await service.inject({ url: '/dev/state' });
    expect(reply.json()).toEqual({
      mode: 'development',
      origin: OWN_ORIGIN,
      origins: ['https://app.example.com'],
      rpId: 'localhost',
      authAction: 'token',
      ownerType: 'User',
      policy: expect.objectContaining({ algorithms: [-7, -257], userVerification: 'preferred', timeout: 60_000 }),
      verifiable: {
        algorithms: ALGORITHMS.map(({ id, name }) => ({ id, name })),
        extensions: expect.arrayContaining([
          { name: 'getCredBlob', ceremonies: ['authentication'], authenticator: 'credBlob' },
          { name: 'appid', ceremonies: ['authentication'], authenticator: null },
        ]),
        attestation_formats: expect.arrayContaining([{ id: 'apple', section: '§8.8', made_by: 'made by an Apple device, anonymous' }]),
      },
      signIn: true,
      signInReason: null,
      site: null,
      user: null,
      users: [{ type: 'User', id: 1, email: 'ada@example.com', name: 'Ada Lovelace' }],
      passkeys: 0,
    });
  });

  test('takes every preset of the page', async ({ service }) => {
    for (const { name, registration: options } of PRESETS) {
      const reply = await service.post('/dev/register/options', { options });
      expect([name, reply.statusCode]).toEqual([name, 200]);
    }
  });

  test('lists what an application expects of a ceremony, to this machine and to a user', async ({ service }) => {
    const fields: { readonly name: string }[] = (await service.inject({ url: '/dev/expectations' })).json();
    expect(fields.map(({ name }) => name)).toEqual(expect.arrayContaining(['origin', 'rpId', 'publicKey']));
    expect(fields.find(({ name }) => name === 'signCount')).toMatchObject({ of: 'authentication', reads: 'number' });
    const afar = await service.inject({ url: '/dev/expectations', remoteAddress: '192.168.1.9' });
    expect(afar.json().code).toBe('development_only');
  });

  test('names the user of the bearer token, else of the session', async ({ service }) => {
    const eve = await service.accounts.addOwner({ email: 'eve@example.com', name: 'Eve' });
    const { secret } = await service.accounts.createSession({ owner: eve, expiresAt: service.clock.now + 1000 });
    const cookie = `passkey_session_7277=${secret}`;
    const authorization = `Bearer ${service.token}`;
    const userFor = async (headers: Record<string, string>) => (await service.inject({ url: '/dev/state', headers })).json().user?.email;
    expect(await userFor({ cookie })).toBe('eve@example.com');
    expect(await userFor({ cookie, authorization })).toBe('ada@example.com');
    expect(await userFor({ cookie: 'passkey_session_7277=x', authorization: 'Bearer x' })).toBeUndefined();
  });
});

describe('POST /dev/sign-in', () => {
  test('ends the session and the token of the page that it replaces, and no other token', async ({ service }) => {
    const first = await service.post('/dev/sign-in', {}, { token: null });
    const again = (token: string) =>
      service.post('/dev/sign-in', { email: 'eve@example.com' }, { token, headers: { cookie: Service.cookieOf(first) } });
    await again(first.json().token);
    await again(service.token);
    expect((await service.accounts.listLive()).map(({ kind, label }) => `${kind} ${label ?? ''}`).sort()).toEqual([
      'session ',
      'session ',
      'token ',
      'token test page',
      'token test page',
    ]);
  });

  const signIn = (service: Service, body?: unknown) => service.post('/dev/sign-in', body, { token: null });

  test('opens a session, and a token for the endpoints that take no session', async ({ service }) => {
    const reply = await signIn(service, { email: 'ada@example.com' });
    expect(reply.json()).toEqual({
      user: { type: 'User', id: 1, email: 'ada@example.com', name: 'Ada Lovelace' },
      token: expect.stringMatching(/^pk_/),
      expires_at: '2026-01-16T10:30:00.000000Z',
    });
    const cookie = Service.cookieOf(reply);
    expect((await service.inject({ url: '/api/passkeys', headers: { cookie } })).statusCode).toBe(200);
    const options = await service.post(
      '/api/passkeys/register/options',
      { app_name: 'A', app_url: OWN_ORIGIN },
      { token: reply.json().token },
    );
    expect(options.json().rp.id).toBe('localhost');
    service.clock.now += 86_400_000;
    expect((await service.inject({ url: '/api/passkeys', headers: { cookie } })).statusCode).toBe(401);
  });

  test('makes the user that is new, with a name', async ({ service }) => {
    expect((await signIn(service, { email: 'new@example.com' })).json().user).toEqual({
      type: 'User',
      id: 2,
      email: 'new@example.com',
      name: 'new',
    });
    expect((await signIn(service, { email: 'NEW@example.com', name: 'Other' })).json().user).toMatchObject({ id: 2, name: 'new' });
    expect((await signIn(service, { email: 'b@example.com', name: 'Bob' })).json().user).toMatchObject({ id: 3, name: 'Bob' });
    expect((await signIn(service)).json().user).toMatchObject({ email: 'test@example.com' });
    expect((await signIn(service)).json().user).toMatchObject({ id: 4 });
  });

  test('asked by many at once, makes one user for all', async () => {
    await using service = await Service.start({ store: lookTogether(5) });
    const replies = await Promise.all(Array.from({ length: 5 }, () => service.post('/dev/sign-in', { email: 'new@example.com' })));
    expect(replies.map((reply) => [reply.statusCode, reply.json().user?.id])).toEqual(Array(5).fill([200, 2]));
    const begun = await Promise.all(
      replies.map((reply) =>
        service.post('/api/passkeys/register/options', { app_name: 'A', app_url: OWN_ORIGIN }, { token: reply.json().token }),
      ),
    );
    expect(new Set(begun.map((reply) => reply.json().user.id)).size).toBe(1);
  });

  test('gives users that it makes a random user handle, and leaves that of all others as it is', async ({ service }) => {
    const handleOf = async (email: string) => {
      const { token } = (await signIn(service, { email })).json();
      const options = await service.post('/api/passkeys/register/options', { app_name: 'A', app_url: OWN_ORIGIN }, { token });
      return decodeBase64url(options.json().user.id);
    };
    const [made, other] = [await handleOf('made@example.com'), await handleOf('other@example.com')];
    expect([made.length, other.length]).toEqual([32, 32]);
    expect(made).not.toEqual(other);
    expect(await handleOf('made@example.com')).toEqual(made);
    expect(decodeUtf8(await handleOf('ada@example.com'))).toBe('1');
  });

  test('takes TYPE:ID', async ({ service }) => {
    await service.accounts.addOwner({ email: 'php@example.com', name: 'Php', type: 'App\\Models\\User', id: 7 });
    expect((await signIn(service, { owner: 'App\\Models\\User:7' })).json().user).toMatchObject({ type: 'App\\Models\\User', id: 7 });
    const unknown = await signIn(service, { owner: 'User:99' });
    expect([unknown.statusCode, unknown.json().code]).toEqual([404, 'owner_not_found']);
  });

  test.for([{ owner: 'bob@example.com' }, { email: 'bob@example.com' }])(
    '%j of two users is a 422 that names both',
    async (body, { service }) => {
      await service.accounts.addOwner({ email: 'bob@example.com', name: 'Bob' });
      await service.accounts.addOwner({ email: 'bob@example.com', name: 'Bob', type: 'Admin' });
      const problem = {
        status: 422,
        code: 'ambiguous_user',
        title: 'The user is ambiguous',
        detail: expect.stringMatching(/User:2.*Admin:1|Admin:1.*User:2/),
      };
      expect((await signIn(service, body)).json()).toMatchObject(problem);
    },
  );

  test('what is no e-mail is a 422', async ({ service }) => {
    for (const email of ['nonsense', 5]) {
      const reply = await signIn(service, { email });
      expect(reply.json()).toMatchObject({ status: 422, code: 'validation_failed', errors: [{ pointer: '/email' }] });
    }
  });
});

describe('options of one’s own choice', () => {
  test('register: members replace and add; what they ask for is checked', async ({ service }) => {
    const options = {
      pubKeyCredParams: [{ type: 'public-key', alg: -257 }],
      authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
      attestation: 'direct',
      hints: ['client-device'],
      extensions: { credProps: true },
      timeout: 5000,
      challenge: 'AAAA',
      rp: { id: 'evil.test', name: 'x' },
    };
    const reply = await service.post('/dev/register/options', { app_name: 'Page', app_url: 'https://app.example.com', options });
    expect(reply.statusCode).toBe(200);
    const { challenge, rp, timeout, ...rest } = reply.json();
    expect(challenge).not.toBe('AAAA');
    expect([rp, timeout]).toEqual([{ id: 'app.example.com', name: 'Page' }, 5000]);
    expect(rest).toMatchObject({ attestation: 'direct', hints: ['client-device'], extensions: { credProps: true } });
    const response = await service.client.create({ publicKey: reply.json() });
    service.clock.now += 9999;
    expect((await service.post('/api/passkeys/register', response)).statusCode).toBe(200);
  });

  test('register: without a body it is for the page itself, also with --origin', async () => {
    await using service = await Service.start({ settings: { origins: ['https://app.example.com'] } });
    const own = await service.post('/dev/register/options');
    expect(own.json()).toMatchObject({ rp: { id: 'localhost' }, timeout: 60_000 });
    const other = await service.post('/dev/register/options', { app_url: 'https://example.net' });
    expect(other.statusCode).toBe(403);
    expect((await service.post('/dev/register/options', {}, { token: null })).statusCode).toBe(401);
  });

  test('verify and login', async ({ service }) => {
    const { credentialId } = await service.register();
    const verify = await service.post('/dev/verify/options', {
      credential_id: credentialId,
      options: { userVerification: 'required', hints: ['hybrid'] },
    });
    expect(verify.json()).toMatchObject({ allowCredentials: [{ id: credentialId }], userVerification: 'required', hints: ['hybrid'] });
    expect((await service.post('/dev/verify/options', { credential_id: 'AAAA' })).statusCode).toBe(404);
    const login = await service.post('/dev/login/options', { app_url: 'https://app.example.com', options: { timeout: 1000 } });
    expect(login.json()).toMatchObject({ rpId: 'app.example.com', timeout: 1000, userVerification: 'preferred' });
    expect((await service.post('/dev/login/options')).json().rpId).toBe('localhost');
  });

  test.each([
    ['/dev/register/options', { options: { pubKeyCredParams: [{ alg: 'ES256' }] } }, '/options/pubKeyCredParams/0/type'],
    ['/dev/register/options', { options: { timeout: -1 } }, '/options/timeout'],
    ['/dev/register/options', { options: [] }, '/options'],
    ['/dev/login/options', { options: { allowCredentials: {} } }, '/options/allowCredentials'],
  ])('%s: nonsense is a 422', async (url, body, pointer) => {
    await using service = await Service.start();
    const reply = await service.post(url, body);
    expect(reply.statusCode).toBe(422);
    expect(reply.json().errors).toContainEqual(expect.objectContaining({ pointer }));
  });

  test.each([
    [
      '/dev/register/options',
      {
        pubKeyCredParams: [
          { type: 'public-key', alg: -7 },
          { type: 'public-key', alg: -999 },
        ],
      },
      '/options/pubKeyCredParams/1/alg',
      'is -999, which this server cannot verify; request one of -7 (ES256), ',
    ],
    ['/dev/register/options', { attestationFormats: ['packed', 'x'] }, '/options/attestationFormats/1', 'request one of none, packed, '],
    [
      '/dev/register/options',
      { extensions: { txAuthSimple: 'x' } },
      '/options/extensions/txAuthSimple',
      'is not an extension that this server',
    ],
    ['/dev/register/options', { extensions: { getCredBlob: true } }, '/options/extensions/getCredBlob', 'is for authentication only'],
    ['/dev/login/options', { extensions: { credProps: true } }, '/options/extensions/credProps', 'authentication takes appid, '],
    ['/dev/verify/options', { extensions: { 'a/b': true } }, '/options/extensions/a~1b', 'is not an extension'],
  ])('%s does not ask for what nobody here can verify: %o', async (url, options, pointer, detail) => {
    await using service = await Service.start();
    const reply = await service.post(url, { credential_id: 'AAAA', options });
    expect(reply.statusCode).toBe(422);
    expect(reply.json().errors).toEqual([{ pointer, detail: expect.stringContaining(detail) }]);
  });

  test('asks for everything that GET /dev/state says can be verified, and passes over other types as browsers do', async ({ service }) => {
    const { verifiable } = (await service.inject({ url: '/dev/state' })).json();
    const extensionsFor = (kind: string) =>
      Object.fromEntries(
        verifiable.extensions
          .filter(({ ceremonies }: { ceremonies: string[] }) => ceremonies.includes(kind))
          .map(({ name }: { name: string }) => [name, true]),
      );
    const known = verifiable.algorithms.map(({ id }: { id: number }) => ({ type: 'public-key', alg: id }));
    const options = {
      pubKeyCredParams: [...known, { type: 'other', alg: -999 }],
      attestationFormats: verifiable.attestation_formats.map(({ id }: { id: string }) => id),
      extensions: extensionsFor('registration'),
    };
    const asked = await service.post('/dev/register/options', { options });
    expect([asked.statusCode, asked.json()]).toMatchObject([200, options]);
    const login = await service.post('/dev/login/options', { options: { extensions: extensionsFor('authentication') } });
    expect(login.statusCode).toBe(200);
  });

  test.each([
    ['/dev/register/options', 'extensions', 32, 200],
    ['/dev/register/options', 'extensions', 33, 422],
    ['/dev/register/options', 'later', 30_000, 422],
    ['/dev/verify/options', 'extensions', 30_000, 422],
    ['/dev/login/options', 'extensions', 32, 200],
    ['/dev/login/options', 'extensions', 30_000, 422],
  ])('%s with %s of %i levels is a %i', async (url, member, levels, status) => {
    await using service = await Service.start();
    const reply = await service.inject({
      method: 'POST',
      url,
      headers: { authorization: `Bearer ${service.token}`, 'content-type': 'application/json' },
      payload: `{"credential_id":"AAAA","options":{"${member}":{"prf":${'['.repeat(levels - 1)}${']'.repeat(levels - 1)}}}}`,
    });
    expect(reply.statusCode).toBe(status);
    if (status === 422) expect(reply.json().errors).toMatchObject([{ pointer: `/options/${member}` }]);
  });
});

describe('/dev/passkeys', () => {
  test('shows own passkeys in full, revoked ones with all=1, and restores', async ({ service }) => {
    const { credentialId, passkey } = await service.register({ label: 'Phone' });
    await service.login(credentialId);
    const list = async (url: string, token = service.token) =>
      (await service.inject({ url, headers: { authorization: `Bearer ${token}` } })).json();
    expect(await list('/dev/passkeys')).toEqual([
      {
        ...passkey,
        passkeeable_id: 1,
        passkeeable_type: 'User',
        passkeeable_email: 'ada@example.com',
        rp_name: expect.any(String),
        origin: 'https://app.example.com',
        algorithm: 'ES256',
        authenticator_attachment: 'platform',
        attestation_trust: 'none',
        counter_regressions: 0,
        counter_regressed_at: null,
        rp_id: 'app.example.com',
        aaguid: '00000000-0000-0000-0000-000000000000',
        provider: null,
        sign_count: 0,
        last_used_at: '2026-01-15T10:30:00.000000Z',
        revoked_at: null,
        revoked_reason: null,
        backup_eligible: false,
        backup_state: false,
        uv_initialized: true,
        attestation_format: 'none',
        transports: ['internal'],
        public_key: expect.stringMatching(/^[A-Za-z0-9_-]+$/),
        user_handle: 'MQ',
      },
    ]);
    await service.relyingParty.revoke(passkey.id, { reason: 'lost' });
    expect(await list('/dev/passkeys')).toEqual([]);
    expect(await list('/dev/passkeys?all=1')).toMatchObject([{ id: 1, revoked_at: '2026-01-15T10:30:00.000000Z', revoked_reason: 'lost' }]);

    const eve = await service.accounts.addOwner({ email: 'eve@example.com', name: 'Eve' });
    const { token } = await service.accounts.createToken({ owner: eve });
    expect(await list('/dev/passkeys?all=1', token)).toEqual([]);
    expect((await service.post('/dev/passkeys/1/restore', undefined, { token })).statusCode).toBe(404);
    expect((await service.post('/dev/passkeys/x/restore')).statusCode).toBe(404);
    const restored = await service.post('/dev/passkeys/1/restore');
    expect(restored.json()).toMatchObject({ passkey: { id: 1, revoked_at: null } });
    expect(await list('/dev/passkeys')).toHaveLength(1);
  });
});

describe('GET /dev/events', () => {
  test('streams what the relying party does, without challenges', async ({ service }) => {
    const reply = await service.app.inject({ url: '/dev/events', payloadAsStream: true });
    expect(reply.headers['content-type']).toBe('text/event-stream');
    const stream = reply.stream();
    let text = '';
    stream.on('data', (chunk: Buffer) => {
      text += chunk.toString();
    });
    const { credentialId, passkey } = await service.register({ label: 'Phone' });
    const assertion = await service.assert(credentialId);
    await service.post('/api/passkeys/verify', { ...assertion, response: { ...assertion.response, signature: 'AAAA' } }, { token: null });
    await service.relyingParty.revoke(passkey.id, {});
    await service.app.close();

    const entries = text
      .split('\n\n')
      .filter((block) => block.startsWith('event: ') && !block.startsWith('event: stream\n'))
      .map((block) => ({ event: block.split('\n')[0]?.slice(7), ...JSON.parse(block.split('\n')[1]?.slice(6) ?? '') }));
    expect(entries.map(({ event }) => event)).toEqual([
      'ceremony-begun',
      'ceremony-finished',
      'ceremony-begun',
      'ceremony-finished',
      'passkey-revoked',
    ]);
    expect(entries[1]).toMatchObject({
      kind: 'registration',
      outcome: 'verified',
      owner: 'User:1',
      rp_id: 'app.example.com',
      passkey: { label: 'Phone' },
    });
    expect(entries[3]).toMatchObject({
      type: 'ceremony-finished',
      at: '2026-01-15T10:30:00.000000Z',
      outcome: 'rejected',
      code: 'signature_invalid',
      step: { section: '7.2' },
      context: { via: '/api/passkeys/verify', address: '127.0.0.1' },
    });
    expect(text).not.toContain('challenge":');
  });
});
