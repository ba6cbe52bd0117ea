import { spawnSync } from 'node:child_process';
import { chmod, cp, mkdtemp, readdir, readFile, rename, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Check } from 'typebox/value';
import { afterAll, beforeAll, describe, expect, onTestFinished, vi } from 'vitest';
import { run } from '../../src/cli/main.js';
import { schemas } from '../../src/cli/schemas.js';
import { makeTemporaryFolder } from '../../src/cli/temporary-folder.js';
import { openStore } from '../../src/store/open-store.js';
import { addMany, linesOf } from '../contract/moved.js';
import { HAS_POSTGRES, postgresServer } from '../store/postgres-server.js';
import { quick as test, thorough } from '../thorough.js';
import { until } from '../until.js';
import { fakeIo } from './fake-io.js';
import { runIn } from './run-in.js';
import { passkeyOf, seeded, seedStore } from './seeded-store.js';
import { tempFolder } from './temp-folder.js';

/** All that a store of the command line holds, as the lines of an export. */
async function contentOf(location: string) {
  const store = await openStore(location, { create: false });
  try {
    return await linesOf(store);
  } finally {
    await store.close();
  }
}

/** A folder that is copied for each test. Its store has more rows than are written in one change. */
let large: string;

beforeAll(async () => {
  large = await mkdtemp(join(tmpdir(), 'passkey-large-'));
  const store = await openStore(await seedStore(large), { create: false });
  await addMany(store, 600);
  await store.close();
});
afterAll(() => rm(large, { recursive: true }));

async function largeStore() {
  const cwd = await tempFolder();
  await cp(large, cwd, { recursive: true });
  return { cwd, path: join(cwd, '.passkey/passkeys.jsonl'), passkey: (...argv: string[]) => runIn(cwd, argv) };
}

/** Runs a command on a terminal, and sends a signal as soon as it shows `at`. */
async function interruptAt(cwd: string, argv: readonly string[], at: string, signal: NodeJS.Signals = 'SIGINT') {
  const { io, written } = fakeIo({ cwd, terminal: true });
  const signals = io.signals as NodeJS.EventEmitter;
  io.stderr.on('data', (chunk: Buffer) => {
    if (chunk.toString('utf8').includes(at)) signals.emit(signal);
  });
  return { code: await run(argv, io), ...written };
}

describe('passkey store export', () => {
  test('writes JSON Lines to standard output, in ASCII, without a secret', async () => {
    const { passkey } = await seeded();
    const { stdout: token } = await passkey('token', 'create', '--user', 'User:1');
    const { code, stdout, stderr } = await passkey('store', 'export');
    expect([code, stderr]).toEqual([0, '']);
    const lines = stdout.trimEnd().split('\n');
    expect(lines).toHaveLength(10);
    const line = schemas['passkey-store-1'] ?? {};
    for (const text of lines) expect(Check(line, JSON.parse(text)), text).toBe(true);
    expect(JSON.parse(lines[0] ?? '')).toEqual({ passkey_store: 1, next_passkey_id: 5, next_access_id: 2, rows: 8 });
    expect(stdout).toMatch(/^[\n\x20-\x7e]*$/);
    expect(stdout).not.toContain(token.trim());
  });

  test('makes a new file that only its owner reads', async () => {
    const { cwd, passkey } = await seeded();
    const out = join(cwd, 'x.jsonl');
    expect(await passkey('store', 'export', '--out', 'x.jsonl')).toEqual({
      code: 0,
      stdout: `${out}\n`,
      stderr: 'Exported 3 users, 4 passkeys.\n',
    });
    expect((await stat(out)).mode & 0o777).toBe(0o600);
    expect(await readFile(out, 'utf8')).toBe((await passkey('store', 'export')).stdout);
    expect(await passkey('store', 'export', '--out', 'x.jsonl')).toEqual({
      code: 2,
      stdout: '',
      stderr: `passkey: Expected --out to name a new file; ${out} exists. Name another.\n`,
    });
  });

  test('says what cannot be', async () => {
    const { cwd, passkey } = await seeded();
    expect(await passkey('store', 'export', '--store', 'none.json')).toMatchObject({ code: 3, stdout: '' });
    expect(await passkey('store', 'export', '--store', 'mysql://x')).toMatchObject({ code: 2 });
    expect(await passkey('store', 'export', '--json')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('--json needs --out FILE'),
    });
    expect(await passkey('store', 'export', '--out', 'none/x.jsonl')).toMatchObject({
      code: 3,
      stderr: expect.stringContaining(`Could not write the file ${join(cwd, 'none/x.jsonl')} (ENOENT)`),
    });
  });

  test.each([
    ['SIGINT', 130],
    ['SIGTERM', 143],
    ['SIGHUP', 129],
  ] as const)('interrupted by %s leaves no file, and exits %i', async (signal, code) => {
    const { cwd } = await largeStore();
    const before = await readdir(cwd);
    expect(await interruptAt(cwd, ['store', 'export', '--out', 'x.jsonl'], 'Exporting', signal)).toMatchObject({
      code,
      stderr: expect.stringContaining('passkey: Interrupted; nothing was changed.\n'),
    });
    expect(await readdir(cwd)).toEqual(before);
  });
});

