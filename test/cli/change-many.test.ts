import { describe, expect, test } from 'vitest';
import { run } from '../../src/cli/main.js';
import { openStore } from '../../src/store/open-store.js';
import { addMany } from '../contract/moved.js';
import { newAccess } from '../contract/samples.js';
import { fakeIo, typeInto } from './fake-io.js';
import { seeded } from './seeded-store.js';

/** The store of the tests with so many more tokens, of Ada and Bob by turns. */
async function withTokens(number: number) {
  const made = await seeded();
  const store = await openStore(made.store, { create: false });
  const tokens = Array.from({ length: number }, (_, n) =>
    newAccess({ kind: 'token', owner: { type: 'User', id: 1 + (n % 2) }, label: `t${n + 1}`, expiresAt: undefined }),
  );
  await Promise.all(tokens.map((token) => store.insertAccess(token)));
  await store.close();
  return made;
}

/** Types each text when what stands before it is on the screen. */
async function onTerminal(cwd: string, argv: readonly string[], turns: readonly (readonly [shown: string, typed: string])[]) {
  const terminal = fakeIo({ cwd, terminal: true, columns: 100, env: { NO_COLOR: '1' } });
  typeInto(terminal, turns);
  const code = await run(argv, terminal.io);
  return { code, ...terminal.written };
}

const liveTokens = async (passkey: (...argv: string[]) => Promise<{ stdout: string }>): Promise<number[]> =>
  JSON.parse((await passkey('token', 'list', '--json')).stdout).map(({ id }: { id: number }) => id);

describe('more than one batch', () => {
  const MANY = 1001;
  async function withMany() {
    const made = await seeded();
    const store = await openStore(made.store, { create: false });
    await addMany(store, MANY);
    await store.revokePasskeys([5, 6], { at: Date.UTC(2026, 0, 14), reason: 'before' });
    await store.close();
    return made;
  }

  test('is changed whole: by a filter, by ids, and back', async () => {
    const { cwd, passkey } = await withMany();
    const count = async (...argv: string[]) => JSON.parse((await passkey('stats', '--json', ...argv)).stdout).passkeys;
    const dry = await passkey('revoke', '--user', 'User:1', '--dry-run', '--json');
    expect(dry.stderr).toBe('1,001 passkeys would be revoked; nothing was changed.\n');
    const preview = JSON.parse(dry.stdout);
    expect({ ...preview, passkeys: preview.passkeys.length }).toEqual({ dry_run: true, change: null, passkeys: MANY });
    expect(await passkey('revoke', '--user', 'User:1', '--dry-run')).toEqual({ code: 0, stdout: '', stderr: dry.stderr });
    const refused = await onTerminal(cwd, ['revoke', '--user', 'User:1'], [['Revoke 1,001 passkeys?', 'no\r']]);
    expect([refused.code, refused.stdout]).toEqual([1, '']);
    expect(refused.stderr).toContain('\n… and 981 more passkeys\n');
    expect(refused.stderr).toMatch(/Nothing was revoked\.\n$/);
    expect(await count()).toMatchObject({ live: 1002, revoked: 3 });

    const named = await passkey('revoke', '1-1005', '--yes', '--reason', 'leak', '--json');
    const { change, passkeys } = JSON.parse(named.stdout);
    expect(passkeys).toHaveLength(1002);
    expect(named.stderr).toBe(
      `3 passkeys had been revoked before; left unchanged.\nRevoked 1,002 passkeys (change ${change}). \`passkey restore --change ${change}\` undoes it.\n`,
    );
    expect(await count()).toMatchObject({ live: 0, revoked: 1005 });
    expect((await passkey('revoke', '1-1005', '--yes')).stderr).toBe(
      '1,005 passkeys had been revoked before; left unchanged.\nNothing to revoke.\n',
    );
    expect((await passkey('restore', '--change', change, '--yes')).stderr).toMatch(/^Restored 1,002 passkeys \(change \w+\)\.\n$/);
    expect(await count()).toMatchObject({ live: 1002, revoked: 3 });
  });
});

