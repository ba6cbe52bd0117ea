import { readPlainTexts } from './readings.js';
import { type ErrorText, nameMeaning, TEXT_KINDS } from './row.js';
import { ERROR_TEXTS } from './table.js';

/** A row of the table of error messages, and its match in a text. */
export interface FoundText {
  readonly row: ErrorText;
  /** The searched text in plain words, without escapes and markup. */
  readonly reading: string;
  /** Values of the named groups in the row's pattern. */
  readonly values: Readonly<Record<string, string | undefined>>;
}

/**
 * Finds the known errors in a text, and returns one row for each meaning. Rows for the names of exceptions, and rows for common words, are
 * used only if no more specific row matches, and then only one of them.
 */
export function findErrorTexts(text: string, rows: readonly ErrorText[] = ERROR_TEXTS): FoundText[] {
  const readings = readPlainTexts(text);
  for (const kind of TEXT_KINDS) {
    const found = new Map<string, FoundText>();
    for (const row of rows) {
      const one = row.kind === kind && !found.has(nameMeaning(row)) ? matchRow(row, readings) : undefined;
      if (one !== undefined) found.set(nameMeaning(row), one);
    }
    const [first, ...others] = found.values();
    if (first !== undefined) return kind === 'text' ? [first, ...others] : [first];
  }
  return [];
}

function matchRow(row: ErrorText, readings: readonly string[]): FoundText | undefined {
  for (const reading of readings) {
    const match = row.pattern.exec(row.kind === 'words' ? splitWords(reading) : reading);
    if (match !== null) return { row, reading, values: match.groups ?? {} };
  }
  return undefined;
}

/** Converts a text to plain words: splits identifiers into words, and expands contractions. */
function splitWords(reading: string): string {
  return reading
    .replaceAll(/(?<=[a-z])(?=[A-Z])/g, ' ')
    .toLowerCase()
    .replaceAll(/n't\b/g, ' not')
    .replaceAll('cannot', 'can not')
    .replaceAll(/(?<=[a-z])[_-](?=[a-z])/g, ' ');
}

const WORD = /[\p{L}\d]{3,}/gu;
const EVERYDAY: readonly string[] =
  'the and for not was but you your this that with from has have are were its does did can could error of'.split(' ');
/** Lowest similarity that counts. Unrelated texts are less similar, even by chance. */
const LEAST_ALIKE = 0.3;

/** Finds the known error whose words are most similar to an unknown text; undefined if none is similar enough. */
export function findNearestText(text: string): ErrorText | undefined {
  const words = readWords(readPlainTexts(text)[0] ?? '');
  if (words.size === 0) return undefined;
  const [nearest] = ERROR_TEXTS.map((row) => ({ row, alike: compareWords(words, readWords(row.text)) })).sort((a, b) => b.alike - a.alike);
  return nearest !== undefined && nearest.alike >= LEAST_ALIKE ? nearest.row : undefined;
}

function readWords(text: string): Set<string> {
  const split = text.replaceAll(/(?<=[a-z])(?=[A-Z])/g, ' ').toLowerCase();
  return new Set([...split.matchAll(WORD)].map(([word]) => word).filter((word) => !EVERYDAY.includes(word)));
}

/** Computes the share of words that two sets have in common, from 0 to 1. A single common word counts as 0. */
function compareWords(a: ReadonlySet<string>, b: ReadonlySet<string>): number {
  const shared = [...a].filter((word) => b.has(word)).length;
  return shared < 2 ? 0 : (2 * shared) / (a.size + b.size);
}
