import { describe, expect } from 'vitest';
import { encodeUtf8 } from '../../../src/kernel/bytes.js';
import { AUTHENTICATION_STEPS } from '../../../src/relying-party/steps/authentication.js';
import { REGISTRATION_STEPS } from '../../../src/relying-party/steps/registration.js';
import { encodeBase64url } from '../../../src/webauthn/base64url.js';
import { APP_ORIGIN, APP_URL, collectLog, OWN_ORIGIN, Service } from '../app.js';
import { test } from '../service-test.js';
import { detail, list } from './read.js';

const FOREIGN_ID = encodeBase64url(new Uint8Array(32).fill(7));

describe('a ceremony', () => {
  test('is one entry while it is open and when it is verified', async ({ service }) => {
    const response = await service.attest();
    const [open, ...none] = await list(service);
    expect(none).toEqual([]);
    expect(open).toMatchObject({ kind: 'registration', state: 'open', via: '/api/passkeys/register/options', user: 'ada@example.com' });
    const reply = await service.post('/api/passkeys/register', response);
    const [verified, ...others] = await list(service);
    expect(others).toEqual([]);
    expect(verified).toMatchObject({
      id: open?.id,
      state: 'verified',
      via: '/api/passkeys/register',
      status: 200,
      passkey: { id: reply.json().passkey.id },
      code: null,
    });
    expect(verified?.request_ids).toHaveLength(2);
    const whole = await detail(service, verified?.id);
    expect(whole).toMatchObject({ method: 'POST', path: '/api/passkeys/register', explanation: { verdict: 'accepted', tree: null } });
    expect(whole.explanation?.steps).toHaveLength(REGISTRATION_STEPS.length);
    expect(whole.fixture).toMatchObject({ kind: 'registration', expected: { outcome: 'verified' } });
    expect(whole.response).toMatchObject({ id: response.id });
    expect(whole.options).toHaveProperty('challenge');
  });

  test('of a login names the user, who is known by the passkey alone', async ({ service }) => {
    const { credentialId } = await service.register();
    await service.login(credentialId);
    const [login] = await list(service);
    expect(login).toMatchObject({ kind: 'authentication', state: 'verified', owner: 'User:1', user: 'ada@example.com', status: 200 });
    expect((await detail(service, login?.id)).explanation).toMatchObject({ verdict: 'accepted', library: { verdict: 'accepted' } });
  });

  test('that was refused says why, and at which step', async ({ service }) => {
    const { credentialId } = await service.register();
    const assertion = await service.assert(credentialId);
    await service.post('/api/passkeys/login', { ...assertion, response: { ...assertion.response, signature: 'AAAA' } }, { token: null });
    const [refused] = await list(service);
    expect(refused).toMatchObject({ state: 'rejected', code: 'signature_invalid', status: 401, step: { slug: 'signature' } });
    const { explanation, title } = await detail(service, refused?.id);
    expect(title).toBe('The signature does not verify');
    expect(explanation?.steps.filter(({ status }) => status === 'fail')).toMatchObject([{ slug: 'signature', code: 'signature_invalid' }]);
    expect(explanation?.steps).toHaveLength(AUTHENTICATION_STEPS.length);
  });

  test('answered a second time is another entry, by the same user agent or not', async ({ service }) => {
    const { credentialId } = await service.register();
    const assertion = await service.assert(credentialId);
    await service.post('/api/passkeys/login', assertion, { token: null, headers: { 'user-agent': 'First' } });
    await service.post('/api/passkeys/verify', assertion, { token: null, headers: { 'user-agent': 'Second' } });
    const [second, first] = await list(service);
    expect(second).toMatchObject({ kind: 'authentication', state: 'rejected', code: 'challenge_used', status: 401, user_agent: 'Second' });
    expect(first).toMatchObject({ state: 'verified', user_agent: 'First' });
    expect((await detail(service, second?.id)).explanation).toMatchObject({ verdict: 'rejected' });
  });

  test('with a challenge of the other kind ends the one that it was issued for', async ({ service }) => {
    const { credentialId } = await service.register();
    const options = (await service.post('/api/passkeys/register/options', { app_name: 'App', app_url: APP_URL })).json();
    const assertion = await service.client.get({
      publicKey: { challenge: options.challenge, rpId: options.rp.id, allowCredentials: [{ id: credentialId, type: 'public-key' }] },
    });
    await service.post('/api/passkeys/login', assertion, { token: null });
    const [login, begun] = await list(service);
    expect(login).toMatchObject({ kind: 'authentication', state: 'rejected', code: 'challenge_unknown' });
    expect(begun).toMatchObject({ kind: 'registration', state: 'expired' });
    const { explanation } = await detail(service, login?.id);
    expect(explanation?.steps.find(({ slug }) => slug === 'challenge')?.hint).toContain('issued for a registration');
  });

  test('with a challenge that nobody issued is an entry of its own, with every step', async ({ service }) => {
    const { credentialId } = await service.register();
    const challenge = encodeBase64url(new Uint8Array(32).fill(1));
    const assertion = await service.client.get({
      publicKey: { challenge, rpId: 'app.example.com', allowCredentials: [{ id: credentialId, type: 'public-key' }] },
    });
    await service.post('/api/passkeys/login', assertion, { token: null });
    const [login] = await list(service);
    expect(login).toMatchObject({ state: 'rejected', code: 'challenge_unknown', step: { slug: 'challenge' } });
    const { explanation, why_no_fixture: why } = await detail(service, login?.id);
    expect(why).toBe('its challenge was not issued for any ceremony');
    expect(explanation?.steps).toHaveLength(AUTHENTICATION_STEPS.length);
    const origin = explanation?.steps.find(({ slug }) => slug === 'origin');
    expect(origin).toMatchObject({ status: 'skip', reason: expect.stringContaining('belongs to no ceremony of this server') });
  });

  test('nobody answers expires, and one that is answered then says that it is late', async ({ service }) => {
    const response = await service.attest();
    const { challenge } = JSON.parse(Buffer.from(response.response.clientDataJSON, 'base64url').toString());
    const [open] = await list(service);
    expect((await detail(service, open?.id)).options).not.toHaveProperty('challenge');
    service.clock.now += 120_000;
    const [expired] = await list(service);
    expect(expired).toMatchObject({ id: open?.id, state: 'expired', finished_at: '2026-01-15T10:32:00.000000Z' });
    expect(await detail(service, open?.id)).toMatchObject({
      options: { challenge },
      explanation: null,
      why_no_fixture: 'there was no response',
    });
    await service.post('/api/passkeys/register', response);
    const [late, ...others] = await list(service);
    expect(others).toEqual([]);
    expect(late).toMatchObject({ id: open?.id, state: 'rejected', code: 'challenge_expired', status: 422 });
  });

  test('of an unknown passkey keeps its challenge back as long as it is good', async ({ service }) => {
    const { credentialId } = await service.register();
    const assertion = await service.assert(credentialId);
    const forged = { ...assertion, id: FOREIGN_ID, rawId: FOREIGN_ID };
    await service.post('/api/passkeys/login', forged, { token: null });
    const [refused] = await list(service);
    expect(refused).toMatchObject({ state: 'rejected', code: 'passkey_not_found', status: 404, via: '/api/passkeys/login' });
    const early = await detail(service, refused?.id);
    expect(early).toMatchObject({ response: null, fixture: null });
    expect(early.options).not.toHaveProperty('challenge');
    expect(early.explanation).toMatchObject({ verdict: 'rejected' });
    const failed = early.explanation?.steps.filter(({ status }) => status === 'fail');
    expect(failed).toMatchObject([{ slug: 'allow-credentials' }, { slug: 'user-handle', code: 'passkey_not_found' }]);
    // The challenge is good yet: another answer is another entry.
    await service.post('/api/passkeys/login', assertion, { token: null });
    expect((await list(service)).slice(0, 2)).toMatchObject([{ state: 'verified' }, { id: refused?.id, state: 'rejected' }]);
    service.clock.now += 120_000;
    expect(await detail(service, refused?.id)).toMatchObject({
      response: { id: FOREIGN_ID },
      options: { challenge: expect.any(String) },
      explanation: { verdict: 'rejected' },
    });
  });

  test('that fails before the relying party belongs to the ceremony that its response names', async ({ service }) => {
    const response = await service.attest();
    await service.post('/api/passkeys/register', { ...response, response: { clientDataJSON: response.response.clientDataJSON } });
    const [malformed, ...others] = await list(service);
    expect(others).toEqual([]);
    expect(malformed).toMatchObject({ kind: 'registration', state: 'rejected', code: 'validation_failed', status: 422, step: null });
    const { explanation } = await detail(service, malformed?.id);
    expect(explanation).toMatchObject({ verdict: 'rejected', error: { code: 'validation_failed' } });
    expect(explanation?.steps).toHaveLength(REGISTRATION_STEPS.length);
    expect(new Set(explanation?.steps.map(({ status }) => status))).toEqual(new Set(['skip']));
  });

  test('that is refused although every step passes says so', async () => {
    await using service = await Service.start({ maxPasskeys: 1 });
    const [one, two] = [await service.attest(), await service.attest()];
    await service.post('/api/passkeys/register', one);
    await service.post('/api/passkeys/register', two);
    const [refused] = await list(service);
    expect(refused).toMatchObject({ kind: 'registration', state: 'rejected', code: 'too_many_passkeys', status: 409 });
    const { explanation } = await detail(service, refused?.id);
    expect(explanation).toMatchObject({ verdict: 'rejected', error: { code: 'too_many_passkeys' } });
    const statuses = explanation?.steps.map(({ status }) => status);
    expect(statuses).toContain('pass');
    expect(statuses).not.toContain('fail');
  });

  test('that is refused for a member beside its response reached no step', async ({ service }) => {
    await service.post('/api/passkeys/register', { ...(await service.attest()), label: 'x'.repeat(256) });
    const [refused] = await list(service);
    const { explanation } = await detail(service, refused?.id);
    expect(explanation).toMatchObject({ verdict: 'rejected', error: { code: 'validation_failed' } });
    expect(new Set(explanation?.steps.map(({ status }) => status))).toEqual(new Set(['skip']));
  });

  test('of the FIDO routes is there like any other, with its refusals', async () => {
    await using service = await Service.start({ settings: { fidoApi: true } });
    await service.post('/attestation/options', { username: 'ada', displayName: 'Ada', attestation: 'direct' }, { token: null });
    await service.post('/assertion/options', { username: 'nobody' }, { token: null });
    await service.post('/attestation/result', { id: 'AA' }, { token: null });
    expect(await list(service)).toMatchObject([
      { kind: 'request', state: 'refused', via: 'POST /attestation/result', status: 422, code: 'validation_failed' },
      { kind: 'request', state: 'refused', via: 'POST /assertion/options', status: 404, code: 'passkey_not_found' },
      { kind: 'registration', state: 'open', via: '/attestation/options', changed_options: ['attestation'] },
    ]);
  });
});

