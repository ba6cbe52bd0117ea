import { setImmediate as othersTurn } from 'node:timers/promises';
import { fitsSchema } from '../../fixture/schema-errors.js';
import { isObject } from '../../kernel/json-value.js';
import { StreamEntry } from '../schemas/stream.js';

// The lines of the file of a stream: JSON, each an entry as it then was, with what is kept beside it where that is new.

export interface StreamLine {
  readonly entry: StreamEntry;
  readonly kept: unknown;
}

/** What every line begins with. */
const LINE_START = '{"entry":';
/** Lines after which whatever else the server has to do comes first: of a damaged file there may be millions. */
const PORTION = 1_000;

/** What is no line of a stream is counted and left out. Without `kept` that of each line is dropped at once. */
export async function readLines(
  texts: readonly string[],
  { kept: withKept }: { readonly kept: boolean },
): Promise<{ readonly lines: StreamLine[]; readonly damaged: number }> {
  const lines: StreamLine[] = [];
  for (const [index, text] of texts.entries()) {
    if (index % PORTION === PORTION - 1) await othersTurn();
    const line = lineOf(text);
    if (line !== undefined) lines.push(withKept ? line : { entry: line.entry, kept: null });
  }
  return { lines, damaged: texts.length - lines.length };
}

function lineOf(text: string): StreamLine | undefined {
  if (!text.startsWith(LINE_START)) return undefined;
  try {
    const value: unknown = JSON.parse(text);
    if (!isObject(value) || !fitsSchema(StreamEntry, value['entry'])) return undefined;
    return { entry: value['entry'], kept: value['kept'] ?? null };
  } catch {
    return undefined;
  }
}
