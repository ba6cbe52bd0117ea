import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { confirm } from '../../src/cli/ask.js';
import { run } from '../../src/cli/main.js';
import { COMMANDS } from './all-commands.js';
import { fakeIo, typeInto } from './fake-io.js';
import { runIn } from './run-in.js';
import { seeded } from './seeded-store.js';
import { tempFolder } from './temp-folder.js';

describe('short flags', () => {
  test.each(COMMANDS)('%s has -q, --no-color, --no-input, -o for --out and -p for --port', (_, { options }) => {
    const shorts = Object.fromEntries(options.map(({ long, short }) => [long ?? '', short]));
    expect(shorts).toMatchObject({ '--quiet': '-q', '--no-color': undefined, '--no-input': undefined });
    for (const [long, short] of [
      ['--out', '-o'],
      ['--port', '-p'],
    ] as const) {
      if (long in shorts) expect(shorts[long]).toBe(short);
      else expect(Object.values(shorts)).not.toContain(short);
    }
  });

  test('-o writes, and -p is read as --port is', async () => {
    const { cwd, passkey } = await seeded();
    expect(await passkey('store', 'export', '-o', 'all.jsonl')).toMatchObject({ code: 0 });
    expect(await readFile(join(cwd, 'all.jsonl'), 'utf8')).toContain('ada@example.com');
    expect((await passkey('serve', '-p', 'http')).stderr).toContain('--port expects a port');
  });
});

describe('flags before the command', () => {
  test.each([
    [['--json', 'list']],
    [['--store', 'other.json', '--json', 'user', 'list']],
    [['user', '--json', 'list', '--store', 'other.json']],
    [['-q', 'user', '--store=other.json', 'list', '--json']],
    [['--config', 'own.json', 'token', 'list']],
    [['--json', 'store', 'check']],
    [['--no-input', '--no-color', '--quiet', 'revoke', '1']],
  ])('%j count as behind it', async (argv) => {
    const { cwd } = await seeded();
    const names = argv.filter((word, index) => !word.startsWith('-') && !['--store', '--config'].includes(argv[index - 1] ?? ''));
    const flags = argv.filter((word) => !names.includes(word));
    const early = await runIn(cwd, argv);
    expect(early).toStrictEqual(await runIn(cwd, [...names, ...flags]));
    expect(early.stderr).not.toContain('unknown option');
  });

  test('are refused by a command that has none such, and by no command at all', async () => {
    expect(await runIn('/nowhere', ['--json', 'completion', 'bash'])).toMatchObject({
      code: 2,
      stdout: '',
      stderr: 'passkey: completion does not take --json\nRun `passkey completion --help` for usage.\n',
    });
    for (const argv of [['--json'], ['--store', 'list'], ['-q']]) {
      expect(await runIn('/nowhere', argv)).toMatchObject({ code: 2, stdout: '' });
    }
  });

  test('exclude what they exclude behind it', async () => {
    const { passkey } = await seeded();
    expect((await passkey('--json', 'list', '--csv')).stderr).toMatch(/'--json' cannot be used with option '--csv'/);
  });

  test('the later one of two counts', async () => {
    const { passkey, store } = await seeded();
    expect(await passkey('--store', 'typo.json', 'list', '--json', '--store', store)).toMatchObject({ code: 0 });
  });

  test.each([
    [['--store', '--json', 'list'], "option '--store <location>' needs a value, and '--json' is a flag"],
    [['--config', '-q', 'list'], "option '--config <file>' needs a value, and '-q' is a flag"],
    [['user', '--store', '--no-input', 'list'], "option '--store <location>' needs a value, and '--no-input' is a flag"],
    [['--store', '--', 'list'], "option '--store <location>' needs a value, and '--' is a flag"],
  ])('%j: a flag is no value there either', async (argv, message) => {
    expect(await runIn('/nowhere', argv)).toMatchObject({ code: 2, stdout: '', stderr: expect.stringContaining(message) });
  });

  test('leave the words of another program alone', async () => {
    const { stderr } = await runIn('/nowhere', ['--quiet', 'exec', '--no-such-flag', '--', 'node', '--json', '-q']);
    expect(stderr.split('\n')[0]).toBe("passkey: unknown option '--no-such-flag'");
  });

  test('complete', async () => {
    const { cwd } = await seeded();
    const { stdout } = await runIn(cwd, ['__complete', '--', '--store', '.passkey/passkeys.jsonl', 'list', '--user', 'ada']);
    expect(stdout).toContain('ada@example.com');
    expect((await runIn(cwd, ['__complete', '--', '--js'])).stdout).toContain('--json\t');
  });
});

