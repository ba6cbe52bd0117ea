import { setImmediate as otherWork } from 'node:timers/promises';
import { isObject } from '../../kernel/json-value.js';
import { makeShape } from '../../kernel/shape.js';
import { StreamEntry } from '../schemas/stream.js';
import { LONGEST_LINE } from './kept-entry.js';

// The lines of the file of a stream: JSON, each an entry as it then was, with what is kept beside it where that is new.

interface StreamLine {
  readonly entry: StreamEntry;
  readonly kept: unknown;
}

const ENTRY = makeShape(StreamEntry);
/** The beginning of every line. */
const LINE_START = '{"entry":';
/** Lines, and characters of them, after which other work of the server comes first: a damaged file may have millions. */
const PORTION = 1_000;

/** Reads the lines of a stream. Damaged ones are counted and left out. Without `kept`, that part of each line is dropped at once. */
export async function readLines(
  texts: readonly string[],
  { kept: withKept }: { readonly kept: boolean },
): Promise<{ readonly lines: StreamLine[]; readonly damaged: number }> {
  const lines: StreamLine[] = [];
  let [count, length] = [0, 0];
  for (const text of texts) {
    count += 1;
    length += text.length;
    if (count >= PORTION || length >= LONGEST_LINE) {
      await otherWork();
      [count, length] = [0, 0];
    }
    const line = readLine(text);
    if (line !== undefined) lines.push(withKept ? line : { entry: line.entry, kept: null });
  }
  return { lines, damaged: texts.length - lines.length };
}

function readLine(text: string): StreamLine | undefined {
  if (!text.startsWith(LINE_START) || text.length > LONGEST_LINE) return undefined;
  try {
    const value: unknown = JSON.parse(text);
    if (!isObject(value) || !ENTRY.fits(value['entry'])) return undefined;
    return { entry: value['entry'], kept: value['kept'] ?? null };
  } catch {
    return undefined;
  }
}
