import { describe, expect, test } from 'vitest';
import { runIn } from './run-in.js';
import { seeded } from './seeded-store.js';

const ICLOUD = 'fbfc3007-154e-4ecc-8c0b-6e020557d7bd';
const idsOf = (stdout: string): number[] => JSON.parse(stdout).map(({ id }: { id: number }) => id);

describe('the filters of passkey list', () => {
  const rows: [argv: string[], ids: number[]][] = [
    [['--type', 'Admin'], [4]],
    [['--label', 'pHo'], [1]],
    [
      ['--label', 'KEY', '--all'],
      [3, 4],
    ],
    [
      ['--provider', 'icloud'],
      [1, 2, 4],
    ],
    [['--provider', 'YubiKey'], []],
    [
      ['--aaguid', ICLOUD.toUpperCase()],
      [1, 2, 4],
    ],
    [
      ['--aaguid', '00000000-0000-0000-0000-000000000000', '--aaguid', ICLOUD],
      [1, 2, 4],
    ],
    [['--provider', 'YubiKey', '--aaguid', ICLOUD], []],
    [['--backed-up'], [2]],
    [['--no-backed-up'], [1, 4]],
    [['--created-before', '2026-01-15T10:32:00Z'], [1]],
    [['--created-before', '2026-01-15T12:32+02:00'], [1]],
    [
      ['--created-before', '2026-01-15 10:32:00.001'],
      [1, 2],
    ],
    [['--created-before', '2026-01-15'], []],
    [
      ['--created-before', '2026-01-16'],
      [1, 2, 4],
    ],
    [
      ['--unused-since', '2026-01-15T11:30:00Z'],
      [1, 4],
    ],
    [['--unused-since', '1d'], []],
    [['--unused-since', '9999w'], []],
    [['--user', 'ada@example.com', '--rp-id', 'login.example.com', '--backed-up', '--type', 'User'], [2]],
    [
      ['--sort', '-email'],
      [4, 1, 2],
    ],
    [
      ['--sort', 'id', '--offset', '1'],
      [2, 4],
    ],
    [['--sort', '-id', '--offset', '1', '--limit', '1'], [2]],
  ];
  test('find what they name, and narrow each other', async () => {
    const { passkey } = await seeded();
    for (const [argv, ids] of rows) {
      const { code, stdout, stderr } = await passkey('list', '--json', ...argv);
      expect([code, stderr, idsOf(stdout)], argv.join(' ')).toStrictEqual([0, '', ids]);
    }
  });

  test.each([
    [['--provider', 'yubiky'], /^passkey: --provider expects the name of a .* none contains "yubiky" \(did you mean "YubiKey"\?\)/],
    [['--aaguid', 'fbfc3007'], /^passkey: --aaguid: "fbfc3007" is not an AAGUID of 8-4-4-4-12 hexadecimal digits/],
    [['--unused-since', 'yesterday'], /^passkey: --unused-since expects a date such as 2026-01-31, .* got "yesterday"/],
    [['--created-before', '2026-02-30'], /^passkey: --created-before expects a date/],
    [['--created-before', '2026-01-15T25:00'], /^passkey: --created-before expects a date/],
    [['--columns', 'id,emial'], /^passkey: --columns expects some of id, .*; got "emial" \(did you mean "email"\?\)/],
    [['--sort', '-provider'], /^passkey: --sort expects one of id, label, .*; got "provider"/],
    [['--offset', '-1'], /^passkey: --offset expects a whole number from 0/],
    [['--revoked', '--all'], /cannot be used with option/],
  ])('%j is wrong usage', async (argv, message) => {
    const { passkey } = await seeded();
    const { code, stdout, stderr } = await passkey('list', ...argv);
    expect([code, stdout]).toStrictEqual([2, '']);
    expect(stderr).toMatch(message);
  });

  test.each([
    [['--provider', 'yubikey'], 'No live passkey matches --provider yubikey.'],
    [['--backed-up', '--label', 'Phone'], 'No live passkey matches both --label Phone and --backed-up.'],
    [['--backed-up', '--label', 'Phone', '--user', '1'], 'No live passkey matches all of --user 1, --label Phone and --backed-up.'],
    [['--label', 'old'], 'No live passkey matches --label old. 1 revoked passkey does: add --all.'],
    [['--created-before', '2020-01-01', '--aaguid', ICLOUD], 'No live passkey matches --created-before 2020-01-01.'],
  ])('%j says which of them matches nothing', async (argv, message) => {
    const { passkey } = await seeded();
    expect(await passkey('list', ...argv)).toStrictEqual({ code: 0, stdout: '', stderr: `${message}\n` });
  });
});

describe('the pages of passkey list', () => {
  test.each([
    [['--limit', '2'], 'Showing 1-2 of 3 passkeys; --offset 2 shows more.\n'],
    [['--limit', '1', '--offset', '1', '--sort', '-id'], 'Showing 2-2 of 3 passkeys; --offset 2 shows more.\n'],
    [['--offset', '2'], 'Showing 3-3 of 3 passkeys.\n'],
    [['--offset', '7'], 'There are only 3 passkeys; --offset 7 leaves none.\n'],
    [['--offset', '7', '--user', 'Admin:1'], 'There is only 1 passkey; --offset 7 leaves none.\n'],
    [['--limit', '3'], ''],
  ])('%j says which part it is', async (argv, talk) => {
    const { passkey } = await seeded();
    const { stderr } = await passkey('list', ...argv);
    expect(stderr).toBe(talk);
    expect((await passkey('list', ...argv, '--json')).stderr).toBe('');
  });
});

describe('the columns of passkey list', () => {
  test('are those that are named, in that order, in every form', async () => {
    const { passkey, cwd } = await seeded();
    const columns = ['--columns', 'email,id,provider,backup_state,transports,last_used_at', '--user', 'ada@example.com'];
    const [first] = JSON.parse((await passkey('list', '--json', ...columns)).stdout);
    expect(Object.entries(first)).toStrictEqual([
      ['email', 'ada@example.com'],
      ['id', 1],
      ['provider', 'iCloud Keychain'],
      ['backup_state', false],
      ['transports', ['internal', 'hybrid']],
      ['last_used_at', null],
    ]);
    expect((await passkey('list', '--csv', ...columns)).stdout.split('\r\n').slice(0, 2)).toStrictEqual([
      'email,id,provider,backup_state,transports,last_used_at',
      'ada@example.com,1,iCloud Keychain,false,internal hybrid,',
    ]);
    expect((await runIn(cwd, ['list', ...columns], { COLUMNS: '120' })).stdout.split('\n').slice(0, 2)).toStrictEqual([
      'E-MAIL           ID  PROVIDER         BACKED UP  TRANSPORTS       LAST USED (UTC)',
      'ada@example.com   1  iCloud Keychain  false      internal hybrid  never',
    ]);
  });

  test('of a removed user there is no e-mail', async () => {
    const { passkey } = await seeded();
    await passkey('user', 'remove', 'Admin:1', '--yes');
    expect(JSON.parse((await passkey('list', '--revoked', '--json', '--columns', 'id,user,email')).stdout)).toStrictEqual([
      { id: 3, user: 'User:2', email: 'bob@example.com' },
      { id: 4, user: 'Admin:1', email: null },
    ]);
  });
});
