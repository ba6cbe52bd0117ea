import { isUtf8 } from 'node:buffer';
import { FileDamage } from '../file-rows.js';
import { MAX_LINE } from './format.js';

const NEWLINE = 0x0a;
const RETURN = 0x0d;
const BRACE = 0x7d;

/**
 * The lines of a text file, without what ends them. Holds one line and one chunk at a time.
 *
 * @throws FileDamage with the line as its place: one that is too long, or no UTF-8; a last one that is cut off.
 */
export async function* splitLines(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  let parts: Uint8Array[] = [];
  let length = 0;
  let number = 1;
  for await (const chunk of chunks) {
    let at = 0;
    for (let end = chunk.indexOf(NEWLINE); end !== -1; end = chunk.indexOf(NEWLINE, at)) {
      yield textOf([...parts, chunk.subarray(at, end)], number);
      parts = [];
      length = 0;
      number += 1;
      at = end + 1;
    }
    // What was read into is used again.
    parts.push(Uint8Array.from(chunk.subarray(at)));
    length += chunk.length - at;
    if (length > MAX_LINE) throw new FileDamage(String(number), `the line has more than ${MAX_LINE} bytes`);
  }
  if (length === 0) return;
  const last = textOf(parts, number);
  if (last.charCodeAt(last.length - 1) !== BRACE) throw new FileDamage(String(number), 'the line is cut off');
  yield last;
}

function textOf(parts: readonly Uint8Array[], number: number): string {
  const bytes = parts.length === 1 && parts[0] ? Buffer.from(parts[0]) : Buffer.concat(parts);
  if (!isUtf8(bytes)) throw new FileDamage(String(number), 'expected UTF-8');
  // A line feed that Windows has written is two characters.
  return bytes.toString('utf8', 0, bytes[bytes.length - 1] === RETURN ? bytes.length - 1 : bytes.length);
}
