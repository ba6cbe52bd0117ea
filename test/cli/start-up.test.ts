import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Command } from 'commander';
import { describe, expect, test } from 'vitest';
import { createProgram } from '../../src/cli/program.js';
import { passkeyHere } from '../e2e/passkey-in-process.js';
import { ROOT } from '../e2e/passkey-process.js';
import { quick, share } from '../thorough.js';
import { fakeIo } from './fake-io.js';

const CLI = join(ROOT, 'dist/cli');

const textOf = (file: string): string => readFileSync(join(CLI, file), 'utf8');

/** What no short command may load: the server, verification, prompts, schemas for all of JSON Schema, the public suffix list. */
const HEAVY = [
  'FST_ERR_BAD_URL',
  'Unexpected registration response origin',
  'User force closed the prompt',
  'TypeScriptEnumToEnumValues',
  'blogspot',
  'pg-native',
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

// test/architecture/entry-points.test.ts says the same of the entry points of the library.
describe('a short command', () => {
  const all = readdirSync(CLI).filter((file) => file.endsWith('.js'));

  quick.each(HEAVY)('%s marks something that is built', (mark) => {
    expect(all.some((file) => textOf(file).includes(mark))).toBe(true);
  });

  test.each(share(SHORT, 5))('passkey %s loads three files, none of them heavy', (line) => {
    const { stderr } = run(['--import', TELLING, join(ROOT, 'bin/passkey.js'), ...line.split(' '), '--store', 'none.json'], CLI);
    const files = [...stderr.matchAll(/^loads file:\/\/(\S+)/gm)].map(([, path = '']) => path.slice(ROOT.length + 1));
    expect([stderr, files]).toEqual([
      expect.stringContaining('none.json'),
      [MAIN[0], MAIN[1], expect.stringMatching(/^dist\/cli\/short-/)],
    ]);
    const text = files.map((file) => readFileSync(join(ROOT, file), 'utf8')).join('\n');
    expect(HEAVY.filter((mark) => text.includes(mark))).toEqual([]);
  });
});

const MAIN = ['bin/passkey.js', 'dist/cli/main.js'];

/** Has Node tell every file that it loads as a module. */
const HOOK = `export async function load(url, context, next) {
  if (url.startsWith('file:')) process._rawDebug('loads ' + url);
  return next(url, context);
}`;
const inData = (script: string): string => `data:text/javascript,${encodeURIComponent(script)}`;
const TELLING = inData(`import { register } from 'node:module'; register(${JSON.stringify(inData(HOOK))});`);

function run(args: readonly string[], cwd: string): { readonly stderr: string } {
  try {
    execFileSync(process.execPath, args, { cwd, encoding: 'utf8', stdio: 'pipe' });
    return { stderr: '' };
  } catch (error) {
    return { stderr: error instanceof Error && 'stderr' in error ? String(error.stderr) : String(error) };
  }
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
