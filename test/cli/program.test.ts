import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { nameVariable, SERVE_SETTINGS } from '../../src/cli/config/settings.js';
import { run } from '../../src/cli/main.js';
import { version } from '../../src/cli/package.js';
import { COMMANDS } from './all-commands.js';
import { fakeIo } from './fake-io.js';
import { runIn } from './run-in.js';

/** Their output is that of another program, or for one. */
const OWN_OUTPUT = new Set(['exec', 'completion']);

const GROUPS = ['fixture', 'credential', 'user', 'token', 'store'];
const EVERY_HELP = ['', 'help', 'user help', ...GROUPS, ...COMMANDS.map(([name]) => name)];

const readHelp = async (name: string, columns: number): Promise<string> => {
  const words = name.split(' ').filter((word) => word !== '');
  return (await runIn('/nowhere', [...words, '--help'], { COLUMNS: String(columns) })).stdout;
};

const DOCUMENTATION = join(import.meta.dirname, '../../docs');

describe('the command line', () => {
  test('has the commands of the design', () => {
    expect(COMMANDS.map(([name]) => name)).toStrictEqual([
      'serve',
      'exec',
      'browse',
      'list',
      'show',
      'revoke',
      'restore',
      'purge',
      'stats',
      'simulate',
      'doctor',
      'explain',
      'fixture import',
      'fixture check',
      'fixture export',
      'fixture list',
      'attestation-root',
      'credential create',
      'credential answer',
      'credential list',
      'credential remove',
      'credential convert',
      'user add',
      'user show',
      'user edit',
      'user list',
      'user remove',
      'token create',
      'token list',
      'token revoke',
      'store migrate',
      'store check',
      'store repair',
      'store export',
      'store import',
      'store copy',
      'store backup',
      'audit',
      'completion',
    ]);
  });

  test.each(COMMANDS)('%s has --json, and a help with examples on stdout', async (name, command) => {
    if (!OWN_OUTPUT.has(name)) expect(command.options.map(({ long }) => long)).toContain('--json');
    const { code, stdout, stderr } = await runIn('/nowhere', [...name.split(' '), '--help']);
    expect([code, stderr]).toStrictEqual([0, '']);
    expect(stdout).toContain(`Usage: passkey ${name}`);
    expect(stdout).toContain(`  $ ${name === 'token create' ? 'passkey' : `passkey ${name}`}`);
  });

  test.each(['', 'token', 'list', 'user add'])('help %s is the help of that command', async (name) => {
    const words = name.split(' ').filter((word) => word !== '');
    expect(await runIn('/nowhere', ['help', ...words])).toStrictEqual(await runIn('/nowhere', [...words, '--help']));
  });

  test.each([['nope'], ['token', 'nope'], ['list', 'nope']])('help %j names what there is not', async (...words) => {
    const { code, stdout, stderr } = await runIn('/nowhere', ['help', ...words]);
    expect([code, stdout]).toStrictEqual([2, '']);
    expect(stderr).toBe(`passkey: unknown command '${words.join(' ')}'\nRun \`passkey --help\` for usage.\n`);
  });

  test('names the variable of every option of serve in its help', async () => {
    const { stdout } = await runIn('/nowhere', ['serve', '--help']);
    for (const key of Object.keys(SERVE_SETTINGS)) expect(stdout.replace(/\s+/g, ' ')).toContain(`env: ${nameVariable(key)}`);
  });

  test.each(COMMANDS.filter(([, command]) => command.options.some(({ long }) => long === '--store')))(
    '%s offers a store in memory only if it is the one that keeps it',
    async (name) => {
      const { stdout } = await runIn('/nowhere', [...name.split(' '), '--help']);
      expect(stdout.includes('memory:')).toBe(['serve', 'exec'].includes(name));
    },
  );
});

