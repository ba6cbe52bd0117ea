import type { MeaningName } from './meanings.js';

/** An exception that `explainBrowserError` explains from the facts of its call. */
export interface Exception {
  /** Name of the DOMException that the error message stands for. The browser itself may use another name. */
  readonly exception: string;
  /** The only call that can cause the exception. */
  readonly call?: 'create';
  /** Set if the permissions policy does not allow the call in this frame. */
  readonly permitted?: false;
}

/** A row of the table of known error messages. It suggests a cause and never decides a verdict. */
export interface ErrorText {
  /** The program that writes the error message. */
  readonly from: string;
  /** The error message as in the source code of the program, with example values. */
  readonly text: string;
  /**
   * Matches the important words of the error message. The named groups capture the values of expectations and have the same names; the
   * group `received` captures the page's origin.
   */
  readonly pattern: RegExp;
  readonly about: MeaningName | Exception;
  /** Where the error message was found: repository and file, or a web address. */
  readonly source: string;
  /** Version or date of that source. */
  readonly version: string;
  /** How specific the row is. A program's message is more specific than the name of an exception, and a name more than common words. */
  readonly kind: TextKind;
}

/** Makes a key that is equal for rows with the same explanation. */
export function nameMeaning({ about }: ErrorText): string {
  return typeof about === 'string' ? about : `${about.exception} ${about.permitted ?? ''}`;
}

/** Kinds of rows by what their patterns look for, the most specific first. */
export const TEXT_KINDS = ['text', 'name', 'words'] as const;
type TextKind = (typeof TEXT_KINDS)[number];

type Origin = Pick<ErrorText, 'from' | 'source' | 'version'>;
/** One row of a table of error messages. Without a pattern, the row matches its own text. */
type Entry = readonly [about: ErrorText['about'], text: string, pattern?: RegExp];

export function listTexts(origin: Origin, entries: readonly Entry[], kind: TextKind = 'text'): ErrorText[] {
  return entries.map(([about, text, pattern = quote(text)]) => ({ ...origin, text, pattern, about, kind }));
}

/** Makes a pattern that matches a text literally, without its final full stop. */
function quote(text: string): RegExp {
  return new RegExp(text.replace(/\.$/, '').replaceAll(/[\\^$.*+?()[\]{}|]/g, '\\$&'), 'i');
}
