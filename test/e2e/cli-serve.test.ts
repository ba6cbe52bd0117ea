import { once } from 'node:events';
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { request } from 'node:http';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { Value } from 'typebox/value';
import { describe, expect, onTestFinished, test } from 'vitest';
import { schemas } from '../../src/cli/schemas.js';
import { encodeUtf8 } from '../../src/kernel/bytes.js';
import { encodeBase64url } from '../../src/webauthn/base64url.js';
import { tempFolder } from '../cli/temp-folder.js';
import { quick, share, thorough } from '../thorough.js';
import { until } from '../until.js';
import { passkeyHere, serveHere } from './passkey-in-process.js';
import { passkey, serve } from './passkey-process.js';
import { browserAt, call } from './relying-party-over-http.js';

/** A folder with a store, a user and a bearer token for it. */
async function folderWithToken(email = 'ada@example.com') {
  const cwd = await tempFolder();
  await passkeyHere(['user', 'add', '--email', email, '--name', 'Ada'], { cwd });
  const { stdout } = await passkeyHere(['token', 'create', '--user', email], { cwd });
  return { cwd, token: stdout.trim() };
}

/** `fetch` sets the Host header itself. */
function statusForHost(url: string, host: string): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    request(`${url}/healthz`, { headers: { host } }, (response) => {
      response.resume();
      resolve(response.statusCode);
    })
      .on('error', reject)
      .end();
  });
}

describe('passkey serve', () => {
  test.each(share(['SIGTERM', 'SIGINT'] as const, 2))('prints one document, answers, and %s ends it with 0', async (signal) => {
    const cwd = await tempFolder();
    const { document, output, url, stop } = await serve([], { cwd });
    const schema = schemas.serve;
    expect(schema && [...Value.Errors(schema, document)]).toStrictEqual([]);
    expect(await call('GET', `${url}/healthz`)).toMatchObject({ status: 200 });
    expect(await call('GET', `${url}/`)).toMatchObject({ status: 200, body: expect.stringContaining('<!doctype html>') });
    const timeline = await fetch(`${url}/dev/events`);
    expect(await stop(signal)).toBe(0);
    await timeline.body?.cancel().catch(() => undefined);
    expect(output.stdout).toBe(`${JSON.stringify(document)}\n`);
    expect(output.stderr).toBe(`Created the store ${join(cwd, '.passkey', 'passkeys.jsonl')}.\n`);
  });

  quick('prints the URL on stdout and how to get a token on stderr', async () => {
    const cwd = await tempFolder();
    const taken = createServer().listen(0, '127.0.0.1');
    onTestFinished(() => void taken.close());
    await once(taken, 'listening');
    const { port } = taken.address() as AddressInfo;
    expect(await passkey(['serve', '--port', String(port)], { cwd })).toMatchObject({
      code: 2,
      stdout: '',
      stderr: expect.stringMatching(`Port ${port} .*--port`),
    });
  });

  thorough('registers and logs in; what another process revokes is gone with the next request', async () => {
    const { cwd, token } = await folderWithToken();
    const { url, output, stop } = await serve(['--record', 'recorded', '--owner-type', 'User'], { cwd });
    const browser = browserAt(url, token);
    const registered = await browser.register();
    expect(registered).toMatchObject({ status: 200, body: { passkey: { id: 1 } } });
    expect(await browser.logIn(registered.id)).toMatchObject({ status: 200, body: { user: { id: 1, email: 'ada@example.com' } } });

    const list = await passkeyHere(['list', '--json'], { cwd });
    expect(JSON.parse(list.stdout)).toMatchObject([
      { id: 1, rp_id: 'app.example.com', passkeeable_type: 'User', revoked_at: null, last_used_at: expect.any(String) },
    ]);
    expect(await passkey(['revoke', '1', '--yes'], { cwd })).toMatchObject({ code: 0 });
    expect(await browser.logIn(registered.id)).toMatchObject({ status: 404, body: { code: 'passkey_not_found' } });
    expect(await passkeyHere(['restore', '1'], { cwd })).toMatchObject({ code: 0 });
    expect(await browser.logIn(registered.id)).toMatchObject({ status: 200 });

    await passkeyHere(['token', 'revoke', '1'], { cwd });
    expect((await browser.optionsOfRegistration()).status).toBe(401);
    expect(await stop()).toBe(0);

    const fixtures = await readdir(join(cwd, 'recorded'));
    expect(fixtures.filter((name) => name.endsWith('.json')).length).toBeGreaterThanOrEqual(2);
    const lines = output.stderr
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(lines.filter(({ event }) => event === 'ceremony-finished')).toMatchObject([
      { kind: 'registration' },
      { kind: 'authentication' },
      { kind: 'authentication' },
    ]);
    expect(output.stderr).not.toContain(token);
    for (const name of fixtures) {
      const { ceremony } = JSON.parse(await readFile(join(cwd, 'recorded', name), 'utf8'));
      expect(output.stderr).not.toContain(ceremony.challenge);
    }
  });
});

