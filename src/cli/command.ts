import { type Command, Option } from 'commander';
import type { Flags } from './config/resolve.js';
import { CREDENTIAL_SETTINGS, findHeading, nameFlag, nameVariable, type Setting, STORE_SETTINGS } from './config/settings.js';
import { inWords, toggle } from './config/values.js';
import { EVERYWHERE } from './help.js';
import type { Io } from './io.js';

/** The file of one command. Its name, arguments and description are a row of `program.ts`, which loads the file when it is named. */
export interface CommandFile {
  /** Adds the flags and the rest of the help. */
  define(command: Command): void;
  /** Does the work. Returns an exit code, or nothing for 0. */
  run(io: Io, flags: Flags, args: readonly string[], line: CommandLine): Promise<number | void>;
}

/** All commands, for those that are about commands. */
export interface CommandLine {
  readonly program: Command;
  /** Loads the file of a command, and defines its flags. */
  readonly define: (command: Command) => Promise<void>;
}

/** Flags that every command has. */
export function addGlobalFlags(command: Command): Command {
  return command
    .addOption(new Option('-q, --quiet', 'write only data, warnings and errors').helpGroup(EVERYWHERE))
    .addOption(new Option('--no-color', 'write without colour (env: NO_COLOR)').helpGroup(EVERYWHERE))
    .addOption(new Option('--no-input', 'never prompt; a missing answer is exit 2').helpGroup(EVERYWHERE));
}

/** Changes that the global flags make for a command. */
export const applyGlobalFlags = (io: Io, { quiet, color, input }: Flags): Io =>
  quiet === undefined && color === undefined && input === undefined
    ? io
    : { ...io, quiet: quiet === true, noColour: color === false, noInput: input === false };

/** Flags of many commands that may also stand before the command. */
export function addEarlyFlags(command: Command): Command {
  const where = 'as behind a command that has it';
  return addGlobalFlags(
    command
      .optionsGroup('Flags that may stand before a command:')
      .option('--json', where)
      .option('--store <location>', where)
      .option('--config <file>', where),
  );
}

/** Gives a command the flags that stand before it. */
export function handDown(from: Command, to: Command): void {
  for (const option of from.options) {
    const key = option.attributeName();
    if (from.getOptionValueSource(key) !== 'cli') continue;
    if (!to.options.some((each) => each.attributeName() === key)) to.error(`error: ${to.name()} does not take ${option.long}`);
    to.setOptionValueWithSource(key, from.getOptionValue(key), 'cli');
  }
}

export const JSON_FLAG = ['--json', 'print one JSON document'] as const;

/** Adds a flag for each setting of a table; the help names default and variable. */
export function addSettings(command: Command, table: Readonly<Record<string, Setting<unknown>>>): Command {
  for (const [key, entry] of Object.entries(table)) {
    const value = entry.kind.placeholder === undefined ? '' : ` <${entry.kind.placeholder}>`;
    const flag = nameFlag(key, entry);
    command.addOption(
      new Option(`${entry.short === undefined ? '' : `-${entry.short}, `}${flag}${value}`, describe(key, entry)).helpGroup(
        findHeading(key),
      ),
    );
    if (entry.kind === toggle) {
      // What the configuration file or a variable switched, a flag switches back.
      const opposite = flag.startsWith('--no-') ? flag.replace('--no-', '--') : flag.replace('--', '--no-');
      command.addOption(new Option(opposite).hideHelp());
    }
  }
  return command.addOption(
    new Option('--config <file>', 'configuration file (default: passkey.config.json, if there is one; env: PASSKEY_CONFIG)').helpGroup(
      findHeading('config'),
    ),
  );
}

/** Every command that reads or changes the store. */
export const addStoreSettings = (command: Command): Command => addSettings(command, STORE_SETTINGS);

/** Every command that reads or changes the file of credentials. */
export const addCredentialSettings = (command: Command): Command => addSettings(command, CREDENTIAL_SETTINGS);

function describe(key: string, entry: Setting<unknown>): string {
  const about =
    entry.kind === toggle && entry.fallback === true
      ? `do not ${entry.about}`
      : [entry.about, entry.kind.choices?.join(', ')].filter(Boolean).join(': ');
  const standard =
    entry.kind === toggle ? undefined : (entry.otherwise ?? (entry.fallback === undefined ? undefined : shown(key, entry.fallback)));
  const variable = entry.flagOnly
    ? undefined
    : `env: ${nameVariable(key)}${entry.kind === toggle && entry.fallback === true ? '=false' : ''}`;
  const notes = [standard === undefined ? undefined : `default: ${standard}`, variable].filter((note) => note !== undefined);
  return `${about} (${notes.join('; ')})`;
}

function shown(key: string, fallback: unknown): string {
  return typeof fallback === 'number' && /ttl|timeout|idle/i.test(key) ? inWords(fallback) : String(fallback);
}

/** For a flag that may be given several times. */
export const collect = (value: string, before: readonly string[] = []): readonly string[] => [...before, value];

/** Says what each argument of a command is. */
export function describeArguments(command: Command, ...descriptions: readonly string[]): Command {
  for (const [index, argument] of command.registeredArguments.entries()) argument.description = descriptions[index] ?? '';
  return command;
}