describe('a filter', () => {
  test('selects what is changed, all of it at once', async () => {
    const { passkey } = await seeded();
    expect(await passkey('revoke', '--rp-id', 'example.com', '--label', 'o', '--yes', '--reason', 'old')).toMatchObject({ code: 0 });
    expect(await passkey('restore', '--rp-id', 'example.com', '--yes')).toMatchObject({
      code: 0,
      stderr: expect.stringMatching(/^Restored 2 passkeys \(change [0-9a-f]{12}\)\.\n$/),
    });
    expect(JSON.parse((await passkey('list', '--json')).stdout)).toHaveLength(4);
  });

  test('of one change undoes exactly what that change revoked', async () => {
    const { passkey } = await seeded();
    const revoked = await passkey('revoke', '--user', 'ada@example.com', '--yes', '--reason', 'audit', '--json');
    const { change, passkeys } = JSON.parse(revoked.stdout);
    expect([revoked.code, passkeys.map(({ id }: { id: number }) => id)]).toStrictEqual([0, [1, 2]]);
    expect(revoked.stderr).toBe(
      `Revoked 2 passkeys (change ${change}); 1 user keeps none (User:1). \`passkey restore --change ${change}\` undoes it.\n`,
    );
    // Passkey 3 was revoked before; passkey 2 is restored, and revoked for another reason.
    await passkey('restore', '2');
    await passkey('revoke', '2', '4', '--yes', '--reason', 'Lost phone');
    expect(JSON.parse((await passkey('list', '--change', change, '--json')).stdout)).toMatchObject([{ id: 1 }]);
    expect(JSON.parse((await passkey('show', '1', '--json')).stdout)).toMatchObject({ revoked_change: change });
    expect(JSON.parse((await passkey('restore', '--change', change, '--dry-run', '--json')).stdout)).toMatchObject({ change: null });
    const restored = JSON.parse((await passkey('restore', '--change', change, '--yes', '--json')).stdout);
    expect(restored).toMatchObject({ passkeys: [{ id: 1 }] });
    expect((await passkey('restore', '--change', change, '--yes')).stderr).toBe(
      `Nothing to restore: no revoked passkey matches --change ${change}.\n`,
    );
    expect(JSON.parse((await passkey('list', '--json')).stdout)).toMatchObject([{ id: 1 }]);
    expect(JSON.parse((await passkey('audit', '--change', change, '--json')).stdout)).toMatchObject([
      { action: 'revoke', passkey_id: 1, change },
      { action: 'revoke', passkey_id: 2, change },
    ]);
    expect((await passkey('audit', '--change', restored.change)).stdout).toContain(`(was revoked: audit) (change ${restored.change})`);
  });

  test('finds revoked passkeys by when and why they were revoked', async () => {
    const { passkey } = await seeded();
    await passkey('revoke', '1', '--yes', '--reason', 'Lost phone');
    const found = async (...flags: string[]) =>
      JSON.parse((await passkey('list', '--json', ...flags)).stdout).map(({ id }: { id: number }) => id);
    expect(await found('--revoked-reason', 'LOST P')).toStrictEqual([1]);
    expect(await found('--revoked-reason', 'lost', '--all')).toStrictEqual([1, 3]);
    expect(await found('--revoked-since', '1h')).toStrictEqual([1, 3]);
    expect(await found('--revoked-since', '2026-01-15T12:00Z')).toStrictEqual([3]);
    expect((await passkey('restore', '--revoked-since', '1h', '--revoked-reason', 'stolen', '--yes')).stderr).toContain(
      'Nothing to restore',
    );
    expect(
      JSON.parse((await passkey('restore', '--revoked-since', '1h', '--revoked-reason', 'phone', '--yes', '--json')).stdout),
    ).toMatchObject({
      passkeys: [{ id: 1 }],
    });
  });

  test.each([
    ['revoke', '--user', 'ada@example.com'],
    ['restore', '--user', 'User:2'],
    ['token', 'revoke', '--type', 'User'],
    ['user', 'remove', '--type', 'User'],
    ['user', 'remove', '--revoked'],
  ])('%s %s %s asks, and without a terminal changes nothing', async (...argv) => {
    const { passkey, cwd } = await withTokens(2);
    const stderr = 'passkey: There is no terminal to prompt on; add --yes to go on without a prompt.\n';
    expect(await passkey(...argv)).toStrictEqual({ code: 2, stdout: '', stderr });
    expect(await passkey(...argv, '--dry-run')).toMatchObject({ code: 0, stderr: expect.stringMatching(/nothing was changed\.\n$/) });
    expect((await onTerminal(cwd, argv, [['?', 'n\r']])).code).toBe(1);
    expect(await passkey('list', '--json')).toMatchObject({ stdout: expect.stringContaining('"id": 4') });
    expect(await liveTokens(passkey)).toStrictEqual([1, 2]);
  });

  test('and ids are not taken together', async () => {
    const { passkey } = await seeded();
    expect(await passkey('restore', '3', '--rp-id', 'example.com')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('Name passkeys or filter them with --rp-id example.com, not both'),
    });
  });

  test('that finds nothing is named', async () => {
    const { passkey } = await seeded();
    const { stderr } = await passkey('token', 'revoke', '--user', 'User:1', '--label', 'x', '--yes');
    expect(stderr).toBe('Nothing to revoke: no live token matches --user User:1 --label x.\n');
  });
});

