import type { Command } from 'commander';
import { remarks } from './options.js';

/** Adds the options of every command that changes many things at once. */
export function addChangeOptions(command: Command, { done, kept }: { readonly done: string; readonly kept: string }): Command {
  return command
    .option('--yes', 'do not prompt')
    .option('--dry-run', `only show what would be ${done}`)
    .option('--reason <text>', kept)
    .option('--json', 'print one JSON document');
}

export const CHOICE_HELP = remarks(
  'Without ids and filters, pick from a list: type to search it, the space bar selects. More than ten are confirmed by typing their number. All of them are changed, or none.',
);
