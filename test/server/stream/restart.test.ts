import { createHash, generateKeyPairSync } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import type { StreamEntry } from '../../../src/server/schemas/stream.js';
import { encodeBase64url } from '../../../src/webauthn/base64url.js';
import { makeCertificate, toPem } from '../../relying-party/certificate.js';
import { APP_URL, collectLog, Service, START } from '../app.js';
import { keptLines } from './kept-in-memory.js';
import { detail, list } from './read.js';

function makeRoot(): string {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const name = { C: 'SE', O: 'Test', OU: 'CA', CN: 'Root' };
  const year = 31_536_000_000;
  const dates = { from: START - year, to: START + year };
  return toPem(makeCertificate({ subject: name, issuer: name, publicKey, privateKey, ca: true, serial: 1, ...dates }));
}

describe('after a restart', () => {
  test('what happened before is there, and says so; what was open then is expired', async () => {
    const keeper = keptLines();
    const { lines } = keeper;
    let verified: StreamEntry | undefined;
    let whole: unknown;
    {
      await using service = await Service.start({ stream: keeper });
      await service.register();
      await service.post('/api/passkeys/login/options', {}, { token: null });
      [, verified] = await list(service);
      whole = await detail(service, verified?.id);
    }
    await using service = await Service.start({ stream: keptLines(lines) });
    await service.inject({ url: '/api/nothing' });
    const entries = await list(service);
    expect(entries).toMatchObject([
      { kind: 'request', before: false },
      { kind: 'authentication', state: 'expired', before: true },
      { kind: 'registration', state: 'verified', before: true },
    ]);
    expect(new Set(entries.map(({ id }) => id)).size).toBe(3);
    expect(await detail(service, verified?.id)).toEqual({ ...(whole as object), before: true });
    expect(await detail(service, entries[1]?.id)).toMatchObject({ options: { timeout: 60_000 }, explanation: null });
  });

  test('attestation roots that have changed are said, and make no fixture', async () => {
    const keeper = keptLines();
    {
      await using service = await Service.start({ stream: keeper });
      await service.register();
    }
    await using same = await Service.start({ stream: keptLines(keeper.lines) });
    await using changed = await Service.start({ stream: keptLines(keeper.lines), policy: { attestationRoots: [makeRoot()] } });
    const [{ id } = { id: '' }] = await list(same);
    const before = await detail(same, id);
    expect(before.fixture).not.toBeNull();
    expect(before.explanation?.observations).not.toContainEqual(expect.objectContaining({ slug: 'trust-changed' }));
    const after = await detail(changed, id);
    expect(after).toMatchObject({ fixture: null, why_no_fixture: expect.stringContaining('have changed since') });
    expect(after.explanation?.observations).toContainEqual(expect.objectContaining({ slug: 'trust-changed' }));
    expect(after.explanation?.verdict).toBe('accepted');
  });
});