describe('a refused request', () => {
  test('of the API is an entry, with what was asked and how it was answered', async ({ service }) => {
    await service.post('/api/passkeys/verify/options', { credential_id: FOREIGN_ID }, { token: null, headers: { 'x-request-id': 'mine' } });
    await service.post('/api/passkeys/register/options', {}, { token: 'pk_wrong' });
    await service.post('/api/passkeys/register/options', {});
    await service.inject({ url: '/api/nothing?token=secret' });
    await service.inject({ method: 'POST', url: '/api/passkeys/login', headers: { 'content-type': 'text/plain' }, payload: 'x' });
    const entries = await list(service);
    expect(entries.map(({ kind, state, via, code, status }) => [kind, state, via, code, status])).toEqual([
      ['request', 'refused', 'POST /api/passkeys/login', 'unsupported_media_type', 415],
      ['request', 'refused', 'GET /api/nothing', 'route_not_found', 404],
      ['request', 'refused', 'POST /api/passkeys/register/options', 'validation_failed', 422],
      ['request', 'refused', 'POST /api/passkeys/register/options', 'unauthenticated', 401],
      ['request', 'refused', 'POST /api/passkeys/verify/options', 'passkey_not_found', 404],
    ]);
    expect(entries[2]).toMatchObject({ owner: 'User:1', user: 'ada@example.com' });
    expect(entries[4]?.request_ids).toEqual(['mine']);
    expect(await detail(service, entries[1]?.id)).toMatchObject({
      method: 'GET',
      path: '/api/nothing',
      title: 'No such route',
      options: null,
      explanation: null,
      why_no_fixture: null,
    });
  });

  test('of the development routes is none, nor the question of the page whether somebody is signed in', async ({ service }) => {
    await service.inject({ url: '/dev/passkeys' });
    await service.inject({ url: '/api/session', headers: { 'x-passkey-page': '1' } });
    expect(await list(service)).toEqual([]);
    await service.inject({ url: '/api/session' });
    expect(await list(service)).toMatchObject([{ kind: 'request', status: 401, page: false }]);
  });

  test('that asks too often is one', async () => {
    await using service = await Service.start({ settings: { rateLimit: 1 } });
    for (let turn = 0; turn < 2; turn += 1) {
      await service.inject({ method: 'POST', url: '/api/passkeys/login/options', remoteAddress: '203.0.113.7', payload: {} });
    }
    expect(await list(service)).toMatchObject([
      { kind: 'request', code: 'rate_limited', status: 429 },
      { kind: 'authentication', state: 'open' },
    ]);
  });
});

