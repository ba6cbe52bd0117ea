import { appendFileSync, mkdirSync, rmSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { MAX_OWNER_ID } from '../../src/accounts/owners.js';
import { run } from '../../src/cli/main.js';
import type { AuditEntry } from '../../src/store/audit/entry.js';
import { createFileAudit } from '../../src/store/audit/file-log.js';
import { newAuditEntry, START } from '../contract/samples.js';
import { ACCOUNT_CHANGES, changeAccounts, follow } from './audited.js';
import { fakeIo } from './fake-io.js';
import { runIn } from './run-in.js';
import { seeded, seedStore } from './seeded-store.js';
import { tempFolder } from './temp-folder.js';

async function entriesOf(cwd: string, ...argv: string[]): Promise<AuditEntry[]> {
  const { code, stdout, stderr } = await runIn(cwd, ['audit', '--json', ...argv]);
  expect([code, stderr]).toEqual([0, '']);
  return JSON.parse(stdout);
}

describe('every command that changes something', () => {
  test('is noted once, with who ran it', async () => {
    const cwd = await tempFolder();
    const { stdout } = await changeAccounts(cwd, { PASSKEY_STORE: 'passkeys.jsonl' });
    expect(JSON.parse(stdout)).toMatchObject(ACCOUNT_CHANGES);
  });

  test('on passkeys too; what a removed user had is named with them', async () => {
    const { cwd, passkey } = await seeded();
    await passkey('revoke', '1', '2', '--yes', '--reason', 'lost');
    await passkey('revoke', '1', '--yes');
    await passkey('restore', '1', '3');
    await passkey('user', 'remove', 'User:1', '--yes');
    expect(await entriesOf(cwd)).toMatchObject([
      { action: 'revoke', passkey_id: 1, reason: 'lost', subject: 'User:1', credential_id: '--8B', label: 'Phone', rp_id: 'example.com' },
      { action: 'revoke', passkey_id: 2, reason: 'lost' },
      { action: 'restore', passkey_id: 1, reason: null, revoked_reason: 'lost' },
      { action: 'restore', passkey_id: 3, subject: 'User:2', revoked_reason: 'lost' },
      { action: 'user-remove', subject: 'User:1', revoked_passkeys: [1], reason: 'user removed' },
    ]);
    expect((await entriesOf(cwd, '--passkey', '1')).map(({ action }) => action)).toEqual(['revoke', 'restore', 'user-remove']);
  });

  test('is its own source', async () => {
    const { cwd, passkey } = await seeded();
    const lines = [
      ['user', 'add', '--email', 'eve@example.com', '--name', 'Eve'],
      ['user', 'edit', 'eve@example.com', '--name', 'Eva'],
      ['token', 'create', '--user', 'eve@example.com'],
      ['token', 'revoke', '1'],
      ['credential', 'create', '--user', 'eve@example.com'],
      ['revoke', '1', '--yes'],
      ['restore', '1', '--yes'],
      ['user', 'remove', 'eve@example.com', '--yes'],
    ] as const;
    for (const line of lines) {
      const before = (await entriesOf(cwd)).length;
      expect(await passkey(...line)).toMatchObject({ code: 0 });
      const command = line.slice(0, ['revoke', 'restore'].includes(line[0]) ? 1 : 2).join(' ');
      expect([...new Set((await entriesOf(cwd)).slice(before).map(({ source }) => source))]).toEqual([`passkey ${command}`]);
    }
  });

  test('on many rows at once is noted by their numbers', async () => {
    const { cwd, store, passkey } = await seeded();
    await passkey('token', 'create', '--user', 'User:1');
    await passkey('store', 'export', '--out', 'x.jsonl');
    await passkey('token', 'revoke', '1');
    await passkey('revoke', '1', '--yes');
    await passkey('store', 'import', 'x.jsonl', '--store', 'a.json');
    await passkey('store', 'import', 'x.jsonl', '--store', 'a.json');
    await passkey('store', 'copy', store, 'b.json');
    const io = { ...fakeIo({ cwd }).io, now: () => START + 3_600_000 };
    expect(await run(['purge', '--older-than', '1s', '--yes'], io)).toBe(0);
    const note = { via: 'command', os_user: expect.any(String), subject: null, passkey_id: null, token_id: null };
    const rows = { users: 3, removed_users: 0, passkeys: 4, accesses: 1 };
    expect(await entriesOf(cwd, '--store', 'a.json')).toMatchObject([
      { action: 'import', source: 'passkey store import', counts: rows, reason: 'from x.jsonl', ...note },
    ]);
    expect(await entriesOf(cwd, '--store', 'b.json')).toMatchObject([
      { action: 'copy', source: 'passkey store copy', counts: rows, reason: `from ${store}`, ...note },
    ]);
    expect(await entriesOf(cwd, '--action', 'purge')).toMatchObject([
      { source: 'passkey purge', passkey_id: 1, counts: null },
      { source: 'passkey purge', counts: { users: 0, removed_users: 0, passkeys: 0, accesses: 1 }, ...note },
    ]);
    const shown = await passkey('audit', '--store', 'a.json');
    expect(shown.stdout).toMatch(/ passkey store import +import +done +3 users, 4 passkeys, 1 session or token +from x\.jsonl\n$/);
  });

  test('is shown with the highest id that a user may have', async () => {
    const cwd = await tempFolder();
    const id = String(MAX_OWNER_ID);
    expect(await runIn(cwd, ['user', 'add', '--email', 'x@example.com', '--name', 'X', '--id', id])).toMatchObject({ code: 0 });
    expect(await entriesOf(cwd, '--user', `User:${id}`)).toMatchObject([{ action: 'user-add', subject: `User:${id}` }]);
  });

  test('notes nothing when it only reads, is a dry run, or fails', async () => {
    const { cwd, passkey } = await seeded();
    for (const argv of [['list'], ['show', '1'], ['revoke', '1', '--dry-run'], ['user', 'list'], ['audit']]) {
      expect(await passkey(...argv)).toMatchObject({ code: 0 });
    }
    expect((await passkey('revoke', '1', '99', '--yes')).code).not.toBe(0);
    expect(await entriesOf(cwd)).toEqual([]);
  });
});

async function logged() {
  const world = await seeded();
  return { ...world, log: await fillLog(world.store) };
}

async function fillLog(store: string) {
  const log = createFileAudit(store);
  const entries: Partial<AuditEntry>[] = [
    { at: '2026-01-13T10:30:00.000000Z', action: 'register', actor: 'User:1', via: 'page', os_user: null, address: '::1', reason: null },
    { at: '2026-01-14T10:30:00.000000Z', passkey_id: 2, credential_id: '--8C', subject: 'User:1', reason: '\u001b[31mlost' },
    {
      action: 'authenticate',
      outcome: 'refused',
      code: 'challenge_used',
      via: 'api',
      os_user: null,
      address: '::1',
      passkey_id: 3,
      subject: 'User:2',
      reason: null,
    },
    {
      action: 'authenticate',
      outcome: 'refused',
      code: 'passkey_not_found',
      via: 'api',
      os_user: null,
      address: '::1',
      passkey_id: null,
      subject: null,
      reason: null,
    },
    {
      at: '2026-01-15T10:31:00.000000Z',
      action: 'user-remove',
      subject: 'User:9',
      email: 'Gone@example.com',
      passkey_id: null,
      revoked_passkeys: [7, 8],
    },
  ];
  for (const [index, entry] of entries.entries()) log.append(newAuditEntry({ ...entry, request_id: String(index + 1) }));
  await log.settled();
  return log;
}

describe('passkey audit', () => {
  // The clock of the command stands at 2026-01-15 10:30.
  const rows: [argv: string[], found: string][] = [
    [[], '1 2 3 4 5'],
    [['--since', '2026-01-14'], '2 3 4 5'],
    [['--since', '1h'], '3 4 5'],
    [['--since', '2026-01-14T10:30:00Z', '--until', '2026-01-15T10:31Z'], '2 3 4'],
    [['--user', 'ada@example.com'], '1 2'],
    [['--user', 'User:1'], '1 2'],
    [['--user', '2'], '3'],
    [['--user', 'gone@EXAMPLE.com'], '5'],
    [['--user', 'User:9'], '5'],
    [['--user', 'Admin:1'], ''],
    [['--passkey', '2'], '2'],
    [['--passkey', '8'], '5'],
    [['--passkey=--8C'], '2'],
    [['--passkey', '++8C'], '2'],
    [['--action', 'register,user-remove'], '1 5'],
    [['--action', 'register', '--action', 'revoke'], '1 2'],
    [['--outcome', 'refused'], '3 4'],
    [['--code', 'challenge_used'], '3'],
    [['--code', 'challenge_used,passkey_not_found', '--limit', '1'], '4'],
    [['--via', 'command'], '2 5'],
    [['--via', 'api', '--via', 'page'], '1 3 4'],
    [['--limit', '2'], '4 5'],
    [['--limit', '9', '--action', 'rename'], ''],
  ];
  let unchanged = '';
  beforeAll(async () => {
    unchanged = await mkdtemp(join(tmpdir(), 'passkey-audit-'));
    await fillLog(await seedStore(unchanged));
  });
  afterAll(() => rm(unchanged, { recursive: true }));

  test.each(rows)('%j finds %j', async (argv, found) => {
    expect((await entriesOf(unchanged, ...argv)).map((entry) => entry.request_id).join(' ')).toBe(found);
  });

  const wrong: [argv: string[], message: string][] = [
    [['--since', 'yesterday'], '--since expects a date such as'],
    [['--passkey', '0'], '--passkey expects the id of a passkey, or its credential ID in base64 or base64url; got "0"'],
    [['--action', 'login'], '--action: "login" is not one of register, authenticate, rename'],
    [['--outcome', 'ok'], '--outcome expects one of done, refused; got "ok"'],
    [['--code', 'nonsense'], '--code: "nonsense" is not an error code such as challenge_expired'],
    [['--via', 'web'], '--via: "web" is not one of api, page, command'],
    [['--limit', '0'], '--limit expects a whole number from 1'],
    [['--store', 'memory:'], 'A memory store exists only inside'],
  ];
  test.each(wrong)('%j is wrong usage', async (argv, message) => {
    expect(await runIn(unchanged, ['audit', ...argv])).toMatchObject({ code: 2, stdout: '', stderr: expect.stringContaining(message) });
  });

  test('shows a table with e-mail addresses, of which a terminal acts on nothing', async () => {
    const { passkey } = await logged();
    const { code, stdout } = await passkey('audit');
    expect(code).toBe(0);
    expect(stdout).toBe(`\
TIME (UTC)           WHO              VIA             ACTION        OUTCOME            ABOUT                         REASON
2026-01-13 10:30:00  ada@example.com  page            register      done               passkey 1 of ada@example.com
2026-01-14 10:30:00  ada              passkey revoke  revoke        done               passkey 2 of ada@example.com  \\x1b[31mlost
2026-01-15 10:30:00  ::1              api             authenticate  challenge_used     passkey 3 of bob@example.com
2026-01-15 10:30:00  ::1              api             authenticate  passkey_not_found  example.com
2026-01-15 10:31:00  ada              passkey revoke  user-remove   done               Gone@example.com              lost
`);
    const { io, written } = fakeIo({ cwd: (await logged()).cwd, terminal: true, columns: 80, env: { NO_COLOR: '1' } });
    await run(['audit'], io);
    expect(Math.max(...written.stdout.split('\n').map((line) => line.length))).toBeLessThanOrEqual(80);
    // Of what is cut, it is still to be seen which passkey it is about.
    for (const passkey of ['passkey 1 o…', 'passkey 2 o…', 'passkey 3 o…']) expect(written.stdout).toContain(passkey);
  });

  test('says that there is nothing, or nothing that matches; a store that is absent is exit 3', async () => {
    const { passkey } = await seeded();
    expect(await passkey('audit')).toMatchObject({
      code: 0,
      stdout: '',
      stderr: expect.stringContaining('Nothing has been recorded yet.'),
    });
    const { passkey: ours } = await logged();
    expect(await ours('audit', '--user', '77')).toEqual({ code: 0, stdout: '', stderr: 'No entry of the audit log matches.\n' });
    expect(await runIn(await tempFolder(), ['audit'])).toMatchObject({ code: 3, stdout: '' });
  });

  test('names a line that is no entry, and shows the others', async () => {
    const { cwd, store } = await logged();
    appendFileSync(`${store}.audit.jsonl`, '{"at":"2026-01\n');
    const { code, stdout, stderr } = await runIn(cwd, ['audit', '--json']);
    expect([code, JSON.parse(stdout).length, stderr]).toEqual([
      0,
      5,
      `${store}.audit.jsonl:6 is not a valid entry, and was left out. Its process may have been killed while writing.\n`,
    ]);
  });

  test('that the log cannot be written changes no outcome, and is warned of', async () => {
    const { cwd, store, passkey } = await logged();
    rmSync(`${store}.audit.jsonl`);
    mkdirSync(`${store}.audit.jsonl`);
    const { code, stderr } = await passkey('revoke', '1', '2', '--yes');
    expect(code).toBe(0);
    expect(stderr.match(/Some entries of the audit log are lost; nothing else is affected\. .*EISDIR/g)).toHaveLength(1);
    expect(JSON.parse((await runIn(cwd, ['list', '--json'])).stdout)).toHaveLength(1);
  });
});

describe('passkey audit --follow', () => {
  test('goes on with what is added, in one table, and exits 0 on Ctrl-C', async () => {
    const { cwd, log } = await logged();
    const following = follow(cwd, ['--limit', '1']);
    await following.has('Gone@example.com');
    log.append(newAuditEntry({ passkey_id: 4, subject: 'Admin:1', reason: 'first' }));
    await following.has('first');
    log.append(newAuditEntry({ reason: 'second' }));
    log.append(newAuditEntry({ reason: 'third' }));
    await following.has('third');
    expect(await following.stop('SIGINT')).toBe(0);
    expect(following.written.stderr).toBe('');
    const [head = '', ...lines] = following.written.stdout.trimEnd().split('\n');
    expect(head).toMatch(/^TIME \(UTC\) +WHO +VIA +ACTION +OUTCOME +ABOUT +REASON$/);
    expect(lines.map((line) => line.slice(head.indexOf('REASON')))).toEqual(['lost', 'first', 'second', 'third']);
    expect(lines[1]).toContain('passkey 4 of bob@example.com');
  });

  test('prints one line of JSON per entry, of those that are asked for, also across a file that is put aside', async () => {
    const { cwd, store } = await logged();
    const small = createFileAudit(store, { size: 400 });
    const following = follow(cwd, ['--json', '--action', 'purge', '--user', 'User:1']);
    for (let n = 1; n <= 4; n += 1) {
      small.append(newAuditEntry({ action: n === 3 ? 'rename' : 'purge', token_id: n }));
      await small.settled();
    }
    await following.has('"token_id":4');
    expect(await following.stop('SIGTERM')).toBe(0);
    const lines = following.written.stdout.trimEnd().split('\n');
    expect(lines.map((line): unknown => JSON.parse(line))).toMatchObject([{ token_id: 1 }, { token_id: 2 }, { token_id: 4 }]);
  });
});
