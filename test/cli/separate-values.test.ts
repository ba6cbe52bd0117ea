import { CommanderError } from 'commander';
import { describe, expect, test } from 'vitest';
import { FlagCommand } from '../../src/cli/separate-values.js';
import { IN_RELEASE, quick } from '../thorough.js';
import { COMMANDS } from './all-commands.js';
import { runIn } from './run-in.js';

/** Every option of every command that takes a value. */
const SLOTS = COMMANDS.flatMap(([name, command]) =>
  command.options.filter(({ required }) => required).map(({ long, short, flags }) => ({ name, flag: long ?? short ?? '', flags })),
);

const refusal = ({ flags, flag }: (typeof SLOTS)[number], value: string) =>
  `passkey: option '${flags}' needs a value, and '${value}' is a flag. Write ${flag}=${value} if you mean it.\n`;

describe('a flag is not the value of the flag before it', () => {
  quick('there are slots', () => expect(SLOTS.length).toBeGreaterThan(250));

  test.each(SLOTS.map((slot, index) => ({ ...slot, index })))('$name $flag', async ({ index, ...slot }) => {
    const words = slot.name.split(' ');
    /** In `npm test` one of the values, another for each slot; in the release suite the others. */
    const some = <Value>(values: readonly Value[]) => values.filter((_, place) => (place === index % values.length) !== IN_RELEASE);
    for (const value of some(['--json', '--no-such-flag', '--', '--yes=no', '-h'])) {
      const ran = await runIn('/nowhere', [...words, slot.flag, value]);
      expect(ran).toMatchObject({ code: 2, stdout: '', stderr: expect.stringContaining(refusal(slot, value)) });
    }
    // An unknown flag behind the value is the mistake that remains, unless a required flag is missing: nothing runs.
    const given = [['-1'], ['-0.5'], ['-'], ['-----BEGIN'], ['']].map((value) => [slot.flag, ...value]);
    for (const argv of some([...given, [`${slot.flag}=--json`]])) {
      const { code, stderr } = await runIn('/nowhere', [...words, ...argv, '--no-such-flag']);
      expect(code).toBe(2);
      expect(stderr).toMatch(/^passkey: (?:unknown option '--no-such-flag'|required option |option '--algorithm )/);
      expect(stderr).not.toContain('is a flag');
    }
  });

  quick.each([
    ['audit', ['audit', '--since', '-f'], /'-f' is a flag. Write --since=-f/],
    ['audit with a group', ['audit', '--since', '-fh'], /'-fh' is a flag/],
    ['the last of a group of letters', ['audit', '-f', '--since', '--json'], /'--json' is a flag/],
  ])('%s: short flags count too', async (_, argv, says) => {
    expect(await runIn('/nowhere', argv)).toMatchObject({ code: 2, stderr: expect.stringMatching(says) });
  });

  /** The options as they are read, or the value that is refused. */
  function parse(words: readonly string[]): unknown {
    const command = new FlagCommand('try')
      .exitOverride()
      .configureOutput({ writeErr: () => {}, writeOut: () => {} })
      .option('-v, --verbose', 'say more')
      .option('-p, --path <path>', 'a value')
      .option('-o, --own [value]', 'a value or none')
      .option('-H', 'not help')
      .argument('[rest...]');
    try {
      command.parse(words, { from: 'user' });
    } catch (error) {
      if (!(error instanceof CommanderError)) throw error;
      return error.code === 'commander.optionMissingArgument' ? error.message : error.code;
    }
    return [command.opts(), command.args];
  }
  const refused = (value: string, written = `--path=${value}`) =>
    `error: option '-p, --path <path>' needs a value, and '${value}' is a flag. Write ${written} if you mean it.`;

  quick.each([
    [['-p', '-v'], refused('-v')],
    [['-p', '-vv'], refused('-vv')],
    [['-p', '-vh'], refused('-vh')],
    [['-p', '-po'], refused('-po')],
    [['-vp', '--own'], refused('--own')],
    [['-v', '-p', '-o'], refused('-o')],
    [['x', '-p', '-v'], refused('-v')],
    [['-p', '-H'], refused('-H')],
    [['-p', '-pxyz'], refused('-pxyz')],
    [
      ['-p', '-vx'],
      [{ path: '-vx' }, []],
    ],
    [
      ['-p', '-xp'],
      [{ path: '-xp' }, []],
    ],
    [
      ['-p', '-1'],
      [{ path: '-1' }, []],
    ],
    [
      ['-p', '---v'],
      [{ path: '---v' }, []],
    ],
    [
      ['-p', 'a', '-v'],
      [{ path: 'a', verbose: true }, []],
    ],
    [
      ['-pv', '-v'],
      [{ path: 'v', verbose: true }, []],
    ],
    [
      ['-o', '-v'],
      [{ own: true, verbose: true }, []],
    ],
    [
      ['-ov', '-v'],
      [{ own: 'v', verbose: true }, []],
    ],
    [
      ['-p', 'a', '--', '-p', '-v'],
      [{ path: 'a' }, ['-p', '-v']],
    ],
    [['-hp', '-v'], refused('-v')],
    [['-h', '-p', 'a'], 'commander.helpDisplayed'],
  ])('%j', (words, result) => expect(parse(words)).toEqual(result));

  quick('words of a command within, or of another program, are not its own', () => {
    const outer = new FlagCommand('outer').option('-p <path>').exitOverride();
    const seen: unknown[] = [];
    outer
      .command('inner')
      .option('-v')
      .argument('[rest...]')
      .action((rest, options) => void seen.push(rest, options));
    outer.parse(['-p', 'a', 'inner', '--', '-p', '-v'], { from: 'user' });
    expect(seen).toEqual([['-p', '-v'], {}]);
    const runner = new FlagCommand('runner').option('-p <path>').option('-v').passThroughOptions().argument('[words...]').exitOverride();
    runner.parse(['-p', 'a', 'program', '-p', '-v'], { from: 'user' });
    expect([runner.opts(), runner.args]).toEqual([{ p: 'a' }, ['program', '-p', '-v']]);
    runner.passThroughOptions(false).configureOutput({ writeErr: () => {} });
    expect(() => runner.parse(['program', '-p', '-v'], { from: 'user' })).toThrow(
      "option '-p <path>' needs a value, and '-v' is a flag. Write -p=-v",
    );
  });

  quick.each([
    ['behind --, words of another program stay', ['exec', '--no-such-flag', '--', 'node', '--eval', '--print']],
    ['a letter that is no flag begins a text', ['revoke', '--reason', '-quiet', '--no-such-flag']],
  ])('%s', async (_, argv) => {
    expect((await runIn('/nowhere', argv)).stderr.split('\n')[0]).toBe("passkey: unknown option '--no-such-flag'");
  });

  quick('a reason of an empty variable revokes nothing', async () => {
    const { code, stderr } = await runIn('/nowhere', ['revoke', '8', '--reason', '--dry-run', '--yes']);
    expect([code, stderr]).toEqual([
      2,
      "passkey: option '--reason <text>' needs a value, and '--dry-run' is a flag. Write --reason=--dry-run if you mean it.\n" +
        'Run `passkey revoke --help` for usage.\nA credential ID that begins with - must follow --.\n',
    ]);
  });
});
