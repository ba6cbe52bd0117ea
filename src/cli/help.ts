import { type Command, Help, type Option } from 'commander';
import type { Io } from './io.js';
import { measureColumns } from './output/table.js';
import { labelled, wrap } from './output/wrap.js';

/** The parts of a command's help besides its usage and flags. */
export interface HelpText {
  /** Example command lines, which a user can paste into a shell. */
  readonly examples: readonly string[];
  /** The flags that users need most, at most five. The help lists them first. */
  readonly common?: readonly string[];
  /** Paragraphs that follow the flags in the help. */
  readonly remarks?: readonly string[];
  /** The documentation page in `docs` that explains the command. */
  readonly page: string;
}

const COMMON = 'Common flags:';
/** Heading above the flags that all commands have in common. */
export const EVERYWHERE = 'Flags of every command:';

const DEFAULT_WIDTH = 80;

/** Determines the width of the help in columns, from the terminal or the variable COLUMNS. */
export function measureHelp(io: Io): number {
  const columns = measureColumns(io);
  return Number.isFinite(columns) ? columns : DEFAULT_WIDTH;
}

/** Adds examples before the usage of a command. Adds remarks and a link to the documentation after its flags. */
export function addHelp(command: Command, { examples, common = [], remarks = [], page }: HelpText): Command {
  for (const option of command.options) if (common.includes(option.long ?? '')) option.helpGroup(COMMON);
  const width = () => command.configureOutput().getOutHelpWidth?.() ?? DEFAULT_WIDTH;
  return command
    .addHelpText('before', () => `Examples:\n${examples.map((line) => shellLines(line, width())).join('\n')}\n`)
    .addHelpText('after', () =>
      [
        '',
        ...remarks.map((paragraph) => wrap(paragraph, width()).join('\n')),
        ...(remarks.length > 0 ? [''] : []),
        documentation(page),
      ].join('\n'),
    );
}

const documentation = (page: string): string => `Documentation: docs/${page}`;

const PROMPT = '  $ ';
const CONTINUED = '      ';

/** Wraps a long command line so that it can still be pasted into a shell. */
function shellLines(line: string, width: number): string {
  const room = width - CONTINUED.length - 2;
  const words = line.match(/(?:[^\s"']|"[^"]*"|'[^']*')+/g) ?? [];
  const parts: string[] = [];
  for (const [at, word] of words.entries()) {
    const last = parts.at(-1);
    const next = words[at + 1];
    // A flag and its value stay together where they fit.
    const withValue = word.startsWith('--') && next !== undefined && !next.startsWith('--') ? `${word} ${next}` : word;
    const needed = withValue.length <= room ? withValue.length : word.length;
    if (last === undefined || last.length + 1 + needed > room) parts.push(word);
    else parts[parts.length - 1] = `${last} ${word}`;
  }
  return `${PROMPT}${parts.join(` \\\n${CONTINUED}`)}`;
}

const INDENT = 2;
const GAP = 2;
/** Minimum width of the column of descriptions. If there is less room, each description goes below its flag. */
const LEAST_ROOM = 30;
const BELOW = 6;

/** Formats the help of commands. It lists the most common flags first and the flags of every command last, and wraps text at any width. */
export class CommandHelp extends Help {
  override minWidthToWrap = 0;

  override visibleOptions(command: Command): Option[] {
    const options = super.visibleOptions(command);
    const inGroup = (heading: string) => options.filter(({ helpGroupHeading }) => helpGroupHeading === heading);
    const others = options.filter(({ helpGroupHeading }) => helpGroupHeading !== COMMON && helpGroupHeading !== EVERYWHERE);
    return [...inGroup(COMMON), ...others, ...inGroup(EVERYWHERE)];
  }

  override groupItems<T extends Command | Option>(_: T[], visible: T[], getGroup: (item: T) => string): Map<string, T[]> {
    return super.groupItems(visible, visible, getGroup);
  }

  override styleUsage(usage: string): string {
    const label = 'Usage: ';
    return labelled('', usage, { width: this.#width, indent: label.length }).trimStart();
  }

  override boxWrap(text: string, width: number): string {
    return wrap(text, width).join('\n');
  }

  override formatItem(term: string, termWidth: number, description: string): string {
    const indent = INDENT + termWidth + GAP;
    if (this.#width - indent >= LEAST_ROOM) return labelled(`  ${term}`, description, { width: this.#width, indent }).trimEnd();
    const below = description === '' ? '' : `\n${labelled(' '.repeat(BELOW), description, { width: this.#width, indent: BELOW })}`;
    return `  ${term}${below}`;
  }

  get #width(): number {
    return this.helpWidth ?? DEFAULT_WIDTH;
  }
}