describe('pages of another origin', () => {
  const EVIL = { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' };

  test('push no finished ceremony out, and have one entry with a count', async () => {
    await using service = await Service.start();
    const { credentialId } = await service.register();
    await service.login(credentialId);
    const before = await list(service);
    for (let n = 0; n < 1_100; n += 1) {
      const text = n % 2 === 0 ? {} : { headers: { ...EVIL, 'content-type': 'text/plain' }, payload: 'x' };
      await service.inject({ method: 'POST', url: '/api/passkeys/login/options', headers: EVIL, ...text });
    }
    const [call, ...rest] = await list(service);
    expect(rest).toEqual(before);
    expect(call).toMatchObject({
      kind: 'request',
      state: 'refused',
      origins: ['https://evil.example'],
      foreign: { origin: 'https://evil.example', requests: 1_100, command: 'passkey serve --origin https://evil.example' },
      message: 'A page at https://evil.example called; if it is yours, start with --origin https://evil.example',
      via: 'POST /api/passkeys/login/options',
      code: 'unsupported_media_type',
    });
    expect(call?.request_ids).toHaveLength(1);
  });

  test('leave a row and a line in the log when their preflight is refused, and when their answer cannot be read', async () => {
    const { logger, lines } = collectLog('warn');
    await using service = await Service.start({ settings: { origins: [APP_ORIGIN] }, logger });
    const headers = { origin: 'http://localhost:5173', 'sec-fetch-site': 'same-site' };
    const preflight = { method: 'OPTIONS', headers: { ...headers, 'access-control-request-method': 'POST' } } as const;
    await service.inject({ ...preflight, url: '/api/passkeys/login/options' });
    await service.inject({ ...preflight, url: '/api/passkeys/login/options', headers: { ...preflight.headers, origin: APP_ORIGIN } });
    await service.inject({ url: '/api/passkeys', headers: { ...headers, authorization: `Bearer ${service.token}` } });
    const flags = `--origin ${APP_ORIGIN} --origin http://localhost:5173`;
    const message = `A page at http://localhost:5173 called; start with ${flags}`;
    expect(await list(service)).toMatchObject([
      { kind: 'request', state: 'refused', message, foreign: { requests: 2, command: `passkey serve ${flags}` } },
    ]);
    expect(lines.map(({ msg }) => msg)).toEqual([message]);
  });

  test('get no command for a shell when their host name would run there', async ({ service }) => {
    await service.inject({ url: '/api/nothing', headers: { origin: 'http://$(reboot).evil.example' } });
    expect((await list(service))[0]?.foreign?.command).toBeNull();
  });

  test.each([
    ['an image of one', { 'sec-fetch-site': 'cross-site', referer: 'https://evil.example/page' }, 'https://evil.example'],
    ['an image of one that hides where it is', { 'sec-fetch-site': 'same-site' }, 'null'],
    ['one in a sandbox', { origin: 'null' }, 'null'],
    ['a page of ours', { origin: OWN_ORIGIN, 'sec-fetch-site': 'same-origin' }, undefined],
    ['a page behind a proxy of its own', { origin: 'http://localhost:5173', 'sec-fetch-site': 'same-origin' }, undefined],
    ['no browser', {}, undefined],
  ])('%s is known by its origin', async (_what, headers, origin) => {
    await using service = await Service.start();
    await service.inject({ url: '/api/nothing', headers });
    expect((await list(service)).map(({ foreign }) => foreign?.origin)).toEqual([origin]);
  });

  test('the page that a ceremony is for is none of them', async ({ service }) => {
    await service.post('/api/passkeys/register/options', { app_name: 'App', app_url: APP_URL }, { headers: { origin: APP_ORIGIN } });
    expect(await list(service)).toMatchObject([{ kind: 'registration', state: 'open' }]);
  });
});

describe('a change of a passkey', () => {
  test('says what was changed, by whom and why', async ({ service }) => {
    const { passkey } = await service.register({ label: 'Phone' });
    await service.relyingParty.revoke(passkey.id, { reason: 'lost phone' }, { via: 'passkey revoke' });
    const [revoked] = await list(service);
    expect(revoked).toMatchObject({
      kind: 'change',
      state: 'changed',
      via: 'passkey revoke',
      passkey: { id: passkey.id, label: 'Phone' },
      user: 'ada@example.com',
      message: `Passkey ${passkey.id} "Phone" was revoked: lost phone.`,
    });
    expect(await detail(service, revoked?.id)).toMatchObject({ change: { type: 'revoked', reason: 'lost phone' }, why_no_fixture: null });
  });
});

describe('options that differ from the policy', () => {
  test('are named, each member by itself', async ({ service }) => {
    const ask = (url: string, body: object) => service.post(url, body);
    await ask('/api/passkeys/register/options', { app_name: 'App', app_url: APP_URL });
    await ask('/dev/register/options', {
      options: {
        attestation: 'direct',
        timeout: 60_000,
        authenticatorSelection: { residentKey: 'preferred', userVerification: 'required' },
        extensions: { prf: {}, credProps: true },
        excludeCredentials: [],
      },
    });
    await ask('/dev/register/options', { options: { authenticatorSelection: { authenticatorAttachment: 'platform' } } });
    await ask('/dev/login/options', { options: { timeout: 5_000, hints: ['hybrid'] } });
    expect((await list(service)).map((entry) => entry.changed_options)).toEqual([
      ['timeout', 'hints'],
      ['authenticatorSelection.authenticatorAttachment', 'authenticatorSelection.residentKey', 'authenticatorSelection.userVerification'],
      ['attestation', 'authenticatorSelection.userVerification', 'extensions.prf', 'extensions.credProps'],
      [],
    ]);
  });
});

describe('POST /dev/answer', () => {
  const options = async (service: Service) =>
    (await service.post('/api/passkeys/register/options', { app_name: 'App', app_url: APP_URL })).json();

  test('is noted with persona and mutation, also where the response names another challenge', async ({ service }) => {
    const answer = async (body: object) => (await service.post('/dev/answer', body, { token: null })).json().response;
    const broken = await answer({ options: await options(service), origin: APP_ORIGIN, tamper: 'challenge-null' });
    await service.post('/api/passkeys/register', broken);
    const honest = await answer({ options: await options(service), origin: APP_ORIGIN, persona: 'windows-hello' });
    expect((await list(service)).slice(0, 1)).toMatchObject([{ state: 'open', software: { persona: 'windows-hello', tamper: null } }]);
    await service.post('/api/passkeys/register', honest);
    expect(await list(service)).toMatchObject([
      { state: 'verified', software: { persona: 'windows-hello', tamper: null } },
      {
        state: 'rejected',
        code: 'client_data_malformed',
        software: { persona: 'plain', tamper: 'challenge-null', title: expect.stringContaining('challenge') },
      },
    ]);
  });
});

describe('POST /dev/tamper', () => {
  test('is noted with the mutation, and no persona where a browser made the response', async ({ service }) => {
    const { credentialId } = await service.register();
    const options = (await service.post('/api/passkeys/verify/options', { credential_id: credentialId }, { token: null })).json();
    const response = await service.client.get({ publicKey: { rpId: 'app.example.com', ...options } });
    const broken = await service.post('/dev/tamper', { id: 'login.signature-bit', options, response }, { token: null });
    expect([broken.statusCode, broken.body]).toEqual([200, expect.stringContaining('"response"')]);
    await service.post('/api/passkeys/verify', broken.json().response, { token: null });
    const [entry, ...before] = await list(service);
    expect(before).toHaveLength(1);
    expect(entry).toMatchObject({
      code: 'signature_invalid',
      software: { persona: null, tamper: 'login.signature-bit', title: 'one bit of the signature flipped' },
    });
  });
});

describe('POST /dev/stream/browser', () => {
  test('attaches what a page tells of its browser, and refuses a challenge that is not of the stream', async ({ service }) => {
    const { challenge } = (await service.post('/api/passkeys/login/options', {}, { token: null })).json();
    const report = { challenge, call: 'get', error: 'NotAllowedError', message: 'The user said no.', milliseconds: 1200 };
    expect((await service.post('/dev/stream/browser', report, { token: null })).statusCode).toBe(204);
    const { challenge: _, call: __, ...browser } = report;
    const entries = await list(service);
    expect(entries).toMatchObject([{ state: 'open', browser }]);
    const { browser_explanation: explained } = await detail(service, entries[0]?.id);
    expect([explained?.title, explained?.causes.join()]).toEqual([
      'You or the browser ended it. No passkey was used',
      expect.stringContaining('no discoverable passkey'),
    ]);
    const unknown = await service.post('/dev/stream/browser', { ...report, challenge: 'AAAA' }, { token: null });
    expect([unknown.statusCode, unknown.json().code]).toEqual([404, 'route_not_found']);
  });
});

describe('DELETE /dev/stream', () => {
  test('empties it, and is not for bearer tokens nor for other pages', async ({ service }) => {
    const response = await service.attest();
    const clear = (headers: Record<string, string>) => service.inject({ method: 'DELETE', url: '/dev/stream', headers });
    expect((await clear({ authorization: `Bearer ${service.token}`, 'x-forwarded-for': '203.0.113.9' })).statusCode).toBe(403);
    expect((await clear({ origin: 'https://evil.example' })).statusCode).toBe(403);
    expect(await list(service)).toHaveLength(1);
    expect((await clear({ origin: OWN_ORIGIN })).statusCode).toBe(204);
    expect(await list(service)).toEqual([]);
    // What was begun before ends as an entry of its own.
    await service.post('/api/passkeys/register', response);
    expect(await list(service)).toMatchObject([{ state: 'verified' }]);
  });
});

test('a bearer token sees its own user only', async () => {
  await using service = await Service.start({ settings: { devSignIn: 'off' } });
  const eve = await service.accounts.addOwner({ email: 'eve@example.com', name: 'Eve' });
  const { token } = await service.accounts.createToken({ owner: eve });
  await service.attest(token);
  await service.register();
  const headers = { authorization: `Bearer ${token}` };
  const entries = await list(service, headers);
  expect(entries).toMatchObject([{ owner: 'User:2', user: 'eve@example.com' }]);
  const [adas] = await list(service, { authorization: `Bearer ${service.token}` });
  expect((await service.inject({ url: `/dev/stream/${adas?.id}`, headers })).statusCode).toBe(404);
  const { challenge } = (await service.post('/api/passkeys/register/options', { app_name: 'App', app_url: APP_URL })).json();
  const report = { challenge, call: 'create', error: null, message: null, milliseconds: 1 };
  expect((await service.post('/dev/stream/browser', report, { token })).statusCode).toBe(404);
});

test('there is no stream in production', async () => {
  await using service = await Service.start({ settings: { mode: 'production' } });
  expect((await service.inject({ url: '/dev/stream' })).statusCode).toBe(404);
});

test('no entry and no page makes up what it is not told: a body that is no response is a refused request', async ({ service }) => {
  const clientDataJSON = encodeBase64url(encodeUtf8('{"challenge":7}'));
  await service.post('/api/passkeys/login', { response: { clientDataJSON } }, { token: null });
  expect(await list(service)).toMatchObject([{ kind: 'request', status: 422 }]);
});

test('the timeline sends every change of an entry, and that all are gone', async ({ service }) => {
  const reply = await service.app.inject({ url: '/dev/events', payloadAsStream: true });
  const stream = reply.stream();
  await service.register();
  await service.inject({ method: 'DELETE', url: '/dev/stream' });
  await service.app.close();
  const text = (await stream.toArray()).map(String).join('');
  const sent = [...text.matchAll(/^event: stream\ndata: (.*)$/gm)].map(([, data = '']) => JSON.parse(data));
  expect(new Set(sent.map(({ id }) => id)).size).toBe(1);
  expect(sent.at(0)).toMatchObject({ state: 'open' });
  expect(sent.at(-1)).toMatchObject({ state: 'verified', status: 200 });
  expect(text).toContain('event: stream-cleared\n');
});
