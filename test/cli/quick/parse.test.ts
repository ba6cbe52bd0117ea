import type { Command } from 'commander';
import { describe, expect, test } from 'vitest';
import { givenFlags } from '../../../src/cli/definitions/options.js';
import { createProgram } from '../../../src/cli/program.js';
import { QUICK_ACTIONS } from '../../../src/cli/quick/actions.js';
import { commandNamed, quickOptions } from '../../../src/cli/quick/describe.js';
import { OPTIONS } from '../../../src/cli/quick/options.generated.js';
import { readQuickly } from '../../../src/cli/quick/parse.js';
import { fakeIo } from '../fake-io.js';

/** What commander makes of a line; its action is not performed. */
function byCommander(line: readonly string[], name: string) {
  const { program } = createProgram(fakeIo().io, line[0]);
  const command = commandNamed(program, name);
  let read: object | undefined;
  command.action((...all: unknown[]) => {
    const performed = all.at(-1) as Command;
    read = { name, flags: givenFlags(performed), args: performed.args };
  });
  try {
    program.parse([...line], { from: 'user' });
  } catch {
    // A mistake, which it reports.
  }
  return read;
}

/** Lines that use every option of a command in every way, and break every rule. */
function linesOf(name: string): string[][] {
  const words = name.split(' ');
  const { program } = createProgram(fakeIo().io);
  const { options, registeredArguments } = commandNamed(program, name);
  const args = registeredArguments.filter(({ required }) => required).map(() => 'a');
  const mandatory = options.filter(({ mandatory: is }) => is).flatMap(({ long = '' }) => [long, 'm']);
  const given = options.map(({ long = '', required }) => (required ? [long, 'value'] : [long]));
  const each = given.flatMap(([flag = '', value]) => [
    [flag],
    [flag, 'value'],
    [flag, 'value', 'more'],
    [`${flag}=value`],
    [`${flag}=a=b`],
    [`${flag}=`],
    [flag, ''],
    [flag, '-'],
    [flag, '--json'],
    [flag, '-x'],
    [flag, ...(value === undefined ? [] : [value]), flag, ...(value === undefined ? [] : ['another'])],
    [flag.slice(0, -1), 'value'],
    [flag.toUpperCase()],
  ]);
  // Each beside the next, and beside every other that stands alone: those exclude each other, or are opposites.
  const pairs = given.flatMap((one, index) =>
    given.filter((other, at) => at === index + 1 || (at > index && one.length + other.length === 2)).map((other) => [...one, ...other]),
  );
  const odd = [
    [],
    ['-'],
    ['--'],
    ['--', '-x'],
    ['-x'],
    ['-h'],
    ['--help'],
    ['--nothing'],
    ['--constructor'],
    ['--__proto__=1'],
    ['b'],
    ['b', 'c'],
    [''],
  ];
  const behind = [...each, ...pairs, ...odd];
  return [
    ...behind.flatMap((rest) => [
      [...words, ...args, ...mandatory, ...rest],
      [...words, ...rest],
    ]),
    [...words, ...mandatory, ...args],
  ];
}

describe('the options that the build has written down', () => {
  test('are those of the definitions', () => {
    expect(OPTIONS).toEqual(quickOptions(fakeIo().io));
  });

  test.each(Object.keys(QUICK_ACTIONS))('passkey %s is read as commander reads it, or left to it', (name) => {
    const lines = linesOf(name);
    const read = lines.flatMap((line) => {
      const quick = readQuickly(line);
      return quick === undefined ? [] : [{ line, quick }];
    });
    for (const { line, quick } of read) expect({ line, ...quick }).toEqual({ line, ...byCommander(line, name) });
    // Every flag that takes one value or none is read.
    const { program } = createProgram(fakeIo().io);
    const plain = commandNamed(program, name).options.filter(({ variadic }) => !variadic);
    expect(plain.filter(({ long = '' }) => !read.some(({ line }) => line.includes(long)))).toEqual([]);
  });
});

test.each([['--version'], ['help'], ['simulate'], ['user'], ['token', 'renew'], ['constructor'], []])(
  '%j is left to commander',
  (...line) => {
    expect(readQuickly(line)).toBeUndefined();
  },
);
