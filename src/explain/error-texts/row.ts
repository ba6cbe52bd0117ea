import type { MeaningName } from './meanings.js';

/** An exception that the facts of its call explain: see `explainBrowserError`. */
export interface Exception {
  /** Name of the DOMException that the text means; browsers may use another name. */
  readonly exception: string;
  /** Only this call can cause it. */
  readonly call?: 'create';
  /** The permissions policy does not allow the call in this frame. */
  readonly permitted?: false;
}

/** A text that is known: a row of the one table of errors. It suggests a cause, and decides no verdict. */
export interface ErrorText {
  /** Program that writes it. */
  readonly from: string;
  /** The text as in the source, with example values. */
  readonly text: string;
  /** The words that carry the meaning. Groups are named for the expectations that they hold; `received` is the origin of the page. */
  readonly pattern: RegExp;
  readonly about: MeaningName | Exception;
  /** Repository and file, or address, of the text. */
  readonly source: string;
  /** Version or date of the source. */
  readonly version: string;
  /** A text of a program says more than the name of an exception, and that more than words that many use. */
  readonly kind: TextKind;
}

/** Rows of one meaning explain each other. */
export function nameMeaning({ about }: ErrorText): string {
  return typeof about === 'string' ? about : `${about.exception} ${about.permitted ?? ''}`;
}

/** The kinds of rows by what they look for, the most specific first. */
export const TEXT_KINDS = ['text', 'name', 'words'] as const;
type TextKind = (typeof TEXT_KINDS)[number];

type Origin = Pick<ErrorText, 'from' | 'source' | 'version'>;
/** Without a pattern, the text itself is searched for. */
type Entry = readonly [about: ErrorText['about'], text: string, pattern?: RegExp];

export function listTexts(origin: Origin, entries: readonly Entry[], kind: TextKind = 'text'): ErrorText[] {
  return entries.map(([about, text, pattern = quote(text)]) => ({ ...origin, text, pattern, about, kind }));
}

/** Matches a text without the full stop at its end. */
function quote(text: string): RegExp {
  return new RegExp(text.replace(/\.$/, '').replaceAll(/[\\^$.*+?()[\]{}|]/g, '\\$&'), 'i');
}
