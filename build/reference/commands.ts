import { EventEmitter } from 'node:events';
import { PassThrough } from 'node:stream';
import { Command } from 'commander';
import { addSettings } from '../../src/cli/command.js';
import { CONFIG_SETTINGS, nameVariable } from '../../src/cli/config/settings.js';
import { EVERYWHERE } from '../../src/cli/help.js';
import { createProgram } from '../../src/cli/program.js';

/** A command as its help describes it. */
export interface DescribedCommand {
  /** With those above it: `passkey user add`. */
  readonly name: string;
  readonly usage: string;
  readonly description: string;
  readonly flags: readonly (readonly [flag: string, description: string])[];
  /** Lines of the shell, of at most 80 characters. */
  readonly examples: string;
  /** The text below the flags, in lines of at most 80 characters. */
  readonly notes: string;
}

/** Describes every command from its definition, `passkey` itself first. */
export async function describeCommands(): Promise<readonly DescribedCommand[]> {
  const stream = new PassThrough();
  const streams = { stdin: stream, stdout: stream, stderr: stream, signals: new EventEmitter(), uncaught: new EventEmitter() };
  const { program, define } = createProgram({ ...streams, env: {}, cwd: process.cwd(), now: Date.now });

  async function describeAll(command: Command, above: readonly string[]): Promise<DescribedCommand[]> {
    await define(command);
    const name = [...above, command.name()];
    const described = [describe(command, name.join(' '))];
    for (const each of command.commands.filter((one) => one.name() !== 'help' && !one.name().startsWith('__'))) {
      described.push(...(await describeAll(each, name)));
    }
    return described;
  }
  return describeAll(program, []);
}

function describe(command: Command, name: string): DescribedCommand {
  const help = command.createHelp();
  let shown = '';
  command.configureOutput({ writeOut: (text) => void (shown += text) }).outputHelp();
  const [before = '', after = ''] = shown.split(command.helpInformation());
  return {
    name,
    usage: help.commandUsage(command),
    description: command.description(),
    flags: help
      .visibleOptions(command)
      .filter(({ helpGroupHeading }) => helpGroupHeading !== EVERYWHERE)
      .map((option) => [option.flags, help.optionDescription(option)]),
    examples: before.replace('Examples:', '').trimEnd().replace(/^\n/, ''),
    notes: after.trim(),
  };
}

/** A setting that the configuration file may have. */
export interface DescribedSetting {
  readonly key: string;
  readonly variable: string;
  readonly flag: string;
  readonly description: string;
}

/** Describes every setting as the help of its flag does, without the variable. */
export function describeSettings(): readonly DescribedSetting[] {
  return Object.entries(CONFIG_SETTINGS).flatMap(([key, setting]) => {
    const [option] = addSettings(new Command(), { [key]: setting }).options;
    if (option === undefined) return [];
    const description = option.description.replace(/(?:; | \()env: [^)]*\)$/, (end) => (end.startsWith(';') ? ')' : ''));
    return { key, variable: nameVariable(key), flag: option.flags, description };
  });
}
