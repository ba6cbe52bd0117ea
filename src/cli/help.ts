import type { Command } from 'commander';
import { wrap } from './output/wrap.js';

/** Adds blocks of text below the flags. */
export function addHelp(command: Command, ...blocks: readonly (() => string)[]): Command {
  for (const block of blocks) command.addHelpText('after', block);
  return command;
}

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
