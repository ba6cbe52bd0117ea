import { schemaErrors } from '../../fixture/schema-errors.js';
import { isObject } from '../../webauthn/json-value.js';
import { StreamEntry } from '../schemas/stream.js';

// The lines of the file of a stream: JSON, each an entry as it then was, with what is kept beside it where that is new.

export interface StreamLine {
  readonly entry: StreamEntry;
  readonly kept: unknown;
}

/** What is no line of a stream is counted and left out. Without `kept` that of each line is dropped at once. */
export function readLines(
  texts: readonly string[],
  { kept: withKept }: { readonly kept: boolean },
): { readonly lines: StreamLine[]; readonly damaged: number } {
  const lines: StreamLine[] = [];
  for (const text of texts) {
    const line = lineOf(text);
    if (line !== undefined) lines.push(withKept ? line : { entry: line.entry, kept: null });
  }
  return { lines, damaged: texts.length - lines.length };
}

function lineOf(text: string): StreamLine | undefined {
  try {
    const value: unknown = JSON.parse(text);
    if (!isObject(value) || !isStreamEntry(value['entry'])) return undefined;
    return { entry: value['entry'], kept: value['kept'] ?? null };
  } catch {
    return undefined;
  }
}

function isStreamEntry(value: unknown): value is StreamEntry {
  return schemaErrors(StreamEntry, value).length === 0;
}
