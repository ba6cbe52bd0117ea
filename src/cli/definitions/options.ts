import { Command, Option } from 'commander';
import type { Flags } from '../config/resolve.js';
import { CREDENTIAL_SETTINGS, nameFlag, nameVariable, type Setting, STORE_SETTINGS } from '../config/settings.js';
import { inWords, toggle } from '../config/values.js';
import { wrap } from '../output/wrap.js';

/** One command's work. Answers an exit code, or nothing for 0. */
type Action = (flags: Flags, args: readonly string[]) => Promise<number | void>;

/** Wraps an action for commander; program.ts keeps the exit code it answers. */
export type Does = (action: Action) => (...all: unknown[]) => Promise<void>;

/** Adds a flag for each setting of a table; the help names default and variable. */
export function addSettings(command: Command, table: Readonly<Record<string, Setting<unknown>>>): Command {
  for (const [key, entry] of Object.entries(table)) {
    const value = entry.kind.placeholder === undefined ? '' : ` <${entry.kind.placeholder}>`;
    const flag = nameFlag(key, entry);
    command.addOption(new Option(`${flag}${value}`, describe(key, entry)));
    if (entry.kind === toggle) {
      // What the configuration file or a variable switched, a flag switches back.
      const opposite = flag.startsWith('--no-') ? flag.replace('--no-', '--') : flag.replace('--', '--no-');
      command.addOption(new Option(opposite).hideHelp());
    }
  }
  return command.option('--config <file>', 'configuration file (default: passkey.config.json, if there is one; env: PASSKEY_CONFIG)');
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

/** The flags that were really given; commander's own defaults are not. */
export function givenFlags(command: Command): Flags {
  const all: Readonly<Record<string, unknown>> = command.opts();
  return Object.fromEntries(Object.entries(all).filter(([key]) => command.getOptionValueSource(key) === 'cli'));
}

/** For a flag that may be given several times. */
export const collect = (value: string, before: readonly string[] = []): readonly string[] => [...before, value];

const COLUMNS = 80;

/** A line that is longer goes on in the next, in a way that can be pasted into a shell. */
export function examples(...lines: readonly string[]): () => string {
  return () => `\nExamples:\n${lines.map((line) => `  $ ${shellLines(line).join(' \\\n      ')}`).join('\n')}`;
}

/** A flag and its value stay together. */
function shellLines(line: string): string[] {
  const pairs = line.replaceAll(/(--[\w-]+) (?!-)/g, '$1\u00a0');
  return wrap(pairs, COLUMNS - 8).map((part) => part.replaceAll('\u00a0', ' '));
}

/** Paragraphs below the options. */
export function remarks(...paragraphs: readonly string[]): () => string {
  return () => `\n${paragraphs.map((paragraph) => wrap(paragraph, COLUMNS).join('\n')).join('\n')}`;
}
