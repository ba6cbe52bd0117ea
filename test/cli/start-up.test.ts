import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import * as module from 'node:module';
import { tmpdir } from 'node:os';
import { join, relative, sep } from 'node:path';
import type { Command } from 'commander';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { createProgram } from '../../src/cli/program.js';
import { passkeyHere } from '../e2e/passkey-in-process.js';
import { ROOT } from '../e2e/passkey-process.js';
import { quick, share } from '../thorough.js';
import { fakeIo } from './fake-io.js';

const CLI = join(ROOT, 'dist/cli');

const MAIN = ['bin/passkey.js', 'dist/cli/main.js'];
const TELLING = join(ROOT, 'test/cli/tell-files.cjs');

/** What reads X.509 for the verification library. */
const CERTIFICATES = 'X509CertificateGenerator';
/** What describes the routes, what validates bodies, what injects requests, and the test page. */
const OF_LATER_REQUESTS = {
  openapi: 'securityDefinitions',
  validator: 'must NOT have additional properties',
  inject: 'FastifyDeprecationLightMyRequest',
  page: 'color-scheme:light dark',
};

const textOf = (file: string): string => readFileSync(join(CLI, file), 'utf8');

/** What no short command may load: the server, verification, prompts, TypeBox, the public suffix list, PostgreSQL, commander. */
const HEAVY = [
  'FST_ERR_BAD_URL',
  'Unexpected registration response origin',
  'User force closed the prompt',
  'TypeScriptEnumToEnumValues',
  'blogspot',
  'pg-native',
  'commander.unknownOption',
];

/** Command lines that load all that they need before they find no store. */
const SHORT = [
  'list',
  'show 1',
  'revoke 1 --yes',
  'restore 1',
  'purge --older-than 30d --yes',
  'user list',
  'user remove ada@example.com --yes',
  'token create --user ada@example.com',
  'token list',
  'token revoke 1 --yes',
];

const all = readdirSync(CLI).filter((file) => file.endsWith('.js'));

quick.each([...HEAVY, ...Object.values(OF_LATER_REQUESTS), CERTIFICATES])('%s marks something that is built', (mark) => {
  expect(all.some((file) => textOf(file).includes(mark))).toBe(true);
});

// test/architecture/entry-points.test.ts says the same of the entry points of the library.
describe('a short command', () => {
  test.each(share(SHORT, 5))('passkey %s loads three files, none of them heavy', (line) => {
    const { stderr, files } = loadedBy([...line.split(' '), '--store', 'none.json']);
    expect([stderr, files]).toEqual([expect.stringContaining('none.json'), [...MAIN, expect.stringMatching(/^dist\/cli\/short-/)]]);
    expect(marksIn(files, HEAVY)).toEqual([]);
  });

  test.each(share(['list', 'show 1'], 2))('passkey %s loads no more where there is a store', async (line) => {
    const folder = await mkdtemp(join(tmpdir(), 'passkey-start-'));
    onTestFinished(() => rm(folder, { recursive: true, force: true }));
    const store = ['--store', join(folder, 'store.json')];
    const registered = ['credential', 'create', '--user', 'ada@example.com', '--credentials', join(folder, 'credentials.json')];
    loadedBy(['user', 'add', '--email', 'ada@example.com', '--name', 'Ada', ...store]);
    loadedBy([...registered, ...store]);
    const { stdout, files } = loadedBy([...line.split(' '), ...store]);
    expect(stdout).toContain('ada@example.com');
    expect(files).toEqual([...MAIN, expect.stringMatching(/^dist\/cli\/short-/)]);
  });
});

/** With a compile cache of its own, Node itself asks for the folder of temporary files. */
const OF_NODE = 'enableCompileCache' in module ? ['os'] : [];
/** Each is loaded with others that Node's own snapshot does not hold. */
const BUILT_INS = ['crypto', 'fs/promises', 'internal/crypto/webcrypto', 'net', 'os', 'perf_hooks', 'stream', 'tty', 'v8', 'zlib'].filter(
  (name) => !OF_NODE.includes(name),
);

describe('of what Node brings', () => {
  const folder = mkdtempSync(join(tmpdir(), 'passkey-start-'));
  afterAll(() => rm(folder, { recursive: true, force: true }));
  const store = ['--store', join(folder, 'store.json')];
  beforeAll(() => {
    loadedBy(['user', 'add', '--email', 'ada@example.com', '--name', 'Ada', ...store]);
  });

  quick.each([
    ['list', []],
    ['user list', []],
    ['token list', []],
    // Random bytes and a hash, a lock, the name of the user for the log.
    ['token create --user ada@example.com', ['crypto', 'fs/promises', 'os', 'stream']],
  ])('passkey %s loads only %j', (line, expected) => {
    const { stderr, stdout, builtIns } = loadedBy([...line.split(' '), '--json', ...store]);
    expect(stderr).not.toContain('passkey: ');
    expect(stdout).not.toBe('');
    expect(BUILT_INS.filter((name) => builtIns.includes(name))).toEqual(expected.filter((name) => !OF_NODE.includes(name)));
  });
});