test.each([
  ['revoke 1 --dry-run', 'User:1 ada@'],
  ['revoke 1 --yes', 'User:1 ada@'],
  ['restore 3', 'User:2 bob@'],
])('%s shows whose passkeys they are, by e-mail', async (command, user) => {
  const { passkey } = await seeded();
  expect((await passkey(...command.split(' '))).stdout).toContain(user);
});

describe('without ids and filters', () => {
  test.each([
    [['revoke'], 'Passkeys to revoke', 'phone\t\r', [['Revoke 1 passkey?', 'y\r']], 'Revoked 1 passkey (change '],
    [['restore'], 'Passkeys to restore', '\t\r', [['Restore 1 passkey?', 'y\r']], 'Restored 1 passkey (change '],
    [['token', 'revoke'], 'Tokens to revoke', 'bob,t2\t\r', [['Revoke 1 token?', 'y\r']], 'Revoked 1 token (change '],
    [
      ['user', 'remove'],
      'Users to remove',
      'user:1\t\r',
      [['Remove 1 user; 2 passkeys will be revoked?', 'y\r']],
      'Removed 1 user (change ',
    ],
    [['token', 'revoke', '--yes'], 'Tokens to revoke', '\u0001\r', [], 'Revoked 3 tokens (change '],
  ] as const)('%j lets pick', async (argv, question, keys, turns, said) => {
    const { cwd } = await withTokens(3);
    const { code, stderr } = await onTerminal(cwd, argv, [[question, keys], ...turns]);
    expect([code, stderr.includes(said)]).toStrictEqual([0, true]);
  });

  test.each(['revoke', 'restore', 'token revoke', 'user remove'])('%s changes nothing when nothing is picked', async (command) => {
    const { cwd, passkey } = await withTokens(2);
    const before = await passkey('list', '--all', '--json');
    const { code, stderr } = await onTerminal(cwd, command.split(' '), [[' to ', '\r']]);
    expect([code, stderr.includes('Nothing was selected; nothing was changed.')]).toStrictEqual([0, true]);
    expect(await passkey('list', '--all', '--json')).toStrictEqual(before);
    expect(await liveTokens(passkey)).toStrictEqual([1, 2]);
  });

  test.each(['revoke', 'restore', 'token revoke', 'user remove'])('%s --yes without a terminal is wrong usage', async (command) => {
    const { passkey } = await seeded();
    expect(await passkey(...command.split(' '), '--yes')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('no terminal to prompt on'),
    });
  });
});