describe('a damaged file', () => {
  const random = (seed: string, most: number) => createHash('sha256').update(seed).digest().readUInt32BE() % most;

  test('keeps no server from starting, and is said once', async () => {
    const keeper = keptLines();
    {
      await using service = await Service.start({ stream: keeper });
      await service.register();
      await service.inject({ url: '/api/nothing' });
    }
    const good = keeper.lines.join('\n');
    const damaged = Array.from({ length: 200 }, (_, n) => {
      const [line = ''] = keeper.lines.slice(random(`line ${n}`, keeper.lines.length));
      const at = random(`at ${n}`, line.length);
      return n % 2 === 0
        ? line.slice(0, at)
        : `${line.slice(0, at)}${['"', '{', '}', '\u0000', 'null', ',', '9e999', '\\'][n % 8]}${line.slice(at + 1)}`;
    });
    const foreign = [
      'null',
      '[]',
      '7',
      '"text"',
      '{}',
      '{"entry":null}',
      '{"entry":{"id":1}}',
      '[[[[',
      'x'.repeat(3_000_000),
      '{"__proto__":{"entry":{}}}',
    ];
    const { logger, lines: log } = collectLog('warn');
    await using service = await Service.start({ logger, stream: keptLines([...damaged, ...foreign, ...keeper.lines]) });
    const entries = await list(service);
    expect(entries.filter(({ kind }) => kind === 'registration').length).toBeGreaterThanOrEqual(1);
    for (const { id } of entries) expect((await service.inject({ url: `/dev/stream/${id}` })).statusCode).toBe(200);
    await list(service);
    expect(log.filter(({ msg }) => String(msg).includes('of the stream of earlier starts cannot be read'))).toHaveLength(1);
    expect(keeper.lines.join('\n')).toBe(good);
  });

  test('what is kept of an entry in another shape is left out, and the entry stays', async () => {
    const keeper = keptLines();
    {
      await using service = await Service.start({ stream: keeper });
      await service.register();
    }
    const changed = keeper.lines.map((line) =>
      line.replace('"outcome":"verified"', '"outcome":7').replace(/"publicKey":"[^"]*"/, '"publicKey":"!"'),
    );
    await using service = await Service.start({ stream: keptLines(changed) });
    const [entry] = await list(service);
    expect(entry).toMatchObject({ state: 'verified', before: true });
    expect(await detail(service, entry?.id)).toMatchObject({ explanation: null, why_no_fixture: 'its details cannot be read' });
  });

  test('of which nothing can be read is an empty stream', async () => {
    const { logger, lines } = collectLog('warn');
    const broken = { ...keptLines(), read: async () => await Promise.reject(new Error('EIO')) };
    await using service = await Service.start({ logger, stream: broken });
    expect(await list(service)).toEqual([]);
    await service.register();
    expect(await list(service)).toHaveLength(1);
    expect(lines).toHaveLength(1);
  });
});

describe('secrets', () => {
  const SECRET = encodeBase64url(new Uint8Array(32).fill(0xa5));

  test('no token, cookie, open challenge or secret output of an extension is kept or told', async () => {
    const keeper = keptLines();
    const service = await Service.start({ stream: keeper, settings: { fidoApi: true } });
    const secrets = [service.token, SECRET];
    const { credentialId } = await service.register();
    const login = await service.post('/api/passkeys/login', await service.assert(credentialId), {
      token: null,
      headers: { cookie: `passkey_session=${SECRET}`, 'x-passkey-page': '1' },
    });
    secrets.push(login.json().token, ...login.cookies.map(({ value }) => value));
    const assertion = await service.assert(credentialId);
    const results = {
      prf: { enabled: true, results: { first: SECRET } },
      largeBlob: { blob: SECRET },
      hmacGetSecret: { output1: SECRET },
      unknown: SECRET,
    };
    await service.post('/api/passkeys/verify', { ...assertion, token: SECRET, clientExtensionResults: results }, { token: SECRET });
    await service.inject({ url: `/api/session?token=${SECRET}`, headers: { authorization: `Basic ${SECRET}` } });
    await service.post('/dev/sign-in', { email: 'eve@example.com' }, { token: null });
    const open = [
      (await service.post('/api/passkeys/login/options', {}, { token: null })).json().challenge,
      (await service.post('/api/passkeys/register/options', { app_name: 'App', app_url: APP_URL })).json().challenge,
      (await service.post('/attestation/options', { username: 'ada', displayName: 'Ada' }, { token: null })).json().challenge,
    ];
    // Refused before the relying party took it, so still good.
    const unspent = await service.assert(credentialId);
    await service.post('/api/passkeys/login', { ...unspent, id: SECRET, rawId: SECRET }, { token: null });
    open.push(JSON.parse(Buffer.from(unspent.response.clientDataJSON, 'base64url').toString()).challenge);
    const entries = await list(service);
    const details = await Promise.all(entries.map(({ id }) => detail(service, id)));
    await service.app.close();
    const told = JSON.stringify([entries, details, keeper.lines]);
    const inside = [...told.matchAll(/clientDataJSON\\*":\\*"([\w-]+)/g)].map(([, text = '']) => Buffer.from(text, 'base64url').toString());
    expect(inside.length).toBeGreaterThan(3);
    expect(entries.length).toBeGreaterThan(6);
    for (const secret of [...secrets, ...open].filter((each) => typeof each === 'string' && each !== '')) {
      expect([secret, told.includes(secret), inside.some((text) => text.includes(secret))]).toEqual([secret, false, false]);
    }
  });
});