describe('passkey explain of one response', () => {
  const { stdout, files, builtIns } = loadedBy(['explain', join(ROOT, 'fixtures/recorded/login-synced.json')]);

  quick('loads six files: its own, what verifies, and of the verification library only what a login needs', () => {
    expect(stdout).toContain('Library  accepted');
    expect(files.slice(0, 2)).toEqual(MAIN);
    expect(files.length).toBeLessThanOrEqual(8);
    expect(marksIn(files, [...HEAVY.filter((mark) => mark !== 'Unexpected registration response origin'), CERTIFICATES])).toEqual([]);
  });

  quick('opens stdout neither as a socket nor as a terminal', () => {
    expect(['net', 'tty', 'zlib'].filter((name) => builtIns.includes(name))).toEqual([]);
  });
});

describe('passkey serve', () => {
  quick('loads before it listens neither what verifies nor what only some requests need', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'passkey-start-'));
    onTestFinished(() => rm(folder, { recursive: true, force: true }));
    const words = ['serve', '--port', '0', '--no-open', '--json', '--store', join(folder, 'store.json')];
    const child = spawn(process.execPath, ['--require', TELLING, join(ROOT, 'bin/passkey.js'), ...words], { cwd: folder });
    onTestFinished(async () => {
      child.kill();
      if (child.exitCode === null) await once(child, 'exit');
    });
    let told = '';
    child.stderr.setEncoding('utf8').on('data', (text: string) => (told += text));
    await once(child.stdout, 'data');
    const listening = filesIn(told);
    expect(listening.slice(0, 2)).toEqual(MAIN);
    const verifies = 'Unexpected registration response origin';
    expect(marksIn(listening, [verifies, CERTIFICATES, ...Object.values(OF_LATER_REQUESTS)])).toEqual([]);
    // Soon afterwards, nobody having asked for anything.
    while (marksIn(filesIn(told), [verifies]).length === 0) await once(child.stderr, 'data');
  });
});

function marksIn(files: readonly string[], marks: readonly string[]): string[] {
  const text = files.map((file) => readFileSync(join(ROOT, file), 'utf8')).join('\n');
  return marks.filter((mark) => text.includes(mark));
}

/** The files of this package that a command line loads, in their order, and what it writes. */
function loadedBy(words: readonly string[]) {
  const args = ['--require', TELLING, join(ROOT, 'bin/passkey.js'), ...words];
  const { stdout, stderr } = spawnSync(process.execPath, args, { cwd: CLI, encoding: 'utf8' });
  return { stdout, stderr, files: filesIn(stderr), builtIns: [...stderr.matchAll(/^built-in (\S+)/gm)].map(([, name = '']) => name) };
}

function filesIn(stderr: string): string[] {
  return [...stderr.matchAll(/^loads (\S+)/gm)].map(([, path = '']) => relative(ROOT, path).split(sep).join('/'));
}

function wordsOf(command: Command, words: readonly string[] = []): string[] {
  return [words.join(' '), ...command.commands.flatMap((each) => wordsOf(each, [...words, each.name()]))];
}

describe('what the build has written down', () => {
  const answers = readdirSync(join(CLI, 'answers')).map((file) => file.replace(/\.txt$/, ''));

  quick('is the version, and the help of every command', () => {
    const helps = wordsOf(createProgram(fakeIo().io).program).map((words) => `${words} --help`.trim());
    expect(answers.toSorted()).toEqual(['--version', ...helps].toSorted());
  });

  quick.each(answers)('%s is what the command line says', async (words) => {
    const { stdout, code } = await passkeyHere(words.split(' '), { cwd: ROOT });
    expect([code, stdout]).toEqual([0, readFileSync(join(CLI, 'answers', `${words}.txt`), 'utf8')]);
  });

  quick.each([
    ['-V', '--version'],
    ['-h', '--help'],
    ['token create -h', 'token create --help'],
  ])('%s is answered as well', (words, written) => {
    const args = [join(ROOT, 'bin/passkey.js'), ...words.split(' ')];
    expect(execFileSync(process.execPath, args, { encoding: 'utf8' })).toBe(readFileSync(join(CLI, 'answers', `${written}.txt`), 'utf8'));
  });
});

describe('the definitions of one word', () => {
  const { program } = createProgram(fakeIo().io);

  quick.each(program.commands.map((command) => command.name()).filter((name) => name !== 'help'))(
    '%s are the same as among all',
    (name) => {
      const [alone, among] = [createProgram(fakeIo().io, name).program, program].map((each) =>
        each.commands.find((one) => one.name() === name),
      );
      expect(alone).toBeDefined();
      expect(wordsOf(alone ?? program)).toEqual(wordsOf(among ?? program));
      // What completes a command line defines every command.
      if (name === '__complete') return;
      expect(createProgram(fakeIo().io, name).program.commands.length).toBeLessThan(program.commands.length / 2);
    },
  );
});