describe('every help', () => {
  test.each(EVERY_HELP)('of %j fits 40, 60, 80 and 200 columns', async (name) => {
    for (const columns of [40, 60, 80, 133, 200]) {
      const lines = (await readHelp(name, columns)).split('\n');
      const tooLong = lines.filter((line) => line.length > columns && /\S \S/.test(line.trim().replace(/ \\$/, '')));
      expect(tooLong).toStrictEqual([]);
    }
  });

  test.each(EVERY_HELP)('of %j has examples, usage, flags and its page, in that order', async (name) => {
    const help = await readHelp(name, 80);
    const headings = ['Examples:', '\nUsage: ', '\nFlags of every command:', '\nDocumentation: docs/'];
    const places = headings.map((heading) => help.indexOf(heading));
    expect(places).toStrictEqual(places.toSorted((a, b) => a - b));
    expect(places[0]).toBe(0);
    expect(help).not.toContain('\nOptions:');
    expect(help.trimEnd().split('\n').at(-1)).toMatch(/^Documentation: docs\/[\w-]+\.md$/);
  });

  test.each(COMMANDS)('of %s begins with the flags that are used most', async (name, command) => {
    const help = await readHelp(name, 200);
    const own = command.options.filter(({ hidden, helpGroupHeading }) => !hidden && helpGroupHeading !== 'Flags of every command:');
    const common = own.filter(({ helpGroupHeading }) => helpGroupHeading === 'Common flags:');
    expect(common.length).toBeLessThanOrEqual(5);
    expect(common.length).toBeGreaterThanOrEqual(Math.min(own.length, 1));
    const [, flags = ''] = help.split(/\nUsage: .*\n/);
    expect([...flags.matchAll(/^(?!Arguments)[A-Z][a-z -]+:$/gm)].map(([heading]) => heading)[0]).toBe(
      own.length > 0 ? 'Common flags:' : 'Flags of every command:',
    );
    // No group is a list that has to be searched.
    for (const group of flags.split(/^[A-Z][a-z -]+:$/m)) expect(group.match(/^ {2}-/gm)?.length ?? 0).toBeLessThanOrEqual(14);
  });

  test.each(COMMANDS)('of %s names a page that is about it', async (name) => {
    const [, page = ''] = /^Documentation: docs\/(.+)$/m.exec(await readHelp(name, 80)) ?? [];
    expect(await readFile(join(DOCUMENTATION, page), 'utf8')).toMatch(new RegExp(`\\b${name}\\b`));
  });

  test.each(GROUPS)('of %s has examples that its commands have, too', async (group) => {
    const ofCommands = (await Promise.all(COMMANDS.filter(([name]) => name.startsWith(group)).map(([name]) => readHelp(name, 500)))).join(
      '',
    );
    const [examples = ''] = (await readHelp(group, 500)).split('\nUsage: ');
    for (const example of examples.split('\n').filter((line) => line.startsWith('  $ '))) expect(ofCommands).toContain(`${example}\n`);
  });
});

describe('passkey alone', () => {
  test('says in ten lines on stdout what it is, how to begin, and where to read on', async () => {
    const { code, stdout, stderr } = await runIn('/nowhere', [], { COLUMNS: '80' });
    expect([code, stderr]).toStrictEqual([0, '']);
    expect(stdout.split('\n').slice(0, -2)).toStrictEqual([
      expect.stringMatching(/^passkey \S+: run, record, replay and attack passkey \(WebAuthn\) ceremonies\.$/),
      'It sends nothing to any server except those that you name.',
      '',
      'Begin with:',
      '  passkey serve            run a relying party and its test page',
      '  passkey simulate --demo  attack a small shop that has three mistakes',
      '  passkey explain FILE     decode WebAuthn data, and check a ceremony',
      '',
      'passkey --help lists every command, and passkey COMMAND --help explains one.',
    ]);
    const [, page = ''] = /\nDocumentation: (.+)\n$/.exec(stdout) ?? [];
    expect(await readFile(page, 'utf8')).toContain('# Documentation');
  });

  test('names the command that runs it, and wraps', async () => {
    const { io, written } = fakeIo({ cwd: '/srv/shop', env: { COLUMNS: '40' } });
    await run([], { ...io, script: '/srv/shop/node_modules/.bin/passkey' });
    expect(written.stdout).toContain('  npx passkey-cli serve\n  npx passkey-cli simulate --demo\n');
    for (const line of written.stdout.split('\n')) if (line.trim().includes(' ')) expect(line.length).toBeLessThanOrEqual(40);
  });

  test('with flags but no command is wrong usage', async () => {
    expect(await runIn('/nowhere', ['--no-such-flag'])).toMatchObject({
      code: 2,
      stdout: '',
      stderr: expect.stringContaining('unknown option'),
    });
  });
});

test('the help at several widths is recorded', async () => {
  let text = '';
  for (const [name, widths] of [
    ['', [40, 100]],
    ['help', [80]],
    ['token', [30]],
    ['token create', [24, 45, 58, 80, 120]],
  ] as const) {
    for (const width of widths) text += `$ COLUMNS=${width} passkey ${name} --help\n${await readHelp(name, width)}\n`;
  }
  for (const width of [30, 52, 53, 80]) {
    const { stdout } = await runIn('/nowhere', [], { COLUMNS: String(width) });
    text += `$ COLUMNS=${width} passkey\n${stdout.replace(/\nDocumentation:.*/s, '\n')}\n`;
  }
  await expect(text.replaceAll(version(), 'VERSION')).toMatchFileSnapshot('help.txt');
});
