import type { Command, Option } from 'commander';
import type { CommandLine } from '../command.js';
import type { Flags } from '../config/resolve.js';
import type { Source } from '../flag.js';
import { findArgumentSource, findOptionSource } from './sources.js';

/** The words of a command line that precede the word at the cursor. */
interface Line {
  /** The innermost command or subcommand that the words name. */
  readonly command: Command;
  /** The flags before the cursor, under the names that commander gives them. */
  readonly flags: Flags;
  /** The arguments before the cursor. */
  readonly args: readonly string[];
  /** The flag whose value the user is typing, if any. */
  readonly option: Option | undefined;
  /** Whether no more flags may follow, for example after `--`. */
  readonly flagsEnded: boolean;
}

/** Parses the words before the cursor. @param words the words, without the name of the program. */
export async function readLine({ program, define }: CommandLine, words: readonly string[]): Promise<Line> {
  let command = program;
  let option: Option | undefined;
  let flagsEnded = false;
  const args: string[] = [];
  const flags: Record<string, unknown> = {};
  const give = (given: Option, value: string): void => {
    const before: unknown = flags[given.attributeName()];
    flags[given.attributeName()] = given.parseArg ? [...(Array.isArray(before) ? before : []), value] : value;
  };
  for (const word of words) {
    if (option !== undefined && !(option.optional && word.startsWith('-'))) {
      give(option, word);
      option = undefined;
    } else if (!flagsEnded && word === '--') {
      flagsEnded = true;
    } else if (!flagsEnded && /^-./.test(word)) {
      const [name, value] = splitFlag(word);
      const found = findOption(command, name);
      option = found !== undefined && value === undefined && !found.isBoolean() ? found : undefined;
      if (found?.isBoolean()) flags[found.attributeName()] = !found.negate;
      else if (found !== undefined && value !== undefined) give(found, value);
    } else {
      const inner = args.length === 0 ? command.commands.find((each) => each.name() === word) : undefined;
      if (inner === undefined) args.push(word);
      else {
        command = inner;
        await define(command);
      }
      // What stands behind the command of `exec` is the command's.
      flagsEnded ||= args.length > 0 && command.name() === 'exec';
    }
  }
  return { command, flags, args, option, flagsEnded };
}

/** A suggestion: a word and its description. */
export interface Candidate {
  readonly word: string;
  readonly about: string;
}

/** Describes the words that the user may type at the cursor. */
interface Expected {
  /** Commands and flags, which are known without any look-up. */
  readonly candidates: readonly Candidate[];
  /** The source from which other possible words come, such as passkeys in the store. */
  readonly source: Source;
  /** String that precedes each value in the same word, such as `--reporter=`. */
  readonly prefix: string;
}

const NOTHING: Expected = { candidates: [], source: {}, prefix: '' };

/** Finds the words that the user may type at the cursor. @param current the part of the word that is already typed. */
export function expectedAt({ command, args, option, flagsEnded }: Line, current: string): Expected {
  if (option !== undefined && !(option.optional && current.startsWith('-'))) {
    return { ...NOTHING, source: findOptionSource(option) ?? {} };
  }
  if (!flagsEnded && current.startsWith('-')) {
    const [name, value] = splitFlag(current);
    if (value === undefined) return { ...NOTHING, candidates: listFlags(command) };
    const given = findOption(command, name);
    return given === undefined ? NOTHING : { ...NOTHING, source: findOptionSource(given) ?? {}, prefix: `${name}=` };
  }
  if (command.name() === 'help') return { ...NOTHING, candidates: helpedBy(command, args) };
  if (command.name() === 'exec' && args.length > 0) return { ...NOTHING, source: { shell: 'files' } };
  if (command.commands.length > 0) return args.length > 0 ? NOTHING : { ...NOTHING, candidates: listCommands(command) };
  const { registeredArguments } = command;
  const last = registeredArguments.at(-1);
  const argument = registeredArguments[args.length] ?? (last?.variadic ? last : undefined);
  return argument === undefined ? NOTHING : { ...NOTHING, source: findArgumentSource(command, argument) ?? {} };
}

/** Splits `--reporter=json` into flag and value. The value is undefined if there is no `=`. */
function splitFlag(word: string): readonly [name: string, value: string | undefined] {
  const at = word.indexOf('=');
  return at === -1 ? [word, undefined] : [word.slice(0, at), word.slice(at + 1)];
}

const findOption = (command: Command, flag: string): Option | undefined =>
  command.options.find(({ long, short }) => long === flag || short === flag);

/**
 * Checks whether a command is hidden, so that completion must not suggest it. This includes the `help` command that replaces commander's
 * own in a group.
 */
const isHidden = (command: Command): boolean =>
  command.name().startsWith('__') || (command.name() === 'help' && command.parent?.parent !== null);

/** Lists the flags that the help of a command shows. */
function listFlags(command: Command): readonly Candidate[] {
  const options = command.createHelp().visibleOptions(command);
  return options.flatMap(({ long, description }) => (long ? [{ word: long, about: description }] : []));
}

function listCommands(command: Command): readonly Candidate[] {
  return command.commands.filter((each) => !isHidden(each)).map((each) => ({ word: each.name(), about: each.description() }));
}

function helpedBy(help: Command, names: readonly string[]): readonly Candidate[] {
  let command: Command | undefined = help.parent ?? help;
  for (const name of names) command = command?.commands.find((each) => each.name() === name);
  return command === undefined ? [] : listCommands(command).filter(({ word }) => word !== 'help');
}
