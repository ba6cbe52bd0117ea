import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { ROOT } from '../e2e/passkey-process.js';

/** The package with what short commands need of it, or `whole` with its command line. */
function packageInFolder({ whole = false } = {}) {
  const folder = mkdtempSync(join(tmpdir(), 'passkey-kept-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const cli = join(folder, 'dist/cli');
  mkdirSync(cli, { recursive: true });
  cpSync(join(ROOT, 'bin'), join(folder, 'bin'), { recursive: true });
  const parts = readdirSync(join(ROOT, 'dist/cli')).filter((name) =>
    whole ? name !== 'compiled' : /^(?:main\.js|short-.*\.js|package\.json|answers)$/.test(name),
  );
  for (const name of parts) cpSync(join(ROOT, 'dist/cli', name), join(cli, name), { recursive: true });
  const compiled = join(cli, 'compiled');
  const files = () =>
    readdirSync(compiled, { recursive: true, encoding: 'utf8' })
      .filter((name) => /\.(?:bin|tmp)$/.test(name))
      .map((name) => join(compiled, name));
  const passkey = (line: string, env: Readonly<Record<string, string>> = {}) => {
    const { NODE_OPTIONS: _, NODE_V8_COVERAGE: __, NODE_DISABLE_COMPILE_CACHE: ___, ...plain } = process.env;
    const args = [join(folder, 'bin/passkey.js'), ...line.split(' ')];
    const { status, stdout, stderr } = spawnSync(process.execPath, args, { cwd: folder, encoding: 'utf8', env: { ...plain, ...env } });
    return { status, stdout, stderr };
  };
  return { folder, cli, compiled, files, passkey };
}

const ABSENT = { status: 3, stdout: '', stderr: expect.stringContaining('none.json') };

/** The commands whose functions a file holds. */
function commandsIn(file: string): string {
  const bytes = readFileSync(file);
  const words = bytes.toString('utf8', bytes.length - 4 - bytes.readUInt32LE(bytes.length - 4), bytes.length - 4);
  return words.replace(/^\S+ /, '');
}

function changeByte(file: string, at: number) {
  const bytes = readFileSync(file);
  bytes[at] = (bytes[at] ?? 0) ^ 1;
  writeFileSync(file, bytes);
}

function linkElsewhere(file: string) {
  renameSync(file, `${file}.elsewhere`);
  symlinkSync(`${file}.elsewhere`, file);
}

// Later versions do the like by themselves.
describe.runIf(process.version.startsWith('v20.'))('what Node 20 has compiled of the command line', () => {
  test('imports modules of the user at every start', () => {
    const { folder, files, passkey } = packageInFolder({ whole: true });
    writeFileSync(join(folder, 'action.mjs'), `throw new Error('action.mjs was imported');`);
    for (let start = 0; start < 2; start += 1) {
      const { status, stderr } = passkey('serve --auth-action ./action.mjs --store memory: --port 0 --no-open');
      expect([status, stderr]).toEqual([2, expect.stringContaining('action.mjs cannot be loaded: action.mjs was imported')]);
    }
    expect(files().map(commandsIn)).toContain('serve');
  });

  test('is kept from the first start on; a command that is new to it adds its own', () => {
    const { files, passkey } = packageInFolder();
    expect(passkey('list --store none.json')).toEqual(ABSENT);
    const kept = files();
    expect(kept.map(commandsIn)).toEqual(['list', 'list']);
    const looks = kept.map((file) => statSync(file, { bigint: true }).ino);

    expect(passkey('list --store none.json')).toEqual(ABSENT);
    expect(files().map((file) => statSync(file, { bigint: true }).ino)).toEqual(looks);

    // Had V8 refused them, the new ones would hold the second command alone.
    expect(passkey('token list --store none.json')).toEqual(ABSENT);
    expect(files()).toEqual(kept);
    expect(kept.map(commandsIn)).toEqual(['list token', 'list token']);
  });

  // npm gives all that it installs one time.
  test.each([
    ['edited', (text: string) => text, 1],
    ['of another build', (text: string) => text.replace(/[\w-]{16}/, 'x'.repeat(16)), 0],
  ])('is not used for a text of the same length that is %s', (_, marked, later) => {
    const { cli, files, passkey } = packageInFolder();
    const parts = readdirSync(cli).filter((name) => name.endsWith('.js'));
    for (const name of parts) utimesSync(join(cli, name), 500_000_000, 500_000_000);
    passkey('list --store none.json');
    for (const name of parts) {
      const path = join(cli, name);
      const text = readFileSync(path, 'utf8').replaceAll('There is no store at', 'Nowhere is a shop at');
      writeFileSync(path, marked(text));
      utimesSync(path, 500_000_000 + later, 500_000_000 + later);
    }
    expect(passkey('show 1 --store none.json').stderr).toContain('Nowhere is a shop at');
    expect(files().map(commandsIn)).toEqual(['show', 'show']);
  });

  test('is replaced where it is damaged', () => {
    const { files, passkey } = packageInFolder();
    passkey('list --store none.json');
    const [one = '', two = ''] = files();
    truncateSync(one, statSync(one).size - 1000);
    writeFileSync(two, '');
    expect(passkey('show 1 --store none.json')).toEqual(ABSENT);
    expect([one, two].map(commandsIn)).toEqual(['show', 'show']);
  });

  const byRoot = process.getuid?.() === 0;
  const byUnix = process.getuid !== undefined;
  const spoiled = [
    { wrong: 'has a bit that changed', spoil: (file: string) => changeByte(file, 100_000), possible: true },
    {
      wrong: 'has a bit that changed in its second copy',
      spoil: (file: string) => changeByte(file, statSync(file).size - 1_000),
      possible: true,
    },
    { wrong: 'can be written to by anybody', spoil: (file: string) => chmodSync(file, 0o666), possible: byUnix },
    { wrong: 'is a link', spoil: linkElsewhere, possible: byUnix },
    { wrong: 'is of somebody else', spoil: (file: string) => chownSync(file, 12345, 12345), possible: byRoot },
  ];
  test.each(spoiled.filter(({ possible }) => possible))('is not used where it $wrong', ({ spoil }) => {
    const { files, passkey } = packageInFolder();
    passkey('list --store none.json');
    const [one = '', two = ''] = files();
    spoil(one);
    expect(passkey('show 1 --store none.json')).toEqual(ABSENT);
    expect([one, two].map(commandsIn)).toEqual(['show', 'list show']);
  });

  test.runIf(byUnix)('cannot be written to by others, whatever else they may write to', () => {
    const { compiled, files, passkey } = packageInFolder();
    const before = process.umask(0);
    try {
      passkey('list --store none.json');
    } finally {
      process.umask(before);
    }
    const folders = [compiled, ...readdirSync(compiled).map((name) => join(compiled, name))];
    expect([...folders, ...files()].map((path) => statSync(path).mode & 0o022)).toEqual([0, 0, 0, 0]);
  });

  test.each([
    ['words that are no command', 'lsit --store none.json', {}],
    ['a command with a mistake in the words that are no command', '-- list', {}],
    ['a Node that was told something else', 'list --store none.json', { NODE_OPTIONS: '--no-warnings' }],
    ['a Node that is told to keep nothing', 'list --store none.json', { NODE_DISABLE_COMPILE_CACHE: '1' }],
    ['a Node whose coverage is measured', 'list --store none.json', { NODE_V8_COVERAGE: 'coverage' }],
  ])('is not kept for %s', (_, line, env) => {
    const { cli, passkey } = packageInFolder();
    expect(passkey(line, env).status).not.toBe(0);
    expect(readdirSync(cli)).not.toContain('compiled');
  });

  test('is done without where nothing can be written', () => {
    const { compiled, passkey } = packageInFolder();
    writeFileSync(compiled, 'in its place');
    expect(passkey('list --store none.json')).toEqual(ABSENT);
    expect(readFileSync(compiled, 'utf8')).toBe('in its place');
  });

  // Only root can give files away.
  test.skipIf(!byRoot)('is not kept in a package of somebody else, who could not remove it', () => {
    const { cli, passkey } = packageInFolder();
    chownSync(cli, 12345, 12345);
    expect(passkey('list --store none.json')).toEqual(ABSENT);
    expect(readdirSync(cli)).not.toContain('compiled');
  });
});

test('is no part of the package', () => {
  const { files } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
  expect(files).toContain('!dist/cli/compiled');
});
