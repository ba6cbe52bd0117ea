import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect } from 'vitest';
import { PERSONA_NAMES } from '../../../src/authenticator/personas/personas.js';
import { run } from '../../../src/cli/main.js';
import { fakeIo } from '../../cli/fake-io.js';
import { runIn } from '../../cli/run-in.js';
import { tempFolder } from '../../cli/temp-folder.js';
import { APP_ORIGIN, APP_URL, OWN_ORIGIN, RP_ID, Service } from '../app.js';
import { test } from '../service-test.js';

const answer = (service: Service, body: object) => service.post('/dev/answer', body, { token: null });

async function registered(service: Service, more: object = {}) {
  const options = (await service.post('/api/passkeys/register/options', { app_name: 'App', app_url: APP_URL })).json();
  const answered = await answer(service, { options, origin: APP_ORIGIN, ...more });
  expect(answered.statusCode).toBe(200);
  expect((await service.post('/api/passkeys/register', answered.json().response)).statusCode).toBe(200);
  return answered.json();
}

describe('POST /dev/answer', () => {
  test('answers registrations and logins as any persona, and counts', async ({ service }) => {
    const { credential, persona } = await registered(service, { persona: 'yubikey-5' });
    expect([credential.rp_id, persona]).toEqual([RP_ID, 'yubikey-5']);
    const counts = [credential.sign_count];
    for (let login = 0; login < 2; login += 1) {
      const request = (await service.post('/api/passkeys/verify/options', { credential_id: credential.id })).json();
      const answered = (await answer(service, { publicKey: { ...request, rpId: RP_ID }, origin: APP_ORIGIN, persona: 'yubikey-5' })).json();
      expect((await service.post('/api/passkeys/login', answered.response, { token: null })).statusCode).toBe(200);
      counts.push(answered.credential.sign_count);
    }
    expect(counts).toEqual([...counts].sort((a, b) => a - b));
    expect(new Set(counts).size).toBe(3);
  });

  test('in another persona it is another device: the passkey that the user has stays', async ({ service }) => {
    const { credential: first } = await registered(service, { persona: 'icloud-keychain' });
    // The page leaves out what another persona holds.
    const asked = { app_name: 'App', app_url: APP_URL, options: { excludeCredentials: [] } };
    const options = (await service.post('/dev/register/options', asked)).json();
    const second = (await answer(service, { options, origin: APP_ORIGIN, persona: 'titan' })).json();
    expect((await service.post('/api/passkeys/register', second.response)).statusCode).toBe(200);
    for (const { id } of [first, second.credential]) {
      const request = (await service.post('/api/passkeys/verify/options', { credential_id: id })).json();
      const { response } = (await answer(service, { options: { ...request, rpId: RP_ID }, origin: APP_ORIGIN })).json();
      expect((await service.post('/api/passkeys/verify', response, { token: null })).statusCode).toBe(200);
    }
  });

  test('comes from a page of its own where no origin is given, without any secret', async ({ service }) => {
    const body = { app_name: 'App', app_url: OWN_ORIGIN };
    const options = (await service.post('/api/passkeys/register/options', body)).json();
    const { body: text } = await answer(service, { options });
    const { response } = JSON.parse(text);
    const clientData = JSON.parse(Buffer.from(response.response.clientDataJSON, 'base64url').toString());
    expect(clientData.origin).toBe(OWN_ORIGIN);
    expect(text).not.toMatch(/private/i);
  });

  const rows: [what: string, body: object, code: string, detail: string][] = [
    ['no options', { origin: APP_ORIGIN }, 'validation_failed', '/options is missing.'],
    ['what is no options', { options: { a: 1 } }, 'validation_failed', 'Expected creation options'],
    [
      'a persona that nobody knows',
      { options: { challenge: 'AAAA' }, persona: 'x' },
      'validation_failed',
      '/persona must be one of icloud',
    ],
    ['an origin that is none', { options: { challenge: 'AAAA' }, origin: 'app' }, 'validation_failed', 'Expected origin to be an origin'],
    [
      'an RP ID of another site',
      { options: { challenge: 'AAAA', rpId: 'a.test' } },
      'options_refused',
      'SecurityError: Expected publicKey.rpId',
    ],
    ['a login before any registration', { options: { challenge: 'AAAA' } }, 'options_refused', 'this server has none. Answer creation'],
  ];
  test.each(rows)('refuses %s', async (_, body, code, detail) => {
    await using service = await Service.start();
    const reply = await answer(service, body);
    expect([reply.statusCode, reply.json().code, reply.json().detail]).toEqual([422, code, expect.stringContaining(detail)]);
  });

  test('is not for bearer tokens from elsewhere, and not there in production', async ({ service }) => {
    const headers = { authorization: `Bearer ${service.token}` };
    const routes = [
      ['POST', '/dev/answer'],
      ['POST', '/dev/tamper'],
      ['GET', '/dev/personas'],
      ['GET', '/dev/mutations'],
    ] as const;
    for (const [method, url] of routes) {
      const reply = await service.inject({ method, url, headers, remoteAddress: '192.168.1.9' });
      expect([reply.statusCode, reply.json().code]).toEqual([403, 'development_only']);
    }
    await using production = await Service.start({ settings: { mode: 'production' } });
    expect((await answer(production, {})).statusCode).toBe(404);
  });

  test('breaks a response on purpose, in the ways that GET /dev/mutations lists', async ({ service }) => {
    const { credential } = await registered(service);
    const options = (await service.post('/api/passkeys/login/options', { app_url: APP_URL })).json();
    const broken = (await answer(service, { options, origin: APP_ORIGIN, tamper: 'signature-bit' })).json();
    const refused = await service.post('/api/passkeys/login', broken.response, { token: null });
    expect([broken.credential.id, refused.statusCode, refused.json().code]).toEqual([credential.id, 401, 'signature_invalid']);
    const mutations = (await service.inject({ url: '/dev/mutations' })).json();
    expect(mutations).toContainEqual(broken.tamper);
    const unknown = await answer(service, { options, origin: APP_ORIGIN, tamper: 'signature-bits' });
    expect([unknown.statusCode, unknown.json().detail]).toEqual([422, expect.stringContaining('Did you mean signature-bit')]);
  });

  test('GET /dev/personas lists whom it imitates', async ({ service }) => {
    const personas = (await service.inject({ url: '/dev/personas' })).json();
    expect(personas.map(({ name }: { name: string }) => name)).toEqual(PERSONA_NAMES);
    expect(personas[0]).toMatchObject({ about: expect.any(String), quirks: expect.any(Array), evidence: 'recorded' });
    const known = new Map(personas.map((persona: { id: string }) => [persona.id, persona]));
    expect(known.get('icloud-keychain')).toMatchObject({
      title: 'iCloud Keychain',
      description: 'synced passkey of Apple’s devices',
      synced: true,
      attestation: ['none'],
      extensions: ['prf', 'largeBlob'],
      discoverable: 'always',
      counts: false,
    });
    expect(known.get('security-key-u2f')).toMatchObject({
      synced: false,
      attachment: 'cross-platform',
      attestation: ['fido-u2f'],
      algorithms: ['ES256'],
      user_verification: false,
      discoverable: 'never',
      counts: true,
    });
  });
});

