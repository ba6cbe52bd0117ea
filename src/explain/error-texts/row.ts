import type { MeaningName } from './meanings.js';

/** An exception to explain by the facts of its call: see `explainBrowserError`. */
export interface Exception {
  /** Name of the DOMException that the text stands for; browsers may use another name. */
  readonly exception: string;
  /** The only call that can cause the exception. */
  readonly call?: 'create';
  /** The permissions policy does not allow the call in this frame. */
  readonly permitted?: false;
}

/** A known error text: a row of the table of errors. It suggests a cause and never decides a verdict. */
export interface ErrorText {
  /** The program that writes the text. */
  readonly from: string;
  /** The text as the program's source has it, with example values. */
  readonly text: string;
  /**
   * Matches the words that carry the meaning. Groups are named after expectations and hold their values; the group `received` holds the
   * page's origin.
   */
  readonly pattern: RegExp;
  readonly about: MeaningName | Exception;
  /** Where the text was found: repository and file, or an address. */
  readonly source: string;
  /** Version or date of that source. */
  readonly version: string;
  /** How specific the row is: a program's message says more than the name of an exception, and a name says more than common words. */
  readonly kind: TextKind;
}

/** Returns a key that is equal for rows with the same explanation. */
export function nameMeaning({ about }: ErrorText): string {
  return typeof about === 'string' ? about : `${about.exception} ${about.permitted ?? ''}`;
}

/** Kinds of rows by what their patterns look for, the most specific first. */
export const TEXT_KINDS = ['text', 'name', 'words'] as const;
type TextKind = (typeof TEXT_KINDS)[number];

type Origin = Pick<ErrorText, 'from' | 'source' | 'version'>;
/** One row. Without a pattern, the search is for the text itself. */
type Entry = readonly [about: ErrorText['about'], text: string, pattern?: RegExp];

export function listTexts(origin: Origin, entries: readonly Entry[], kind: TextKind = 'text'): ErrorText[] {
  return entries.map(([about, text, pattern = quote(text)]) => ({ ...origin, text, pattern, about, kind }));
}

/** Makes a pattern that matches a text, without the full stop at its end. */
function quote(text: string): RegExp {
  return new RegExp(text.replace(/\.$/, '').replaceAll(/[\\^$.*+?()[\]{}|]/g, '\\$&'), 'i');
}