describe('many', () => {
  test('are shown up to twenty, and confirmed by typing their number', async () => {
    const { cwd, passkey } = await withTokens(50);
    const argv = ['token', 'revoke', '--user', 'User:1'];
    const question = 'Revoke 25 tokens? Type 25 to confirm:';
    const refused = await onTerminal(cwd, argv, [[question, 'y\r']]);
    expect(refused).toMatchObject({ code: 1, stdout: '' });
    expect(refused.stderr).toContain('… and 5 more tokens\n');
    expect(refused.stderr).toMatch(/Expected 25; got "y"\.\nNothing was revoked\.\n$/);
    expect((await onTerminal(cwd, argv, [[question, '\r']])).stderr).toMatch(/Expected 25; nothing was typed\.\nNothing was revoked\.\n$/);
    expect(refused.stderr).toContain(' t39 ');
    expect(refused.stderr).not.toContain(' t41 ');
    expect(await liveTokens(passkey)).toHaveLength(50);
    expect((await onTerminal(cwd, argv, [[question, '25\r']])).code).toBe(0);
    expect(await liveTokens(passkey)).toHaveLength(25);
  });

  test('are counted on the terminal while they are changed', async () => {
    const { cwd, passkey } = await withTokens(1000);
    const { stderr } = await onTerminal(cwd, ['token', 'revoke', '--type', 'User', '--yes'], []);
    const line = '\r\u001b[KRevoking';
    expect(stderr).toContain(
      `${line} 1,000 tokens …${line} tokens … 500 of 1,000\r\u001b[KWriting …\r\u001b[KRevoked 1,000 tokens (change `,
    );
    expect(await liveTokens(passkey)).toStrictEqual([]);
  });

  test('are left as they are when one does not exist', async () => {
    const { passkey } = await withTokens(2);
    expect(await passkey('token', 'revoke', '1', '9', '2')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('No token has the id 9;'),
    });
    expect(await liveTokens(passkey)).toStrictEqual([1, 2]);
    expect(await passkey('user', 'remove', 'User:1', 'User:9', '--yes')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('No user matches "User:9".'),
    });
    expect(await passkey('user', 'remove', 'eve@example.com', 'User:1', 'User:9', '--yes')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('No user matches "eve@example.com", "User:9"; nothing was changed.'),
    });
    expect(JSON.parse((await passkey('user', 'list', '--json')).stdout)).toHaveLength(3);
  });

  test('are restored without those of removed users where that is asked for', async () => {
    const { passkey } = await seeded();
    await passkey('revoke', '1', '--yes');
    await passkey('user', 'remove', 'User:2', '--yes');
    const before = await passkey('list', '--all', '--json');
    expect(await passkey('restore', '1', '3')).toStrictEqual({
      code: 1,
      stdout: '',
      stderr:
        'passkey: Passkey 3 stays revoked: its user User:2 has been removed. Nothing was changed. Run the same command with --skip-removed to restore the others.\n',
    });
    expect(await passkey('list', '--all', '--json')).toStrictEqual(before);
    expect(await passkey('restore', '1', '3', '--skip-removed')).toMatchObject({
      code: 0,
      stderr: expect.stringMatching(/^Restored 1 passkey \(change \w+\)\. 1 passkey stays revoked: its user has been removed\.\n$/),
    });
    expect(JSON.parse((await passkey('list', '--json')).stdout)).toMatchObject([{ id: 1 }, { id: 2 }, { id: 4 }]);
  });
});

describe('ids', () => {
  test('of a range that no passkey has are skipped and counted; one that is named refuses', async () => {
    const { passkey } = await withTokens(1);
    const before = await passkey('list', '--all', '--json');
    expect(await passkey('revoke', '1-2', '999999', '--yes')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('the id 999999; nothing was changed'),
    });
    expect(await passkey('revoke', '900-901', '--yes')).toMatchObject({
      stderr: expect.stringContaining('an id from 900 to 901; nothing was changed'),
    });
    expect(await passkey('list', '--all', '--json')).toStrictEqual(before);
    const { code, stderr } = await passkey('revoke', '1-999999999', '2-4', '1-999999999', '--dry-run');
    expect(code).toBe(0);
    // Three ids there are, and 4.
    expect(stderr.split('\n').filter((line) => line.startsWith('Skipped'))).toEqual([
      'Skipped 999,999,995 ids of 1-999999999 that no passkey has.',
    ]);
  });

  test('are ranges of tokens, too', async () => {
    const { passkey } = await withTokens(4);
    for (const [given, code, said] of [
      [['7-9', '2', '6'], 1, 'No token has the id 7-9, 6; nothing was changed.'],
      [['0-2'], 2, 'Expected a token id such as 3, or a range such as 3-17; got "0-2".'],
      [['3-2'], 2, 'Expected a token id such as 3, or a range such as 3-17; got "3-2".'],
    ] as const) {
      expect(await passkey('token', 'revoke', ...given, '--yes')).toMatchObject({ code, stderr: expect.stringContaining(said) });
    }
    expect(await liveTokens(passkey)).toStrictEqual([1, 2, 3, 4]);
    const revoked = await passkey('token', 'revoke', '3-9', '1', '3-9', '4', '--yes');
    expect(revoked).toMatchObject({ code: 0, stdout: '3\n4\n1\n' });
    expect(revoked.stderr).toMatch(/^Skipped 5 ids of 3-9 that no token has\.\nRevoked 3 tokens /);
    expect(await liveTokens(passkey)).toStrictEqual([2]);
  });
});
