import type { Command } from 'commander';
import type { Flags } from './config/resolve.js';
import { CREDENTIAL_SETTINGS, findHeading, isOn, nameVariable, negate, type Setting, STORE_SETTINGS } from './config/settings.js';
import { inWords, toggle } from './config/values.js';
import { addFlag } from './flag.js';
import { addFlags } from './flags.js';
import { EVERYWHERE } from './help.js';
import type { Io } from './io.js';

/**
 * The file that defines one command. The command's name, arguments and description are in a table, so this file is loaded only when the
 * command is run.
 */
export interface CommandFile {
  /** Adds flags, examples and remarks to the command. */
  define(command: Command): void;
  /** Runs the command. Returns an exit code; nothing means 0. */
  run(io: Io, flags: Flags, args: readonly string[], line: CommandLine): Promise<number | void>;
}

/** The whole command line program, for commands such as `completion` that need to know all commands. */
export interface CommandLine {
  readonly program: Command;
  /** Loads the file of a command and adds the command's flags. */
  readonly define: (command: Command) => Promise<void>;
}

/** Adds the flags that every command has. */
export function addGlobalFlags(command: Command): Command {
  return addFlags(command, { quiet: true, noColor: true, noInput: true }, EVERYWHERE);
}

/** Applies the global flags (`--quiet`, `--no-color`, `--no-input`) to a command's input and output. */
export const applyGlobalFlags = (io: Io, { quiet, color, input }: Flags): Io =>
  quiet === undefined && color === undefined && input === undefined
    ? io
    : { ...io, quiet: quiet === true, noColour: color === false, noInput: input === false };

/**
 * Adds flags that many commands accept to the program or to a group of commands, so that a user may also write them before the command's
 * name.
 */
export function addEarlyFlags(command: Command): Command {
  const where = 'same as when given after a command that accepts it';
  const early = { json: where, store: { value: 'location', about: where }, config: where };
  return addGlobalFlags(addFlags(command, early, 'Flags that may stand before a command:'));
}

/** Copies the flags that were written before a command's name to that command. */
export function handDown(from: Command, to: Command): void {
  for (const option of from.options) {
    const key = option.attributeName();
    if (from.getOptionValueSource(key) !== 'cli') continue;
    if (!to.options.some((each) => each.attributeName() === key)) to.error(`error: ${to.name()} does not take ${option.long}`);
    to.setOptionValueWithSource(key, from.getOptionValue(key), 'cli');
  }
}

/** Adds a flag for each setting in a table. The help names the default and the environment variable of each setting. */
export function addSettings(command: Command, table: Readonly<Record<string, Setting<unknown>>>): Command {
  for (const [key, entry] of Object.entries(table)) {
    const { choices, placeholder: value } = entry.kind;
    const { short, completes = choices && { words: choices } } = entry;
    const [name, opposite] = isOn(entry) ? [negate(key), key] : [key, negate(key)];
    addFlag(command, name, { value, short, completes, about: describeSetting(key, entry) }, findHeading(key));
    // What the configuration file or a variable switched, a flag switches back.
    if (entry.kind === toggle) addFlag(command, opposite, { isHidden: true });
  }
  return addFlags(command, { config: true }, findHeading('config'));
}

/** Adds the settings of commands that open the store and name users. */
export const addStoreSettings = (command: Command): Command => addSettings(command, STORE_SETTINGS);

/** Adds the settings of commands that open the store but name no user. */
export const addStoreLocation = (command: Command): Command => addSettings(command, { store: STORE_SETTINGS.store });

/** Adds the settings of commands that open the credentials file. */
export const addCredentialSettings = (command: Command): Command => addSettings(command, CREDENTIAL_SETTINGS);

function describeSetting(key: string, entry: Setting<unknown>): string {
  const about = isOn(entry) ? `do not ${entry.about}` : [entry.about, entry.kind.choices?.join(', ')].filter(Boolean).join(': ');
  const standard =
    entry.kind === toggle ? undefined : (entry.otherwise ?? (entry.fallback === undefined ? undefined : shown(key, entry.fallback)));
  const variable = entry.flagOnly ? undefined : `env: ${nameVariable(key)}${isOn(entry) ? '=false' : ''}`;
  const notes = [standard === undefined ? undefined : `default: ${standard}`, variable].filter((note) => note !== undefined);
  return `${about} (${notes.join('; ')})`;
}

function shown(key: string, fallback: unknown): string {
  return typeof fallback === 'number' && /ttl|timeout|idle/i.test(key) ? inWords(fallback) : String(fallback);
}

/** Adds a description to each argument of a command. */
export function describeArguments(command: Command, ...descriptions: readonly string[]): Command {
  for (const [index, argument] of command.registeredArguments.entries()) argument.description = descriptions[index] ?? '';
  return command;
}
