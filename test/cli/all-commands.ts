import type { Command } from 'commander';
import { createProgram } from '../../src/cli/program.js';
import { fakeIo } from './fake-io.js';

function leaves(command: Command, path: readonly string[] = []): [string, Command][] {
  return command.commands.flatMap((each) =>
    each.commands.length > 0
      ? leaves(each, [...path, each.name()])
      : [[[...path, each.name()].join(' '), each] satisfies [string, Command]],
  );
}

/** Every command that does something, by its name with those of its parents. */
export const COMMANDS = leaves(createProgram(fakeIo().io).program).filter(([name]) => name !== 'help' && !name.startsWith('__'));
