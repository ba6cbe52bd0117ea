import type { Command } from 'commander';
import { createProgram } from '../../src/cli/program.js';
import { fakeIo } from './fake-io.js';

const { program, define } = createProgram(fakeIo().io);

async function leaves(command: Command, path: readonly string[] = []): Promise<[string, Command][]> {
  const found: [string, Command][] = [];
  for (const each of command.commands.filter((one) => one.name() !== 'help' && !one.name().startsWith('__'))) {
    const names = [...path, each.name()];
    await define(each);
    found.push(...(each.commands.length > 0 ? await leaves(each, names) : [[names.join(' '), each] satisfies [string, Command]]));
  }
  return found;
}

/** Every command that does something, by its name with those of its parents. */
export const COMMANDS = await leaves(program);
