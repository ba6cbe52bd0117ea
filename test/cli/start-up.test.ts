import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import type { Command } from 'commander';
import { describe, expect, test } from 'vitest';
import { createProgram } from '../../src/cli/program.js';
import { passkeyHere } from '../e2e/passkey-in-process.js';
import { ROOT } from '../e2e/passkey-process.js';
import { fakeIo } from './fake-io.js';

const CLI = join(ROOT, 'dist/cli');

/** The chunk that a command's module is in, as main.js names it where its action loads it. */
function chunkOf(command: string): string {
  const [, action = ''] = new RegExp(`command\\(["\`]${command}[ "\`][^]*?(import\\(["\`]\\./[^"\`]+)`).exec(textOf('main.js')) ?? [];
  return action.replace(/^import\(["`]\.\//, '');
}

const textOf = (file: string): string => readFileSync(join(CLI, file), 'utf8');

/** Every file that importing one of the built files loads at once, itself included. */
function loadedBy(file: string, seen = new Set<string>()): ReadonlySet<string> {
  if (seen.has(file)) return seen;
  seen.add(file);
  for (const [, to = ''] of textOf(file).matchAll(/\bfrom["`](\.[^"`]+)["`]|(?<=^|;)import["`](\.[^"`]+)["`]/g)) {
    loadedBy(resolve('/', dirname(file), to).slice(1), seen);
  }
  return seen;
}

/** What no short command may load: the server, verification, prompts, schemas for all of JSON Schema, the public suffix list. */
const HEAVY = [
  'FST_ERR_BAD_URL',
  'Unexpected registration response origin',
  'User force closed the prompt',
  'TypeScriptEnumToEnumValues',
  'blogspot',
  'pg-native',
];

const SHORT = ['list', 'show', 'revoke', 'restore', 'user add', 'user list', 'token create', 'token list', 'token revoke'];

// test/architecture/entry-points.test.ts says the same of the entry points of the library.
describe('a short command', () => {
  const all = readdirSync(CLI).filter((file) => file.endsWith('.js'));

  test.each(HEAVY)('%s marks something that is built', (mark) => {
    expect(all.some((file) => textOf(file).includes(mark))).toBe(true);
  });

  // bin/passkey.js, main.js and one more.
  test.each(SHORT)('%s is in three files with bin/passkey.js, none of them heavy', (command) => {
    const files = loadedBy(chunkOf(command.split(' ').at(-1) ?? ''));
    const together = new Set(['main.js', ...files]);
    expect([...loadedBy('main.js')]).toEqual(['main.js']);
    expect(together.size).toBe(2);
    const text = [...together].map(textOf).join('\n');
    expect(HEAVY.filter((mark) => text.includes(mark))).toEqual([]);
  });

  test('passkey list loads these files of the package, and no other', () => {
    const script = `import { register } from 'node:module';
      register('data:text/javascript,' + encodeURIComponent(\`export async function load(url, context, next) {
        if (url.startsWith('file:')) process._rawDebug('loads ' + url);
        return next(url, context);
      }\`));`;
    const loader = `data:text/javascript,${encodeURIComponent(script)}`;
    const cwd = join(ROOT, 'dist');
    const { stderr } = run(['--import', loader, join(ROOT, 'bin/passkey.js'), 'list', '--store', 'none.json'], cwd);
    const files = [...stderr.matchAll(/^loads file:\/\/(\S+)/gm)].map(([, path = '']) => path.slice(ROOT.length + 1));
    expect(files).toEqual(['bin/passkey.js', 'dist/cli/main.js', expect.stringMatching(/^dist\/cli\/short-/)]);
  });
});

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

  test('is the version, and the help of every command', () => {
    const helps = wordsOf(createProgram(fakeIo().io).program).map((words) => `${words} --help`.trim());
    expect(answers.toSorted()).toEqual(['--version', ...helps].toSorted());
  });

  test.each(answers)('%s is what the command line says', async (words) => {
    const { stdout, code } = await passkeyHere(words.split(' '), { cwd: ROOT });
    expect([code, stdout]).toEqual([0, readFileSync(join(CLI, 'answers', `${words}.txt`), 'utf8')]);
  });

  test.each([
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

  test.each(program.commands.map((command) => command.name()).filter((name) => name !== 'help'))('%s are the same as among all', (name) => {
    const [alone, among] = [createProgram(fakeIo().io, name).program, program].map((each) =>
      each.commands.find((one) => one.name() === name),
    );
    expect(alone).toBeDefined();
    expect(wordsOf(alone ?? program)).toEqual(wordsOf(among ?? program));
    // Nothing but the commands that are defined with it, and help.
    expect(createProgram(fakeIo().io, name).program.commands.length).toBeLessThan(program.commands.length / 2);
  });
});
