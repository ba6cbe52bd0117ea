import { generateKeyPairSync } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { runIn } from './run-in.js';
import { seeded } from './seeded-store.js';
import { tempFolder } from './temp-folder.js';

describe('users without a passkey', () => {
  test.each([
    [['revoke', '1', '2', '--dry-run'], '2 passkeys would be revoked; 1 user keeps none (User:1); nothing was changed.'],
    [['revoke', '1', '--dry-run'], '1 passkey would be revoked; nothing was changed.'],
    [['revoke', '1-4', '--dry-run'], '3 passkeys would be revoked; 2 users keep none (User:1, Admin:1); nothing was changed.'],
    [['revoke', '--rp-id', 'example.com', '--dry-run'], '2 passkeys would be revoked; 1 user keeps none (Admin:1); nothing was changed.'],
    [['revoke', '3', '4', '--yes'], '; 1 user keeps none (Admin:1).'],
  ])('%j says who keeps none', async (argv, message) => {
    const { passkey } = await seeded();
    expect((await passkey(...argv)).stderr).toContain(message);
  });

  test('user list --without-passkey lists them, also those who never had one', async () => {
    const { passkey } = await seeded();
    const list = async (...argv: string[]) => {
      const { stdout } = await passkey('user', 'list', '--without-passkey', '--json', ...argv);
      return JSON.parse(stdout).map(({ type, id }: { type: string; id: number }) => `${type}:${id}`);
    };
    expect(await list()).toStrictEqual(['User:2']);
    await passkey('user', 'add', '--email', 'c@example.com', '--name', 'C');
    await passkey('revoke', '4', '--yes');
    expect(await list()).toStrictEqual(['Admin:1', 'User:2', 'User:3']);
    expect(await list('--revoked')).toStrictEqual(['Admin:1', 'User:2']);
    expect(await list('--type', 'Admin')).toStrictEqual(['Admin:1']);
    expect(await passkey('user', 'list', '--without-passkey', '--label', 'ada')).toMatchObject({
      stdout: '',
      stderr: 'No user matches both --label ada and --without-passkey.\n',
    });
    expect(await passkey('user', 'list', '--without-passkey', '--rp-id', 'example.com')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('cannot be used with'),
    });
  });
});

describe('credential IDs', () => {
  test.each([
    [['list', '--json', '--all']],
    [['list', '--csv', '--all']],
    [['list', '--columns', 'credential_id', '--all']],
    [['show', '2', '--json']],
    [['show', '2']],
    [['revoke', '2', '--dry-run', '--json']],
    [['restore', '3', '--dry-run', '--json']],
    [['user', 'show', 'ada@example.com', '--json']],
    [['purge', '--older-than', '1s', '--dry-run', '--json']],
    [['store', 'export']],
  ])('%j spells them in base64url', async (argv) => {
    const { passkey } = await seeded();
    const { code, stdout } = await passkey(...argv);
    expect(code).toBe(0);
    expect(stdout).not.toMatch(/\+\+8[A-E]/);
    if (argv[0] !== 'purge') expect(stdout).toMatch(/--8[A-E]/);
  });

  test.each(['++8C', '--8C', 'fbef02', 'fb:ef:02'])('%s is read', async (id) => {
    const { passkey } = await seeded();
    expect(JSON.parse((await passkey('show', '--json', '--', id)).stdout)).toMatchObject({ id: 2, credential_id: '--8C' });
  });

  test('the audit log spells them so, and finds either spelling', async () => {
    const { passkey } = await seeded();
    await passkey('revoke', '2', '--yes');
    for (const id of ['++8C', '--8C']) {
      const { stdout } = await passkey('audit', '--json', `--passkey=${id}`);
      expect(JSON.parse(stdout)).toMatchObject([{ action: 'revoke', passkey_id: 2, credential_id: '--8C' }]);
    }
  });
});

describe('a narrow terminal', () => {
  test('list keeps the user at 60 columns, and drops the time of the registration', async () => {
    const { cwd } = await seeded();
    const narrow = (await runIn(cwd, ['list'], { COLUMNS: '60' })).stdout.split('\n');
    expect(narrow[0]).toMatch(/^ID +LABEL +USER +RP ID +LAST USED \(UTC\)$/);
    expect(narrow[1]).toContain('User:1 ada@exam');
    for (const line of narrow) expect(line.length).toBeLessThanOrEqual(60);
    const [wide] = (await runIn(cwd, ['list'], { COLUMNS: '80' })).stdout.split('\n');
    expect(wide).toContain('CREATED (UTC)');
  });
});

test.each(['--8C', '++8C'])('credential convert and remove take %s for the same credential', async (id) => {
  const cwd = await tempFolder();
  await writeFile(
    join(cwd, 'key.pem'),
    generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey.export({ format: 'pem', type: 'pkcs8' }),
  );
  const about = [`--credential-id=${id}`, '--rp-id', 'example.com', '--user-handle', 'Kio', '--user-name', 'ada'];
  expect(await runIn(cwd, ['credential', 'convert', 'key.pem', '--from', 'pkcs8', '--add', ...about])).toMatchObject({ code: 0 });
  expect(JSON.parse((await runIn(cwd, ['credential', 'list', '--json'])).stdout)).toMatchObject([{ id: '--8C' }]);
  const removed = await runIn(cwd, ['credential', 'remove', '--yes', '--json', '--', id]);
  expect(JSON.parse(removed.stdout)).toMatchObject({ credentials: [{ id: '--8C' }] });
});
