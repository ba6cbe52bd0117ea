import type { Flags } from '../config/resolve.js';
import { QUICK_ACTIONS, type QuickName } from './actions.js';
import { OPTIONS } from './options.generated.js';
import type { QuickOptions } from './options.js';

export interface QuickLine {
  readonly name: QuickName;
  readonly flags: Flags;
  readonly args: readonly string[];
}

const isQuick = (name: string): name is QuickName => Object.hasOwn(QUICK_ACTIONS, name);

/**
 * Reads a plain command line as commander would, without loading it: that takes as long as a short command. Undefined for any other, such as
 * one with a mistake in it, a short flag, or a value that begins with a hyphen.
 */
export function readQuickly(argv: readonly string[]): QuickLine | undefined {
  for (const words of [1, 2]) {
    const name = argv.slice(0, words).join(' ');
    if (argv.length >= words && isQuick(name)) return readOptions(name, argv.slice(words));
  }
  return undefined;
}

function readOptions(name: QuickName, rest: readonly string[]): QuickLine | undefined {
  const options: QuickOptions = OPTIONS[name];
  const flags: Record<string, string | boolean | readonly string[]> = {};
  const args: string[] = [];
  for (let at = 0; at < rest.length; at++) {
    const word = rest[at] ?? '';
    if (!isFlag(word)) {
      args.push(word);
      continue;
    }
    const [flag = '', inline] = split(word);
    const option = Object.hasOwn(options.flags, flag) ? options.flags[flag] : undefined;
    if (option === undefined) return undefined;
    const [key, given] = option;
    if (typeof given === 'boolean') {
      if (inline !== undefined) return undefined;
      flags[key] = given;
      continue;
    }
    const text = inline ?? rest[++at];
    if (text === undefined || text === '' || (inline === undefined && isFlag(text))) return undefined;
    const before = flags[key];
    flags[key] = given === 'text' ? text : [...(Array.isArray(before) ? before : []), text];
  }
  if (args.length < options.least || args.length > (options.most ?? args.length)) return undefined;
  if (!options.required.every((key) => Object.hasOwn(flags, key))) return undefined;
  if (options.conflicts.some(([one, other]) => Object.hasOwn(flags, one) && Object.hasOwn(flags, other))) return undefined;
  return { name, flags, args };
}

/** A hyphen alone is standard input. */
const isFlag = (word: string): boolean => word.startsWith('-') && word !== '-';

/** `--flag=value` → ['--flag', 'value'] */
function split(word: string): readonly string[] {
  const at = word.indexOf('=');
  return at === -1 ? [word] : [word.slice(0, at), word.slice(at + 1)];
}