/** The most rows that an import names where they do not fit. */
const MOST_LISTED = 20;

describe('passkey store import', () => {
  test('makes the same store, from a file and from standard input', async () => {
    const { cwd, store, passkey } = await seeded();
    await passkey('store', 'export', '--out', 'x.jsonl');
    expect(await passkey('store', 'import', 'x.jsonl', '--store', 'a.json')).toEqual({
      code: 0,
      stdout: '',
      stderr: `Created the store ${join(cwd, 'a.json')}.\nAdded 3 users, 4 passkeys.\n`,
    });
    const { io, written, stdin } = fakeIo({ cwd });
    stdin.end(await readFile(join(cwd, 'x.jsonl')));
    expect(await run(['store', 'import', '-', '--store', 'b.json', '--json'], io)).toBe(0);
    expect(Check(schemas['store-import'] ?? {}, JSON.parse(written.stdout))).toBe(true);
    const wanted = await contentOf(store);
    expect(await contentOf(join(cwd, 'a.json'))).toEqual(wanted);
    expect(await contentOf(join(cwd, 'b.json'))).toEqual(wanted);
    expect((await passkey('store', 'import', 'x.jsonl')).stderr).toBe('Added nothing. The store already had 3 users, 4 passkeys.\n');
  });

  test('a token that was exported works where it is imported', async () => {
    const { passkey } = await seeded();
    await passkey('token', 'create', '--user', 'User:1', '--label', 'CI');
    await passkey('store', 'export', '--out', 'x.jsonl');
    await passkey('store', 'import', 'x.jsonl', '--store', 'a.json');
    expect(await passkey('token', 'list', '--store', 'a.json', '--json')).toEqual(await passkey('token', 'list', '--json'));
  });

  test('into a store with other rows changes nothing, and exits 1; --merge gives new ids', async () => {
    const { passkey } = await seeded();
    await passkey('store', 'export', '--out', 'x.jsonl');
    await passkey('user', 'add', '--email', 'zoe@example.com', '--name', 'Zoe', '--store', 'a.json');
    const before = await passkey('store', 'export', '--store', 'a.json');
    expect(await passkey('store', 'import', 'x.jsonl', '--store', 'a.json')).toEqual({
      code: 1,
      stdout: '',
      stderr:
        '  user User:1 differs: email, name\n' +
        'passkey: 1 row of the export does not fit the store. Nothing was changed. Import into an empty store, or give new ids with --merge.\n',
    });
    const json = await passkey('store', 'import', 'x.jsonl', '--store', 'a.json', '--json');
    expect(json).toMatchObject({ code: 1, stderr: '' });
    expect(JSON.parse(json.stdout)).toMatchObject({ conflicts_found: 1, added: { users: 0, passkeys: 0 } });
    const told = {
      stdout: 'user User:1 -> User:2\nuser User:2 -> User:3\n',
      stderr: ' 3 users, 4 passkeys.\n',
    };
    expect(await passkey('store', 'import', 'x.jsonl', '--store', 'a.json', '--merge', '--dry-run')).toEqual({
      code: 0,
      stdout: told.stdout,
      stderr: `Would add${told.stderr}`,
    });
    expect(await passkey('store', 'export', '--store', 'a.json')).toEqual(before);
    const merged = await passkey('store', 'import', 'x.jsonl', '--store', 'a.json', '--merge');
    expect(merged).toEqual({ code: 0, stdout: told.stdout, stderr: `Added${told.stderr}` });
    const again = await passkey('store', 'import', 'x.jsonl', '--store', 'a.json', '--merge', '--json');
    expect(JSON.parse(again.stdout)).toMatchObject({
      added: { users: 0, passkeys: 0 },
      kept: { users: 3, passkeys: 4 },
      new_ids: { users: [{ from: { type: 'User', id: 1 }, to: { type: 'User', id: 2 } }, expect.anything()], passkeys: [] },
    });
  });

  test('takes the file of a store in use, with its changes, also from standard input', async () => {
    const { cwd, store, passkey } = await seeded();
    const open = await openStore(store, { create: false });
    await open.renamePasskey(1, 'Changed');
    const wanted = await linesOf(open);
    await writeFile(join(cwd, 'copy.jsonl'), await readFile(store));
    await open.close();
    expect(await passkey('store', 'import', 'copy.jsonl', '--store', 'a.json')).toMatchObject({ code: 0 });
    const { io, stdin } = fakeIo({ cwd });
    stdin.end(await readFile(join(cwd, 'copy.jsonl')));
    expect(await run(['store', 'import', '-', '--store', 'b.json'], io)).toBe(0);
    for (const name of ['a.json', 'b.json']) expect(await contentOf(join(cwd, name))).toEqual(wanted);
    await writeFile(join(cwd, 'bad.jsonl'), (await readFile(join(cwd, 'copy.jsonl'), 'utf8')).replace('"Changed"', '5'));
    expect(await passkey('store', 'import', 'bad.jsonl', '--store', 'c.json')).toMatchObject({
      code: 3,
      stderr: expect.stringMatching(/bad\.jsonl:\d+ is damaged: \/passkey\/label must be a string/),
    });
    expect(await readdir(cwd)).not.toContain('c.json');
  });

  test('a dry run makes no store', async () => {
    const { cwd, passkey } = await seeded();
    await passkey('store', 'export', '--out', 'x.jsonl');
    expect(await passkey('store', 'import', 'x.jsonl', '--store', 'a.json', '--dry-run')).toMatchObject({
      code: 0,
      stderr: 'Would add 3 users, 4 passkeys.\n',
    });
    expect(await readdir(cwd)).not.toContain('a.json');
  });

  test('of what is no export says why, and makes no row', async () => {
    const { cwd, passkey } = await seeded();
    await passkey('store', 'export', '--out', 'x.jsonl');
    const text = await readFile(join(cwd, 'x.jsonl'), 'utf8');
    await writeFile(join(cwd, 'cut.jsonl'), text.slice(0, text.indexOf('"label"')));
    await writeFile(join(cwd, 'other.json'), '[1]\n');
    await writeFile(join(cwd, 'empty.jsonl'), '');
    const rows: [file: string, code: number, says: string][] = [
      ['cut.jsonl', 3, 'Expected cut.jsonl to be a whole export; it is damaged in line 5: the line is cut off. Nothing was changed.'],
      ['other.json', 3, 'it is damaged in line 1: expected a JSON object'],
      ['empty.jsonl', 3, 'it is damaged: is empty'],
      ['none.jsonl', 2, 'none.jsonl cannot be read (ENOENT). Name an export, or - for standard input.'],
      ['.', 2, '. is a folder'],
    ];
    for (const [file, code, says] of rows) {
      const outcome = await passkey('store', 'import', file, '--store', 'a.json');
      expect([file, outcome.code, outcome.stdout]).toEqual([file, code, '']);
      expect(outcome.stderr).toContain(says);
    }
    expect((await readdir(cwd)).filter((name) => name.startsWith('a.json'))).toEqual([]);
  });

  test('refused makes neither the store nor its folder', async () => {
    const { cwd, passkey } = await seeded();
    await passkey('store', 'export', '--out', 'x.jsonl');
    await writeFile(join(cwd, 'cut.jsonl'), (await readFile(join(cwd, 'x.jsonl'), 'utf8')).replace(/\n[^\n]*\n$/, '\n'));
    const before = await readdir(cwd);
    expect(await passkey('store', 'import', 'cut.jsonl', '--store', 'new/a.json')).toMatchObject({ code: 3 });
    expect(await passkey('store', 'copy', 'cut.jsonl', 'new/a.json')).toMatchObject({ code: 3 });
    expect(await readdir(cwd)).toEqual(before);
    expect(await passkey('store', 'import', 'x.jsonl', '--store', 'new/a.json')).toMatchObject({ code: 0 });
    expect(await readdir(join(cwd, 'new'))).toContain('a.json');
  });

  test('interrupted while it writes says how many rows are there', async () => {
    const { cwd, passkey } = await largeStore();
    await passkey('store', 'export', '--out', 'x.jsonl');
    const { code, stdout, stderr } = await interruptAt(cwd, ['store', 'import', 'x.jsonl', '--store', 'a.json'], 'Importing', 'SIGTERM');
    expect({ code, stdout }).toEqual({ code: 143, stdout: '' });
    expect(stderr).toMatch(
      /\[Kpasskey: Interrupted; 500 rows of the export are in the store\. Run the same command again to continue\.\n$/,
    );
  });

  test('of standard input removes the copies that killed runs have left', async () => {
    const { cwd, passkey } = await seeded();
    await passkey('store', 'export', '--out', 'x.jsonl');
    for (const name of ['TMPDIR', 'TEMP']) vi.stubEnv(name, cwd);
    onTestFinished(() => void vi.unstubAllEnvs());
    const own = await makeTemporaryFolder('import', { parent: cwd });
    const { pid: ended } = spawnSync(process.execPath, ['--version']);
    const left = own.path.replace(`-${process.pid}-`, `-${ended}-`);
    await rename(own.path, left);
    await writeFile(join(left, 'export.jsonl'), 'a copy');
    const { io, stdin } = fakeIo({ cwd });
    stdin.end(await readFile(join(cwd, 'x.jsonl')));
    expect(await run(['store', 'import', '-'], io)).toBe(0);
    expect((await readdir(cwd)).filter((name) => name.startsWith('passkey-import-'))).toEqual([]);
  });

  test('interrupted while it reads standard input changes nothing, and leaves no copy of it', async () => {
    const { cwd, store } = await seeded();
    const before = await readFile(store, 'utf8');
    const { io, written, stdin, signals } = fakeIo({ cwd });
    for (const name of ['TMPDIR', 'TEMP']) vi.stubEnv(name, cwd);
    onTestFinished(() => void vi.unstubAllEnvs());
    const copies = async () => (await readdir(cwd)).filter((name) => name.startsWith('passkey-import-'));
    stdin.write('{"passkey_store": 1');
    const ended = run(['store', 'import', '-'], io);
    await until(async () => (await copies()).length > 0);
    signals.emit('SIGINT');
    expect([await ended, written]).toEqual([130, { stdout: '', stderr: 'passkey: Interrupted; nothing was changed.\n' }]);
    expect(await copies()).toEqual([]);
    expect(await readFile(store, 'utf8')).toBe(before);
  });

  test('names the first rows that do not fit, and counts the others', async () => {
    const { cwd, path, passkey } = await largeStore();
    const other = await largeStore();
    const store = await openStore(other.path, { create: false });
    for (let id = 1; id <= 103; id += 1) await store.renamePasskey(id, 'Renamed');
    await store.close();
    await other.passkey('store', 'export', '--out', join(cwd, 'x.jsonl'));
    const before = await readFile(path, 'utf8');
    const { code, stdout, stderr } = await passkey('store', 'import', 'x.jsonl');
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    const lines = stderr.split('\n');
    expect([lines[0], lines.length]).toEqual(['  passkey 1 differs: label', MOST_LISTED + 3]);
    expect(lines.slice(-3)).toEqual([
      `  … and ${103 - MOST_LISTED} more`,
      'passkey: 103 rows of the export do not fit the store. Nothing was changed. Import into an empty store, or give new ids with --merge.',
      '',
    ]);
    const { conflicts, ...json } = JSON.parse((await passkey('store', 'import', 'x.jsonl', '--json')).stdout);
    expect(json).toMatchObject({
      store: path,
      dry_run: false,
      conflicts_found: 103,
      without_user: 0,
      new_ids: { users: [], passkeys: [] },
    });
    expect(conflicts).toHaveLength(MOST_LISTED);
    expect(await readFile(path, 'utf8')).toBe(before);
  });

  test('with --merge says which passkeys get new ids', async () => {
    const [{ passkey, cwd }, other] = [await seeded(), await seeded()];
    const store = await openStore(other.store, { create: false });
    await store.insertPasskey(passkeyOf({ type: 'User', id: 1 }, 9, 'New', 'example.com'));
    await store.close();
    const mine = await openStore(join(cwd, '.passkey/passkeys.jsonl'), { create: false });
    await mine.insertPasskey(passkeyOf({ type: 'User', id: 2 }, 8, 'Mine', 'example.com'));
    await mine.close();
    await other.passkey('store', 'export', '--out', join(cwd, 'x.jsonl'));
    const merge = ['store', 'import', 'x.jsonl', '--merge'];
    expect(JSON.parse((await passkey(...merge, '--dry-run', '--json')).stdout)).toMatchObject({
      dry_run: true,
      added: { users: 0, passkeys: 1 },
      kept: { users: 3, passkeys: 4 },
      new_ids: { users: [], passkeys: [{ from: 5, to: 6 }] },
    });
    expect(await passkey(...merge)).toEqual({
      code: 0,
      stdout: 'passkey 5 -> 6\n',
      stderr: 'Added 1 passkey. The store already had 3 users, 4 passkeys.\n',
    });
  });

  thorough('interrupted goes on when it is run again', async () => {
    const { cwd, path, passkey } = await largeStore();
    await passkey('store', 'export', '--out', 'x.jsonl');
    const checking = await interruptAt(cwd, ['store', 'import', 'x.jsonl', '--store', 'a.json'], 'Checking');
    expect(checking).toMatchObject({ code: 130, stderr: expect.stringContaining('passkey: Interrupted; nothing was changed.\n') });
    expect(await readdir(cwd)).not.toContain('a.json');
    const writing = await interruptAt(cwd, ['store', 'import', 'x.jsonl', '--store', 'a.json'], 'Importing', 'SIGTERM');
    expect(writing).toMatchObject({
      code: 143,
      stderr: expect.stringContaining(
        'passkey: Interrupted; 500 rows of the export are in the store. Run the same command again to continue.\n',
      ),
    });
    expect((await passkey('store', 'import', 'x.jsonl', '--store', 'a.json')).stderr).toBe(
      'Added 107 passkeys. The store already had 3 users, 497 passkeys.\n',
    );
    expect(await contentOf(join(cwd, 'a.json'))).toEqual(await contentOf(path));
  });
});

describe('passkey store copy', () => {
  test('copies to another file and compares, in plain lines where there is no terminal', async () => {
    const { cwd, path, passkey } = await largeStore();
    const outcome = await passkey('store', 'copy', path, 'a.json');
    expect(outcome).toMatchObject({ code: 0, stdout: '' });
    expect(outcome.stderr.split('\n')).toEqual([
      'Checking: 500 of 607 rows, 82 %',
      'Checking: 607 of 607 rows, 100 %',
      `Created the store ${join(cwd, 'a.json')}.`,
      'Copying: 500 of 607 rows, 82 %',
      'Copying: 607 of 607 rows, 100 %',
      'Verifying: 500 of 607 rows, 82 %',
      'Verifying: 607 of 607 rows, 100 %',
      `Copied 3 users, 604 passkeys. Every row of ${join(cwd, 'a.json')} was read back and is the same.`,
      '',
    ]);
    expect(await contentOf(join(cwd, 'a.json'))).toEqual(await contentOf(path));
  });

  test('to a store with other rows says how many differ, and shows three', async () => {
    const { cwd, path, passkey } = await largeStore();
    const other = await seeded();
    await other.passkey('user', 'add', '--email', 'zoe@example.com', '--name', 'Zoe');
    await other.passkey('restore', '3');
    await other.passkey('revoke', '1', '2', '--yes');
    const { code, stdout, stderr } = await passkey('store', 'copy', path, other.store);
    expect([code, stdout]).toEqual([1, '']);
    const lines = stderr.split('\n').filter((line) => !line.startsWith('Checking'));
    expect(lines).toEqual([
      expect.stringMatching(/^ {2}passkey 1 differs: /),
      expect.stringMatching(/^ {2}passkey 2 differs: /),
      expect.stringMatching(/^ {2}passkey 3 differs: /),
      '  … and 1 more',
      `passkey: ${other.store} is neither empty nor a part of a copy: 4 rows differ. Nothing was changed. Name an empty store as TO, or add to this one with \`passkey store import --merge\`.`,
      '',
    ]);
    expect(await contentOf(other.store)).not.toEqual(await contentOf(path));
    expect(cwd).not.toBe(other.cwd);
  });

  test('interrupted says how many rows are there, with the exit code of the signal', async () => {
    const { cwd, path } = await largeStore();
    const copied = await interruptAt(cwd, ['store', 'copy', path, 'b.json'], 'Copying', 'SIGHUP');
    expect(copied).toMatchObject({
      code: 129,
      stderr: expect.stringMatching(/Interrupted; [\d,]+ rows of .+ are in .+b\.json\. Run the same/),
    });
  });

  test.skipIf(!HAS_POSTGRES)('leaves no tables in a database where it is interrupted before it begins', async () => {
    const { cwd, path } = await largeStore();
    const url = await (await postgresServer()).newDatabase();
    expect(await interruptAt(cwd, ['store', 'copy', path, url], 'Checking')).toMatchObject({ code: 130 });
    await expect(openStore(url, { create: false })).rejects.toMatchObject({ code: 'store_absent' });
  });

  test('says what cannot be', async () => {
    const { cwd, store, passkey } = await seeded();
    expect(await passkey('store', 'copy', store, 'memory:')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('TO expects the path of a file'),
    });
    expect(await passkey('store', 'copy', 'memory:', 'a.json')).toMatchObject({ code: 2 });
    expect(await passkey('store', 'copy', store, store)).toMatchObject({ code: 2, stderr: expect.stringContaining('are the same store') });
    expect(await passkey('store', 'copy', store, 'redis://x')).toMatchObject({ code: 2 });
    expect(await passkey('store', 'copy', 'none.json', 'a.json')).toMatchObject({
      code: 3,
      stderr: expect.stringContaining('There is no store at'),
    });
    expect(await passkey('store', 'copy', store)).toMatchObject({ code: 2 });
    const unreachable = await passkey('store', 'copy', store, 'postgres://u:hush@127.0.0.1:9/x');
    expect(unreachable).toMatchObject({ code: 3, stderr: expect.stringContaining('postgres://127.0.0.1:9/x cannot be used') });
    expect(unreachable.stderr).not.toContain('hush');
    expect(await readdir(cwd)).not.toContain('a.json');
  });

  test.skipIf(!HAS_POSTGRES)('goes to PostgreSQL and back, and names no password', async () => {
    const { cwd, store, passkey } = await seeded();
    await passkey('token', 'create', '--user', 'User:1');
    const url = await (await postgresServer()).newDatabase();
    const there = await passkey('store', 'copy', store, url);
    const back = await passkey('store', 'copy', url, 'a.json');
    expect([there.code, back.code]).toEqual([0, 0]);
    expect(there.stderr + back.stderr).not.toContain('secret');
    expect(await contentOf(join(cwd, 'a.json'))).toEqual(await contentOf(store));
    expect((await runIn(await tempFolder(), ['user', 'add', '--email', 'zoe@example.com', '--name', 'Z', '--store', url])).stdout).toBe(
      'User:3\n',
    );
  });
});

