import { describe, expect, test } from 'vitest';
import { openStore } from '../../src/store/open-store.js';
import { runIn } from './run-in.js';
import { seeded } from './seeded-store.js';

const ICLOUD = 'fbfc3007-154e-4ecc-8c0b-6e020557d7bd';
const wordsOf = (line: string): string[] => line.split(' ').filter((word) => word !== '');
const idsOf = (stdout: string): number[] => JSON.parse(stdout).map(({ id }: { id: number }) => id);

describe('the filters of passkey list', () => {
  const rows: [argv: string, ids: number[]][] = [
    ['--type Admin', [4]],
    ['--label pHo', [1]],
    ['--label KEY --all', [3, 4]],
    ['--provider icloud', [1, 2, 4]],
    ['--provider YubiKey', []],
    [`--aaguid ${ICLOUD.toUpperCase()}`, [1, 2, 4]],
    [`--aaguid 00000000-0000-0000-0000-000000000000 --aaguid ${ICLOUD}`, [1, 2, 4]],
    [`--provider YubiKey --aaguid ${ICLOUD}`, []],
    ['--backed-up', [2]],
    ['--no-backed-up', [1, 4]],
    ['--created-before 2026-01-15T10:32:00Z', [1]],
    ['--created-before 2026-01-15T12:32+02:00', [1]],
    ['--created-before 2026-01-15T10:32:00.001', [1, 2]],
    ['--created-before 2026-01-15', []],
    ['--created-before 2026-01-16', [1, 2, 4]],
    ['--unused-since 2026-01-15T11:30:00Z', [1, 4]],
    ['--unused-since 1d', []],
    ['--unused-since 9999w', []],
    ['--user ada@example.com --rp-id login.example.com --backed-up --type User', [2]],
    ['--sort -email', [4, 1, 2]],
    ['--sort id --offset 1', [2, 4]],
    ['--sort -id --offset 1 --limit 1', [2]],
    ['', [1, 2, 4]],
    ['--all', [1, 2, 3, 4]],
    ['--revoked', [3]],
    ['--user ada@example.com', [1, 2]],
    ['--user Admin:1', [4]],
    ['--user 1', [1, 2]],
    ['--user User:2', []],
    ['--user User:2 --all', [3]],
    ['--rp-id example.com', [1, 4]],
    ['--rp-id nowhere.test', []],
    ['--sort -id', [4, 2, 1]],
    ['--sort sign_count', [4, 1, 2]],
    ['--sort -last_used_at --limit 1', [2]],
    ['--sort label', [4, 2, 1]],
    ['--limit 2', [1, 2]],
  ];
  test('find what they name, and narrow each other', async () => {
    const { passkey } = await seeded();
    for (const [argv, ids] of rows) {
      const { code, stdout, stderr } = await passkey('list', '--json', ...wordsOf(argv));
      expect([code, stderr, idsOf(stdout)], argv).toStrictEqual([0, '', ids]);
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
});

/** The command that a table names for more, without `passkey`. */
const nextCommand = (stderr: string): string[] | undefined => {
  const [, words] = /for more: `passkey (.*)`\.\n$/.exec(stderr) ?? [];
  return words === undefined ? undefined : Array.from(words.matchAll(/"([^"]*)"|(\S+)/g), ([, quoted, word]) => quoted ?? word ?? '');
};

describe('the command that a table names for more', () => {
  test.each([
    ['list', '--all', '--limit', '1'],
    ['list', '--all', '--sort', '-email', '--limit', '1'],
    ['list', '--all', '--sort', '-last_used_at', '--limit', '1', '--columns', 'id,label'],
    ['list', '--no-backed-up', '--all', '--limit', '1'],
    ['list', '--label', 'e y', '--label', 'e', '--all', '--limit', '1'],
    ['list', '--all', '--aaguid', '00000000-0000-0000-0000-000000000000', '--aaguid', ICLOUD, '--limit', '1', '--sort', 'aaguid'],
    ['list', '--all', '--offset', '1', '--limit', '1'],
    ['user', 'list', '--sort', '-passkeys', '--limit', '1'],
    ['user', 'list', '--sort', 'email', '--limit', '1'],
    ['user', 'list', '--limit', '1'],
    ['token', 'list', '--all', '--sort', '-expires_at', '--limit', '1'],
    ['token', 'list', '--all', '--sort', 'label', '--limit', '1'],
  ])('shows all of `%s`, one by one', async (...argv) => {
    const { passkey } = await seeded();
    for (const label of ['CI', 'phone']) {
      await passkey('token', 'create', '--user', 'ada@example.com', '--label', label, '--expires', '30d');
    }
    const whole = argv.filter((word, index) => word !== '--limit' && argv[index - 1] !== '--limit');
    const rowsOf = async (words: readonly string[]) =>
      (await passkey(...words, '--csv', '--columns', 'id,user')).stdout.split('\r\n').slice(1, -1);
    const columns = (words: readonly string[]) => words.filter((word, index) => word !== '--columns' && words[index - 1] !== '--columns');
    const seen: string[] = [];
    for (let next: string[] | undefined = argv; next !== undefined; next = nextCommand((await passkey(...next)).stderr)) {
      seen.push(...(await rowsOf(columns(next))));
    }
    expect(seen).toStrictEqual(await rowsOf(columns(whole)));
    expect(seen.length).toBeGreaterThan(0);
  });

  test.each([
    [['list', '--after', '7'], 'passkey: --after expects the id of a passkey; none has the id 7. Start again without --after.\n'],
    [['token', 'list', '--after', '77'], 'passkey: --after expects the id of a token; none has the id 77. Start again without --after.\n'],
    [['list', '--after', 'ada'], /^passkey: --after expects a whole number from 1/],
    [['user', 'list', '--after', 'eve@example.com'], /^passkey: .*eve@example\.com/],
    [['list', '--after', '1', '--offset', '1'], /'--after <id>' cannot be used with option '--offset <number>'/],
  ])('%j is refused', async (argv, message) => {
    const { passkey } = await seeded();
    const { code, stdout, stderr } = await passkey(...argv);
    expect([code > 0, stdout]).toStrictEqual([true, '']);
    expect(stderr).toMatch(message);
  });
});

describe('the pages of passkey list', () => {
  test.each([
    [['--limit', '2'], 'Showing 1-2 of 3 passkeys; for more: `passkey list --limit 2 --after 2`.\n'],
    [
      ['--limit', '1', '--offset', '1', '--sort', '-id'],
      'Showing 2-2 of 3 passkeys; for more: `passkey list --limit 1 --sort -id --after 2`.\n',
    ],
    [['--offset', '2'], 'Showing 3-3 of 3 passkeys.\n'],
    [['--offset', '7'], 'There are only 3 passkeys; --offset 7 skips all of them.\n'],
    [['--offset', '7', '--user', 'Admin:1'], 'There is only 1 passkey; --offset 7 skips all of them.\n'],
    [['--limit', '3'], ''],
    [['--after', '1', '--limit', '1'], 'Showing 1 passkey after 1; for more: `passkey list --limit 1 --after 2`.\n'],
    [['--after', '2', '--limit', '2'], 'Showing the last 1 passkey.\n'],
    [['--after', '4'], 'No passkey comes after 4.\n'],
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

describe('passkey user list', () => {
  const rows: [argv: string, users: string[]][] = [
    ['', ['Admin:1', 'User:1', 'User:2']],
    ['--type User', ['User:1', 'User:2']],
    ['--user ada@example.com', ['User:1']],
    ['--label BOB@', ['Admin:1', 'User:2']],
    ['--rp-id login.example.com', ['User:1']],
    ['--revoked', ['User:2']],
    ['--revoked --rp-id login.example.com', []],
    ['--backed-up', ['User:1']],
    ['--provider iCloud --no-backed-up', ['Admin:1', 'User:1']],
    ['--aaguid 00000000-0000-0000-0000-000000000000', []],
    ['--unused-since 2026-01-15T11:00:00Z', ['Admin:1', 'User:2']],
    ['--created-before 2026-01-15', []],
    ['--sort -passkeys --limit 2', ['User:1', 'Admin:1']],
    ['--sort email --offset 1', ['Admin:1', 'User:2']],
  ];
  test('filters, sorts and pages', async () => {
    const { passkey } = await seeded();
    for (const [argv, users] of rows) {
      const { code, stdout, stderr } = await passkey('user', 'list', '--json', '--columns', 'user', ...wordsOf(argv));
      const found = JSON.parse(stdout).map(({ user }: { user: string }) => user);
      expect([code, stderr, found], argv).toStrictEqual([0, '', users]);
    }
  });

  test('is JSON as documented, CSV, and a table that says which part it is', async () => {
    const { passkey } = await seeded();
    expect(JSON.parse((await passkey('user', 'list', '--json', '--user', 'User:1')).stdout)).toStrictEqual([
      { id: 1, type: 'User', email: 'ada@example.com', name: 'Ada', created_at: '2026-01-15T10:30:00.000000Z', passkeys: 2 },
    ]);
    expect((await passkey('user', 'list', '--csv', '--limit', '1')).stdout).toBe(
      'id,type,email,name,created_at,passkeys\r\n1,Admin,bob@example.com,Bob \\x1b[2J,2026-01-15T10:30:00.000000Z,1\r\n',
    );
    expect(await passkey('user', 'list', '--limit', '1', '--offset', '1')).toStrictEqual({
      code: 0,
      stdout: 'USER    E-MAIL           NAME  PASSKEYS  CREATED (UTC)\nUser:1  ada@example.com  Ada          2  2026-01-15 10:30\n',
      stderr: 'Showing 2-2 of 3 users; for more: `passkey user list --limit 1 --after User:1`.\n',
    });
  });

  test.each([
    [['--label', 'eve'], 'No user matches --label eve.'],
    [['--label', 'ada', '--revoked'], 'No user matches both --label ada and --revoked.'],
    [['--backed-up', '--type', 'Admin'], 'No user matches both --type Admin and --backed-up.'],
  ])('%j says which filter matches nothing', async (argv, message) => {
    const { passkey } = await seeded();
    expect(await passkey('user', 'list', ...argv)).toStrictEqual({ code: 0, stdout: '', stderr: `${message}\n` });
  });
});

describe('passkey token list', () => {
  test('filters, sorts and pages', async () => {
    const { passkey, store } = await seeded();
    const opened = await openStore(store, { create: false });
    const hash = new Uint8Array(32);
    const token = { kind: 'token', owner: { type: 'User', id: 1 }, createdAt: Date.UTC(2026, 0, 14), expiresAt: undefined } as const;
    await opened.insertAccess({ ...token, hash: hash.fill(1), label: 'login', passkeyId: 2 });
    await opened.insertAccess({ ...token, hash: hash.fill(2), label: 'Logging in', passkeyId: 1, owner: { type: 'Admin', id: 1 } });
    await opened.insertAccess({ ...token, hash: hash.fill(3), label: 'CI', passkeyId: undefined, createdAt: Date.UTC(2026, 0, 10) });
    await opened.insertAccess({ ...token, hash: hash.fill(4), label: 'expired', passkeyId: undefined, expiresAt: Date.UTC(2026, 0, 15) });
    await opened.insertAccess({ ...token, hash: hash.fill(5), label: 'revoked', passkeyId: undefined });
    await opened.insertAccess({ ...token, kind: 'session', hash: hash.fill(6), label: undefined, passkeyId: 1 });
    await opened.revokeAccess(5, Date.UTC(2026, 0, 15));
    await opened.close();
    const rows: [argv: string, ids: number[]][] = [
      ['', [1, 2, 3]],
      ['--all', [1, 2, 3, 4, 5]],
      ['--revoked', [5]],
      ['--label LOG', [1, 2]],
      ['--type Admin', [2]],
      ['--user User:1 --label i', [1, 3]],
      ['--rp-id login.example.com', [1]],
      ['--backed-up', [1]],
      ['--no-backed-up --provider icloud', [2]],
      ['--created-before 2026-01-11', [3]],
      ['--sort -label --limit 2', [1, 2]],
      ['--sort email --offset 1', [3, 2]],
    ];
    for (const [argv, ids] of rows) {
      const { code, stdout, stderr } = await passkey('token', 'list', '--json', ...wordsOf(argv));
      expect([code, stderr, idsOf(stdout)], argv).toStrictEqual([0, '', ids]);
    }
    expect(
      (await passkey('token', 'list', '--csv', '--columns', 'id,email,state', '--all')).stdout.split('\r\n').slice(1, 6),
    ).toStrictEqual([
      '1,ada@example.com,live',
      '2,bob@example.com,live',
      '3,ada@example.com,live',
      '4,ada@example.com,expired',
      '5,ada@example.com,revoked',
    ]);
    const shown = await passkey('token', 'list', '--limit', '1');
    expect(shown.stdout).toMatch(/^ID {2}USER +LABEL .*\n 1 {2}User:1 ada@example.com {2}login {2}2026-01-14 00:00 {2}never +live\n$/);
    expect(shown.stderr).toBe('Showing 1-1 of 3 tokens; for more: `passkey token list --limit 1 --after 1`.\n');
    expect((await passkey('token', 'list', '--revoked', '--label', 'CI')).stderr).toBe(
      'No revoked token matches --label CI. 1 other token does: add --all.\n',
    );
  });

  test('when a token was last used is not stored, and not asked for', async () => {
    const { passkey } = await seeded();
    const { code, stderr } = await passkey('token', 'list', '--unused-since', '30d');
    expect(code).toBe(2);
    expect(stderr).toContain("unknown option '--unused-since'");
  });
});