describe('--quiet', () => {
  test('leaves data, and drops what is said about it', async () => {
    const { passkey } = await seeded();
    for (const argv of [
      ['list', '--limit', '1'],
      ['user', 'add', '--email', 'c@example.com', '--name', 'C'],
      ['revoke', '1', '--yes'],
    ]) {
      const ran = await passkey(...argv, '--quiet');
      expect(ran).toMatchObject({ code: 0, stderr: '' });
      expect(ran.stdout).not.toBe('');
    }
    expect(await passkey('list', '--label', 'no such', '-q')).toStrictEqual({ code: 0, stdout: '', stderr: '' });
  });

  test('keeps errors and warnings', async () => {
    const { passkey } = await seeded();
    expect(await passkey('show', '99', '-q')).toMatchObject({ code: 1, stderr: expect.stringContaining('No passkey has the id 99') });
    expect(await passkey('list', '-q', '--bogus')).toMatchObject({ code: 2, stderr: expect.stringContaining('unknown option') });
  });

  test('still shows what a question is about', async () => {
    const { cwd } = await seeded();
    const terminal = fakeIo({ cwd, terminal: true });
    typeInto(terminal, [['Revoke 2 passkeys; 1 user keeps none (User:1)?', 'n\r']]);
    expect(await run(['revoke', '--user', 'ada@example.com', '-q'], terminal.io)).toBe(1);
    expect(terminal.written.stderr).toMatch(/Phone[\s\S]*Revoke 2 passkeys;/);
  });
});

describe('--no-input', () => {
  test.each([
    [['revoke'], 'name the passkeys to revoke, or filter them'],
    [['revoke', '--user', 'ada@example.com'], 'add --yes'],
    [['user', 'remove', 'ada@example.com'], 'add --yes'],
    [['user', 'add'], 'give --email and --name'],
    [['token', 'create'], 'give --user'],
    [['credential', 'create'], 'give --user'],
  ])('%j on a terminal asks nothing and is exit 2', async (argv, instead) => {
    const { cwd } = await seeded();
    for (const words of [
      [...argv, '--no-input'],
      ['--no-input', ...argv],
    ]) {
      const terminal = fakeIo({ cwd, terminal: true });
      expect(await run(words, terminal.io)).toBe(2);
      expect(terminal.written.stderr).toContain('--no-input: nothing is asked; ');
      expect(terminal.written.stderr).toContain(instead);
    }
  });
});

describe('--no-color', () => {
  test.each([[['list']], [['user', 'list']], [['explain', join(import.meta.dirname, '../../fixtures/recorded/login-synced.json')]]])(
    '%j on a terminal has no colour with it',
    async (argv) => {
      const { cwd } = await seeded();
      const [coloured, plain] = [fakeIo({ cwd, terminal: true }), fakeIo({ cwd, terminal: true })];
      await run(argv, coloured.io);
      await run([...argv, '--no-color'], plain.io);
      expect(coloured.written.stdout).toContain('\u001b[');
      expect(plain.written.stdout).not.toContain('\u001b[');
      expect(plain.written.stdout.length).toBeGreaterThan(0);
    },
  );

  test('a question has none either', async () => {
    const terminal = fakeIo({ cwd: await tempFolder(), terminal: true });
    typeInto(terminal, [['Sure? (y/N)', 'y\r']]);
    await confirm({ ...terminal.io, noColour: true }, 'Sure?', 'add --yes');
    expect(terminal.written.stderr).not.toContain('\u001b[3');
  });
});
