import { isUtf8 } from 'node:buffer';
import { readSync } from 'node:fs';
import { FileDamage } from './file-damage.js';

const LINE_FEED = 0x0a;
/** Number of bytes to read at a time. */
const PORTION = 4 * 1024 * 1024;
/** Maximum length in bytes of a line. No server accepts a registration whose line would have even a tenth of this length. */
export const MAX_LINE = 16 * 1024 * 1024;

/** Reads the bytes from `from` to `to`, or to the end of the file if that comes first. */
export function readBytes(fd: number, from: number, to: number): Buffer {
  const bytes = Buffer.allocUnsafe(Math.max(0, to - from));
  let filled = 0;
  while (filled < bytes.length) {
    const read = readSync(fd, bytes, filled, bytes.length - filled, from + filled);
    if (read === 0) break;
    filled += read;
  }
  return bytes.subarray(0, filled);
}

/**
 * Reads the lines of a file from an offset on, a portion at a time.
 *
 * @param use receives a line without its line feed, and the offset after it. Returns false to stop.
 * @returns the bytes after the last line feed; empty if `use` stopped.
 * @throws FileDamage without a line number if a line is too long.
 */
export function eachLine(fd: number, from: number, use: (line: Buffer, end: number) => boolean): Buffer {
  let rest: Buffer = Buffer.alloc(0);
  for (let offset = from; ; ) {
    const portion = readBytes(fd, offset, offset + PORTION);
    if (portion.length === 0) return rest;
    const start = offset - rest.length;
    const bytes = rest.length === 0 ? portion : Buffer.concat([rest, portion]);
    offset += portion.length;
    let at = 0;
    for (let end = bytes.indexOf(LINE_FEED, rest.length); end !== -1; end = bytes.indexOf(LINE_FEED, at)) {
      if (!use(bytes.subarray(at, end), start + end + 1)) return Buffer.alloc(0);
      at = end + 1;
    }
    rest = bytes.subarray(at);
    if (rest.length > MAX_LINE) throw new FileDamage('', `the line has more than ${MAX_LINE} bytes`);
  }
}

/** Decodes bytes that must be UTF-8. @throws FileDamage without a line number if they are not. */
export function decodeUtf8(bytes: Buffer): string {
  const text = bytes.toString('utf8');
  if (text.includes('\ufffd') && !isUtf8(bytes)) throw new FileDamage('', 'expected UTF-8');
  return text;
}