test.skipIf(!HAS_POSTGRES)('passkey store migrate says which tables the database has', async () => {
  const url = await (await postgresServer()).newDatabase();
  const migrate = (...more: string[]) => runIn('/nowhere', ['store', 'migrate', '--store', url, ...more]);
  const made = await migrate();
  const [, location = '', version = ''] = /^(\S+) was made: schema (\d+)\n$/.exec(made.stdout) ?? [];
  expect({ ...made, stdout: '' }).toEqual({ code: 0, stdout: '', stderr: '' });
  expect(location).toMatch(/^postgres:\/\/(?![^/]*@)/);
  expect(await migrate()).toEqual({ code: 0, stdout: `${location} is up to date: schema ${version}\n`, stderr: '' });
  expect(JSON.parse((await migrate('--json')).stdout)).toEqual({ store: location, from: Number(version), to: Number(version) });
});

describe('passkey store backup', () => {
  test('goes beside the store and opens as one', async () => {
    const { cwd, store, passkey } = await seeded();
    const outcome = await passkey('store', 'backup');
    expect(outcome).toMatchObject({ code: 0, stderr: 'Saved 3 users, 4 passkeys, and read it back.\n' });
    const path = outcome.stdout.trim();
    expect(path).toMatch(/[/\\]\.passkey[/\\]backups[/\\]passkeys-[0-9a-f]{8}-20260115T103000Z\.jsonl$/);
    expect(path.startsWith(cwd)).toBe(true);
    expect(await contentOf(path)).toEqual(await contentOf(store));
    const json = await passkey('store', 'backup', '--keep', '1', '--json');
    const document: unknown = JSON.parse(json.stdout);
    expect(Check(schemas['store-backup'] ?? {}, document)).toBe(true);
    expect(document).toMatchObject({ store, users: 3, removed_users: 0, passkeys: 4, accesses: 0, removed: [path] });
    expect(await readdir(join(cwd, '.passkey/backups'))).toHaveLength(1);
  });

  test('says what cannot be', async () => {
    const { cwd, passkey } = await seeded();
    expect(await passkey('store', 'backup', '--keep', '0')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('--keep expects a number'),
    });
    expect(await passkey('store', 'backup', '--out', 'x.json', '--keep', '3')).toMatchObject({ code: 2 });
    expect(await passkey('store', 'backup', '--out', '')).toMatchObject({ code: 2 });
    expect(await passkey('store', 'backup', '--store', 'none.json')).toMatchObject({ code: 3 });
    expect(await passkey('store', 'backup', '--store', 'memory:')).toMatchObject({ code: 2 });
    await symlink(cwd, join(cwd, 'link'));
    expect(await passkey('store', 'backup', '--out', 'link/')).toMatchObject({ code: 0 });
    expect((await readdir(cwd)).filter((name) => name.startsWith('.passkeys-'))).toEqual([]);
  });

  test.skipIf(process.platform === 'win32' || process.getuid?.() === 0)('in a folder that may not be written exits 3', async () => {
    const { cwd, passkey } = await seeded();
    await chmod(cwd, 0o555);
    const outcome = await passkey('store', 'backup', '--out', 'x.json');
    await chmod(cwd, 0o755);
    expect(outcome).toMatchObject({ code: 3, stderr: expect.stringContaining('(EACCES). Permission denied') });
  });
});
