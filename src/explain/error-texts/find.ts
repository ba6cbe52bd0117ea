import { readPlainTexts } from './readings.js';
import type { ErrorText } from './row.js';
import { ERROR_TEXTS } from './table.js';

/** A row whose text stands in a text, and the values of its groups. */
export interface FoundText {
  readonly row: ErrorText;
  readonly values: Readonly<Record<string, string | undefined>>;
}

/** Finds the rows whose texts stand in a text, whatever surrounds them: one for each meaning, general ones only where there is no other. */
export function findErrorTexts(text: string, rows: readonly ErrorText[] = ERROR_TEXTS): FoundText[] {
  const readings = readPlainTexts(text);
  const search = (isGeneral: boolean) => {
    const found = new Map<string, FoundText>();
    for (const row of rows) {
      if (row.isGeneral !== isGeneral || found.has(nameMeaning(row))) continue;
      const match = readings.map((reading) => row.pattern.exec(reading)).find((one) => one !== null);
      if (match) found.set(nameMeaning(row), { row, values: match.groups ?? {} });
    }
    return [...found.values()];
  };
  const specific = search(false);
  return specific.length > 0 ? specific : search(true);
}

/** Rows of one meaning explain each other. */
export function nameMeaning({ about }: ErrorText): string {
  return typeof about === 'string' ? about : `${about.exception} ${about.permitted ?? ''}`;
}

const WORD = /[\p{L}\d]{3,}/gu;
const EVERYDAY: readonly string[] =
  'the and for not was but you your this that with from has have are were its does did can could error of'.split(' ');
/** Shares fewer words by chance. */
const LEAST_ALIKE = 0.3;

/** Finds the row whose words are most like those of a text that is not known; undefined where none is near. */
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

/** The share of words that two sets have in common, from 0 to 1. One word says nothing. */
function compareWords(a: ReadonlySet<string>, b: ReadonlySet<string>): number {
  const shared = [...a].filter((word) => b.has(word)).length;
  return shared < 2 ? 0 : (2 * shared) / (a.size + b.size);
}