describe('every flag of passkey serve does something', () => {
  quick('policy', async () => {
    const { cwd, token } = await folderWithToken();
    const policy = '--algorithms EdDSA,-7 --attestation direct --user-verification required --resident-key required --timeout 30s'.split(
      ' ',
    );
    const { url, stop } = await serveHere(policy, { cwd });
    expect((await browserAt(url, token).optionsOfRegistration()).body).toMatchObject({
      pubKeyCredParams: [{ alg: -8 }, { alg: -7 }],
      attestation: 'direct',
      authenticatorSelection: { userVerification: 'required', residentKey: 'required' },
      timeout: 30_000,
    });
    await stop();
  });

  thorough('--challenge-ttl, --body-limit, --origin, --trust-proxy, --log-level', async () => {
    const { cwd, token } = await folderWithToken();
    const { url, output, stop } = await serveHere(
      ['--challenge-ttl', '1', '--body-limit', '2048', '--origin', 'https://app.example.com', '--trust-proxy', '--log-level', 'silent'],
      { cwd },
    );
    expect(await browserAt(url, token).register()).toMatchObject({
      status: 422,
      body: { code: expect.stringMatching(/^challenge_(expired|unknown)$/) },
    });
    const headers = { authorization: `Bearer ${token}` };
    const options = `${url}/api/passkeys/register/options`;
    expect(
      await call('POST', options, { headers, body: { app_name: 'x'.repeat(3000), app_url: 'https://app.example.com' } }),
    ).toMatchObject({ status: 413 });
    expect(await call('POST', options, { headers, body: { app_name: 'x', app_url: 'https://other.example.com' } })).toMatchObject({
      status: 403,
    });
    expect(await call('POST', `${url}/dev/sign-in`, { body: {} })).toMatchObject({ status: 403, body: { code: 'development_only' } });
    await stop();
    expect(output.stderr).toBe('');
  });

  thorough('--user-handle random gives 32 random bytes to users who have no handle yet; the handle stays', async () => {
    const { cwd, token } = await folderWithToken();
    await passkeyHere(['user', 'add', '--email', 'eve@example.com', '--name', 'Eve'], { cwd });
    const eve = (await passkeyHere(['token', 'create', '--user', 'eve@example.com'], { cwd })).stdout.trim();
    const handleAt = async (url: string, of: string) => (await browserAt(url, of).optionsOfRegistration()).body.user.id;

    const plain = await serveHere([], { cwd });
    expect(await handleAt(plain.url, token)).toBe(encodeBase64url(encodeUtf8('1')));
    await plain.stop();
    const random = await serveHere(['--user-handle', 'random'], { cwd });
    expect(await handleAt(random.url, token)).toBe(encodeBase64url(encodeUtf8('1')));
    const handles = await Promise.all([handleAt(random.url, eve), handleAt(random.url, eve)]);
    expect(handles[0]).toMatch(/^[\w-]{43}$/);
    expect(handles[1]).toBe(handles[0]);
    await random.stop();
    const again = await serveHere(['--user-handle', 'id'], { cwd });
    expect(await handleAt(again.url, eve)).toBe(handles[0]);
    await again.stop();
    expect(await passkeyHere(['serve', '--user-handle', 'email'], { cwd })).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('--user-handle expects one of id, random; got "email".'),
    });
  });

  thorough('--allowed-host, --owner-type and --fido-api', async () => {
    const cwd = await tempFolder();
    const { url, stop } = await serveHere(['--allowed-host', 'passkeys.test', '--owner-type', 'App\\Models\\User', '--fido-api'], { cwd });
    expect(await statusForHost(url, 'passkeys.test')).toBe(200);
    expect(await statusForHost(url, 'evil.test')).toBe(403);
    expect(await call('POST', `${url}/dev/sign-in`, { body: {} })).toMatchObject({
      status: 200,
      body: { user: { type: 'App\\Models\\User' } },
    });
    expect(await call('POST', `${url}/attestation/options`, { body: { username: 'ada', displayName: 'Ada' } })).toMatchObject({
      status: 200,
    });
    await stop();

    const plain = await serveHere([], { cwd });
    expect(await call('POST', `${plain.url}/attestation/options`, { body: { username: 'ada', displayName: 'Ada' } })).toMatchObject({
      status: 404,
    });
    await plain.stop();
    expect(await passkeyHere(['serve', '--port', '0', '--fido-api', '--production'], { cwd })).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('--fido-api'),
    });
  });

  quick('--auth-action, --token-ttl, --session-ttl and --session-idle', async () => {
    const { cwd, token } = await folderWithToken();
    const expiring = await serveHere(['--auth-action', 'expiring_token', '--token-ttl', '1h'], { cwd });
    const browser = browserAt(expiring.url, token);
    const { id } = await browser.register();
    const before = Date.now();
    const { body } = await browser.logIn(id);
    expect(body).toMatchObject({ token: expect.any(String), expires_at: expect.any(String) });
    const expiresAt = Date.parse((body as { expires_at: string }).expires_at);
    expect(Math.abs(expiresAt - before - 3_600_000)).toBeLessThan(60_000);
    await expiring.stop();

    const session = await serveHere(['--session-ttl', '2m'], { cwd });
    const signedIn = await call('POST', `${session.url}/dev/sign-in`, { body: {} });
    expect(signedIn.headers.get('set-cookie')).toMatch(/Max-Age=120\b/);
    await session.stop();

    const idle = await serveHere(['--session-idle', '1ms'], { cwd });
    const { headers } = await call('POST', `${idle.url}/dev/sign-in`, { body: {} });
    const cookie = headers.get('set-cookie')?.split(';')[0] ?? '';
    await delay(5);
    const { status } = await fetch(`${idle.url}/api/session`, { headers: { cookie } });
    expect(status).toBe(401);
    await idle.stop();
  });

  thorough('--auth-action with a module, relative to the configuration file', async () => {
    const { cwd, token } = await folderWithToken();
    await mkdir(join(cwd, 'conf'));
    await writeFile(join(cwd, 'conf/action.mjs'), 'export default ({ owner }) => ({ hello: owner.name });');
    await writeFile(join(cwd, 'conf/passkey.json'), JSON.stringify({ authAction: './action.mjs', store: '../.passkey/passkeys.jsonl' }));
    const { url, stop } = await serveHere(['--config', 'conf/passkey.json'], { cwd });
    const browser = browserAt(url, token);
    const { id } = await browser.register();
    expect(await browser.logIn(id)).toMatchObject({ status: 200, body: { hello: 'Ada' } });
    await stop();
  });

  thorough('--auth-action with a module that keeps a timer: neither serve nor exec waits for it', async () => {
    const cwd = await tempFolder();
    await writeFile(join(cwd, 'timer.mjs'), 'setInterval(() => {}, 1_000); export default () => ({});');
    const flags = ['--store', 'memory:', '--auth-action', './timer.mjs'];
    expect(await (await serve(flags, { cwd })).stop()).toBe(0);
    const command = [process.execPath, '-e', 'console.log("done"); process.exitCode = 7'];
    expect(await passkey(['exec', ...flags, '--', ...command], { cwd })).toMatchObject({ code: 7, stdout: 'done\n' });
  });

  thorough('--auth-action with a module that fails after it has answered: the server logs it and keeps running', async () => {
    const { cwd, token } = await folderWithToken();
    await writeFile(
      join(cwd, 'late.mjs'),
      `import { readFile } from 'node:fs';
      let logins = 0;
      const failures = [
        () => void setTimeout(() => { throw new Error('late throw'); }, 1),
        () => void Promise.reject(new Error('late rejection')),
        () => void readFile('none', () => { throw new Error('late callback'); }),
        () => void setTimeout(() => Promise.reject('no error'), 1),
      ];
      export default () => { failures[logins++ % failures.length](); return { hello: logins }; };`,
    );
    const { url, output, stop } = await serve(['--auth-action', './late.mjs'], { cwd });
    const browser = browserAt(url, token);
    const { id } = await browser.register();
    for (const hello of [1, 2, 3, 4, 5]) expect(await browser.logIn(id)).toMatchObject({ status: 200, body: { hello } });
    const lines = () => output.stderr.split('\n').filter((line) => line.includes('"level":50'));
    // The last one fails after its answer has come.
    await until(() => lines().length >= 5);
    expect(await stop()).toBe(0);
    const late = lines().map((line) => JSON.parse(line));
    expect(late).toMatchObject(
      late.map(() => ({ msg: expect.stringMatching(/^the auth action .*late\.mjs failed after it had responded$/) })),
    );
    expect(late).toHaveLength(5);
    for (const message of ['late throw', 'late rejection', 'late callback', 'no error']) {
      expect(JSON.stringify(late)).toContain(message);
    }
  });

  quick('--production and --rate-limit', async () => {
    const { cwd } = await folderWithToken();
    const { url, mode, stop } = await serveHere(['--production', '--rate-limit', '3'], { cwd });
    expect(mode).toBe('production');
    expect((await call('GET', `${url}/`)).status).toBe(404);
    expect((await call('GET', `${url}/dev/state`)).status).toBe(404);
    const ask = () => call<{ detail?: string }>('POST', `${url}/api/passkeys/verify/options`, { body: { credential_id: 'AAAA' } });
    const answers = [await ask(), await ask(), await ask(), await ask()];
    expect(answers.map(({ status }) => status)).toStrictEqual([404, 404, 404, 429]);
    expect(answers[0]?.body).not.toHaveProperty('detail');
    await stop();
  });

  quick.each([
    { given: '1', statuses: [200, 409] },
    { given: 'off', statuses: [200, 200] },
  ])('--max-passkeys $given', async ({ given, statuses }) => {
    const { cwd, token } = await folderWithToken();
    const { url, stop } = await serveHere(['--max-passkeys', given], { cwd });
    const { register, optionsOfRegistration } = browserAt(url, token);
    await register();
    const { status, body } = await optionsOfRegistration();
    expect([200, status]).toEqual(statuses);
    if (status === 409) expect(body).toMatchObject({ code: 'too_many_passkeys' });
    await stop();
  });

  quick('--host beyond loopback warns in development', async () => {
    const cwd = await tempFolder();
    const { output, stop, url } = await serveHere(['--host', '0.0.0.0', '--log-level', 'silent', '--store', 'memory:'], { cwd });
    expect(url).toMatch(/^http:\/\/localhost:\d+$/);
    await stop();
    expect(output.stderr).toMatch(/^warning: development mode on 0\.0\.0\.0/);
  });

  thorough('--top-origin lets a frame of that page take part, and no other', async () => {
    const { cwd, token } = await folderWithToken();
    const { url, stop } = await serveHere(['--top-origin', 'https://top.example.com'], { cwd });
    const framed = (topOrigin: string) => browserAt(url, token, {}, { topOrigin }).register();
    expect(await framed('https://top.example.com')).toMatchObject({ status: 200 });
    expect(await framed('https://evil.example.com')).toMatchObject({ status: 422, body: { code: 'top_origin_mismatch' } });
    await stop();
  });

  thorough('--record that cannot be made, and flags out of the environment', async () => {
    const cwd = await tempFolder();
    await writeFile(join(cwd, 'file'), '');
    expect(await passkeyHere(['serve', '--port', '0', '--record', 'file/rec'], { cwd })).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('--record'),
    });
    const { document, stop } = await serve([], {
      cwd,
      env: { PASSKEY_STORE: 'memory:', PASSKEY_PRODUCTION: 'true', PASSKEY_ORIGIN: 'https://a.test' },
    });
    expect(document).toMatchObject({ store: 'memory:', mode: 'production', origins: ['https://a.test'] });
    await stop();
  });
});
