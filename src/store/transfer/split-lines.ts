import { isUtf8 } from 'node:buffer';
import { FileDamage } from '../file-rows.js';
import { MAX_LINE } from './format.js';

const NEWLINE = 0x0a;
const RETURN = 0x0d;
const BRACE = 0x7d;
const BYTE_ORDER_MARK = Buffer.from('\uFEFF');
/** The marks that a file in UTF-16 begins with. */
const UTF_16: ReadonlySet<number> = new Set([0xfffe, 0xfeff]);
const IN_UTF_16 = 'expected UTF-8, got UTF-16, which `>` of Windows PowerShell writes; write the export with --out instead';

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
  if (!isUtf8(bytes)) {
    const isUtf16 = number === 1 && bytes.length > 1 && UTF_16.has(bytes.readUInt16BE());
    throw new FileDamage(String(number), isUtf16 ? IN_UTF_16 : 'expected UTF-8');
  }
  // A line feed that Windows has written is two characters; some programs of Windows begin a file with a mark.
  const begin = number === 1 && bytes.indexOf(BYTE_ORDER_MARK) === 0 ? BYTE_ORDER_MARK.length : 0;
  return bytes.toString('utf8', begin, bytes[bytes.length - 1] === RETURN ? bytes.length - 1 : bytes.length);
}
