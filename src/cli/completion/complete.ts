import type { Command } from 'commander';
import type { CommandLine } from '../command.js';
import type { Flags } from '../config/resolve.js';
import type { Source } from '../flag.js';
import { type Io, printAll } from '../io.js';
import { printable } from '../output/printable.js';
import { type Candidate, expectedAt, readLine } from './line.js';
import { LISTS } from './lists.js';
import { bashReply, splitWords, unquoted } from './shell-words.js';

export function define(command: Command): void {
  command.option('--line <text>').option('--bash <breaks>').option('--plain');
}

/** Maximum number of suggestions. More would not help the user, and would slow down the shell. */
const MOST = 500;
const LONGEST_ABOUT = 70;

/**
 * Runs `passkey __complete`, which the scripts of `passkey completion` call to complete the last word of a command line. The words are the
 * arguments; with `--line`, they are instead one string that holds the command line up to the cursor. The first line of the output tells
 * which names the shell itself should add (`files`, `folders`, `commands` or `none`). Each further line is a word, a tab and a description;
 * with `--bash`, it is an entry of COMPREPLY.
 *
 * After an error it prints neither suggestions nor a message, since a message would disturb the line that the user is typing.
 */
export async function run(io: Io, flags: Flags, args: readonly string[], commands: CommandLine): Promise<void> {
  const asTyped = typeof flags.line === 'string' ? splitWords(flags.line).slice(1) : args;
  const words = typeof flags.line === 'string' ? asTyped.map(unquoted) : args;
  const current = words.at(-1) ?? '';
  let source: Source = {};
  let found: readonly Candidate[] = [];
  try {
    const line = await readLine(commands, words.slice(0, -1));
    const expected = expectedAt(line, current);
    source = expected.source;
    found = [...expected.candidates, ...(await fromSource(io, { source, prefix: expected.prefix, flags: line.flags, current }))];
  } catch {
    // As said above.
  }
  const fits = ({ word }: Candidate) => word.startsWith(current) && printable(word) === word;
  const fitting = [...new Map(found.filter(fits).map((each) => [each.word, each])).values()].slice(0, MOST);
  const lines =
    typeof flags.bash === 'string'
      ? bashReplies(fitting, { typed: asTyped.at(-1) ?? '', breaks: flags.bash, plain: flags.plain === true })
      : fitting.map(({ word, about }) => `${word}\t${inShort(about)}`);
  await printAll(
    io,
    [source.shell ?? 'none', ...lines].map((line) => `${line}\n`),
  );
}

/**
 * Builds the entries of COMPREPLY for bash. Bash inserts the common beginning of all entries. While it lists several words with their
 * descriptions, the entries therefore differ from the first character on, so that bash inserts nothing.
 */
function bashReplies(
  candidates: readonly Candidate[],
  { typed, breaks, plain }: { readonly typed: string; readonly breaks: string; readonly plain: boolean },
): readonly string[] {
  return candidates.flatMap(({ word, about }) => {
    const reply = bashReply(word, typed, breaks);
    if (reply === undefined) return [];
    return [plain || about === '' || candidates.length === 1 ? reply : `${reply}  (${inShort(about)})`];
  });
}

interface Asked {
  readonly source: Source;
  readonly prefix: string;
  readonly flags: Flags;
  readonly current: string;
}

async function fromSource(io: Io, { source: { words, several }, prefix, flags, current }: Asked): Promise<readonly Candidate[]> {
  if (words === undefined) return [];
  const value = current.slice(prefix.length);
  const before = prefix + (several === true ? value.slice(0, value.lastIndexOf(',') + 1) : '');
  const beginning = current.slice(before.length);
  const list = typeof words === 'string' ? await LISTS[words]({ io, flags, beginning }) : words.map((word) => ({ word, about: '' }));
  return list.map(({ word, about }) => ({ word: before + word, about }));
}

function inShort(about: string): string {
  const text = printable(about.replaceAll(/\s+/g, ' '));
  return text.length > LONGEST_ABOUT ? `${text.slice(0, LONGEST_ABOUT - 1)}…` : text;
}