describe('passkey serve keeps the private keys of POST /dev/answer', () => {
  async function answered(cwd: string, ...argv: readonly string[]): Promise<void> {
    const { io, written } = fakeIo({ cwd });
    const listening = new Promise<void>((resolve) => void io.stdout.once('data', () => resolve()));
    const ended = run(['serve', '--port', '0', '--no-open', '--json', '--log-level', 'silent', ...argv], io);
    await Promise.race([listening, ended]);
    const { url } = JSON.parse(written.stdout);
    const rp = { name: 'Own' };
    const user = { id: 'QWRh', name: 'ada', displayName: 'Ada' };
    const options = { rp, user, challenge: 'AAAA', pubKeyCredParams: [{ type: 'public-key', alg: -7 }] };
    const body = JSON.stringify({ options });
    const reply = await fetch(`${url}/dev/answer`, { method: 'POST', headers: { 'content-type': 'application/json' }, body });
    expect(reply.status).toBe(200);
    (io.signals as NodeJS.EventEmitter).emit('SIGTERM');
    expect(await ended).toBe(0);
  }

  test('beside the store, where passkey credential finds them', async () => {
    const cwd = await tempFolder();
    await answered(cwd);
    expect(JSON.parse((await runIn(cwd, ['credential', 'list', '--json'])).stdout)).toMatchObject([
      { rp_id: 'localhost', user_name: 'ada' },
    ]);
    await answered(cwd, '--store', 'deep/own.json');
    expect(JSON.parse(await readFile(join(cwd, 'deep/credentials.json'), 'utf8')).credentials).toHaveLength(1);
  });

  test('in memory with a store in memory, unless a file is named', async () => {
    const cwd = await tempFolder();
    await answered(cwd, '--store', 'memory:');
    expect(existsSync(join(cwd, '.passkey'))).toBe(false);
    await answered(cwd, '--store', 'memory:', '--credentials', 'keys.json');
    expect(existsSync(join(cwd, 'keys.json'))).toBe(true);
  });
});
