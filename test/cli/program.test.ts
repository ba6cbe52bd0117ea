import { describe, expect, test } from 'vitest';
import { nameVariable, SERVE_SETTINGS } from '../../src/cli/config/settings.js';
import { COMMANDS } from './all-commands.js';
import { runIn } from './run-in.js';

/** Their output is that of another program, or for one. */
const OWN_OUTPUT = new Set(['exec', 'completion']);

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
      'report merge',
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
    expect(stdout.split('\n').filter((line) => line.length > 80)).toStrictEqual([]);
    expect(stdout).toContain(`  $ ${name === 'token create' ? 'passkey' : `passkey ${name}`}`);
  });

  test.each(['', 'token', 'list', 'user add'])('help %s is the help of that command', async (name) => {
    const words = name.split(' ').filter((word) => word !== '');
    expect(await runIn('/nowhere', ['help', ...words])).toStrictEqual(await runIn('/nowhere', [...words, '--help']));
  });

  test.each([['nope'], ['token', 'nope'], ['list', 'nope']])('help %j names what there is not', async (...words) => {
    const { code, stdout, stderr } = await runIn('/nowhere', ['help', ...words]);
    expect([code, stdout]).toStrictEqual([2, '']);
    expect(stderr).toBe(`passkey: unknown command '${words.join(' ')}'\nRun passkey --help for usage.\n`);
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
