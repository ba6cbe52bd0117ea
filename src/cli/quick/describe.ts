import type { Command, Option } from 'commander';
import { collect } from '../definitions/options.js';
import type { Io } from '../io.js';
import { createProgram } from '../program.js';
import { QUICK_ACTIONS } from './actions.js';
import type { Given, QuickOptions } from './options.js';

/**
 * What may follow the words of each quick command, from its definition; the build writes it to options.generated.ts.
 *
 * @throws Error for an option that `readQuickly` could not read as commander does.
 */
export function quickOptions(io: Io): Readonly<Record<string, QuickOptions>> {
  const { program } = createProgram(io);
  return Object.fromEntries(Object.keys(QUICK_ACTIONS).map((name) => [name, optionsOf(commandNamed(program, name))]));
}

/** @throws Error when there is none of that name. */
export function commandNamed(program: Command, name: string): Command {
  let command = program;
  for (const word of name.split(' ')) {
    const next = command.commands.find((each) => each.name() === word);
    if (next === undefined) throw new Error(`Expected a command ${name} among the definitions.`);
    command = next;
  }
  return command;
}

function optionsOf(command: Command): QuickOptions {
  const { options, registeredArguments: args } = command;
  const special = args.find(({ parseArg, defaultValue, argChoices }) => parseArg ?? defaultValue ?? argChoices);
  if (special !== undefined) throw new Error(`Expected plain arguments of ${command.name()}; got ${special.name()}.`);
  return {
    // One that takes several values behind it is read by commander.
    flags: Object.fromEntries(
      options.filter(({ variadic }) => !variadic).map((option) => [option.long ?? '', [option.attributeName(), givenAs(option)]]),
    ),
    required: options.filter(({ mandatory }) => mandatory).map((option) => option.attributeName()),
    conflicts: options.flatMap((option) => conflictsOf(option).map((other) => [option.attributeName(), other] as const)),
    least: args.filter(({ required }) => required).length,
    most: args.some(({ variadic }) => variadic) ? null : args.length,
  };
}

function givenAs(option: Option): Given {
  const { optional, short, envVar, argChoices, defaultValue } = option;
  const hasMore = optional || short !== undefined || envVar !== undefined || argChoices !== undefined;
  const isPlain = option.parseArg === undefined || option.parseArg === collect;
  if (hasMore || !isPlain || !(option.negate || defaultValue === undefined)) {
    throw new Error(`Expected a plain option of a quick command; got ${option.flags}.`);
  }
  if (option.isBoolean()) return true;
  if (option.negate) return false;
  return option.parseArg === collect ? 'texts' : 'text';
}

/** Commander keeps them to itself. */
function conflictsOf(option: Option): readonly string[] {
  const conflicts: unknown = Reflect.get(option, 'conflictsWith');
  if (!Array.isArray(conflicts)) throw new Error('Expected commander to know the conflicts of an option as conflictsWith.');
  return conflicts.map(String);
}
