import { expect, test } from 'vitest';
import { APP_URL, collectLog, Service } from './app.js';

const INFO = 30;

test('one readable line for each ceremony and each change, with the request id', async () => {
  const log = collectLog('info');
  await using service = await Service.start({ logger: log.logger });
  const { credentialId, passkey } = await service.register({ label: 'Phone' });
  await service.login(credentialId);
  const assertion = await service.assert(credentialId);
  await service.post('/api/passkeys/login', { ...assertion, response: { ...assertion.response, signature: 'AAAA' } }, { token: null });
  await service.relyingParty.rename(passkey.id, 'Laptop');
  await service.relyingParty.revoke(passkey.id, { reason: 'lost' });
  await service.relyingParty.restore(passkey.id);
  await service.post('/api/passkeys/login', assertion, { token: null });

  expect(log.lines.map(({ msg }) => msg)).toEqual([
    'registration verified: passkey 1 "Phone" of User:1 at app.example.com',
    'authentication verified: passkey 1 "Phone" of User:1 at app.example.com',
    expect.stringMatching(
      /^authentication rejected: signature_invalid of User:1 at app\.example\.com: §7\.2 step \d+ \(signature\): (?!.*step)/,
    ),
    'passkey 1 "Laptop" of User:1 at app.example.com renamed',
    'passkey 1 "Laptop" of User:1 at app.example.com revoked (lost)',
    'passkey 1 "Laptop" of User:1 at app.example.com restored',
    expect.stringMatching(/^authentication rejected: challenge_used of User:1/),
  ]);
  expect(log.lines[1]).toMatchObject({
    level: INFO,
    event: 'ceremony-finished',
    kind: 'authentication',
    outcome: 'verified',
    passkey: 1,
    owner: 'User:1',
    rpId: 'app.example.com',
    via: '/api/passkeys/login',
    address: '127.0.0.1',
    requestId: expect.any(String),
  });
  expect(log.lines[2]).toMatchObject({ level: 40, code: 'signature_invalid', step: expect.any(String) });
});

test('clientExtensionResults that are too large to be stored have a word in the line', async () => {
  const log = collectLog('info');
  await using service = await Service.start({ logger: log.logger });
  const response = { ...(await service.attest()), clientExtensionResults: { padding: 'x'.repeat(3_000) } };
  const reply = await service.post('/api/passkeys/register', { label: 'Phone', ...response });
  expect(reply.statusCode).toBe(200);
  expect(log.lines.map(({ msg }) => msg)).toEqual([
    'registration verified: passkey 1 "Phone" of User:1 at app.example.com; its clientExtensionResults of 3014 bytes were not stored',
  ]);
});

test('a response that names nothing known has a line too', async () => {
  const log = collectLog('info');
  await using service = await Service.start({ logger: log.logger });
  await service.post('/api/passkeys/login', {
    id: 'AAAA',
    rawId: 'AAAA',
    type: 'public-key',
    response: { clientDataJSON: '', authenticatorData: '', signature: '' },
  });
  expect(log.lines).toMatchObject([
    { msg: expect.stringMatching(/^authentication rejected: passkey_not_found: /), code: 'passkey_not_found' },
  ]);
});

test('no token, cookie or open challenge is ever logged, not even at trace', async () => {
  const log = collectLog('trace');
  await using service = await Service.start({ logger: log.logger });
  const secrets = [service.token];
  const options = await service.post('/api/passkeys/register/options', { app_name: 'A', app_url: APP_URL });
  secrets.push(options.json().challenge);
  const { credentialId } = await service.register();
  const login = await service.login(credentialId);
  const cookie = Service.cookieOf(login);
  secrets.push(cookie.split('=')[1] ?? '');
  await service.inject({ url: '/api/passkeys', headers: { cookie } });
  await service.post('/api/passkeys/register', { nonsense: true });
  const signedIn = await service.post('/dev/sign-in', {}, { token: null });
  secrets.push(signedIn.json().token);
  await service.post('/api/passkeys/register', {}, { token: 'pk_guess' });
  secrets.push('pk_guess');
  expect(log.lines.length).toBeGreaterThan(8);
  for (const secret of secrets) {
    expect(secret).not.toBe('');
    expect(log.text()).not.toContain(secret);
  }
});

test('requests are logged at debug only, by their route', async () => {
  const quiet = collectLog('info');
  await using calm = await Service.start({ logger: quiet.logger });
  await calm.inject({ url: '/healthz?secret=1' });
  expect(quiet.lines).toEqual([]);

  const loud = collectLog('debug');
  await using chatty = await Service.start({ logger: loud.logger });
  await chatty.inject({ method: 'DELETE', url: '/api/passkeys/5?secret=1', headers: { authorization: `Bearer ${chatty.token}` } });
  expect(loud.lines).toMatchObject([
    { method: 'DELETE', path: '/api/passkeys/5', route: '/api/passkeys/:id', status: 404, msg: 'request' },
  ]);
  expect(loud.text()).not.toContain('secret');
});

test.each([
  ['GET', '/nowhere/at-all?secret=1', { path: '/nowhere/at-all', status: 404 }],
  ['GET', '/api/passkeys/login?secret=1', { path: '/api/passkeys/login', status: 405 }],
  ['GET', '/%zz?secret=1', { path: '/%zz', status: 404 }],
  ['GET', `/${'x/'.repeat(250)}`, { path: `/${'x/'.repeat(99)}x`, status: 404 }],
  ['GET', '/pk_123secret567890123456789/x', { path: '/pk_123…/x', status: 404 }],
  ['GET', '/a%2Bb/4c%2Fsecret%3D56789012345678', { path: '/a%2Bb/4c%2Fs…', status: 404 }],
] as const)('at debug %s %s has its path, without the query', async (method, url, line) => {
  const log = collectLog('debug');
  await using service = await Service.start({ logger: log.logger });
  await service.inject({ method, url });
  expect(log.lines.filter(({ msg }) => msg === 'request')).toMatchObject([{ method, ...line }]);
  expect(log.lines.at(-1)).not.toHaveProperty('route');
  expect(log.text()).not.toContain('secret');
});

test('at debug no open challenge in a path is logged', async () => {
  const log = collectLog('debug');
  await using service = await Service.start({ logger: log.logger });
  const { challenge } = (await service.post('/api/passkeys/login/options', {}, { token: null })).json();
  for (const url of [`/dev/fixtures/${challenge}`, `/dev/stream/${challenge}`, `/${challenge}`]) await service.inject({ url });
  expect(log.lines.filter(({ msg }) => msg === 'request')).toHaveLength(4);
  expect(log.text()).not.toContain(challenge);
});

test('an app_url with a loopback IP address is answered with a line that names the localhost URL', async () => {
  const log = collectLog('info');
  await using service = await Service.start({ logger: log.logger });
  await service.post('/api/passkeys/register/options', { app_name: 'A', app_url: 'http://127.0.0.1:3000/x' });
  expect(log.lines).toMatchObject([{ level: 40, msg: expect.stringContaining('http://localhost:3000') }]);
});

test('a closed server logs no more of the relying party', async () => {
  const log = collectLog('info');
  const service = await Service.start({ logger: log.logger });
  const { passkey } = await service.register();
  await service.app.close();
  await service.relyingParty.rename(passkey.id, 'Later');
  expect(log.text()).not.toContain('Later');
});
