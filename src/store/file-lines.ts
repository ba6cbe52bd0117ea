import { isUtf8 } from 'node:buffer';
import { readSync } from 'node:fs';
import { FileDamage } from './file-damage.js';

const LINE_FEED = 0x0a;
/** Bytes that are read at once. */
const PORTION = 4 * 1024 * 1024;
/** Bytes of the longest line that is read. No server takes a registration that makes one a tenth as long. */
export const MAX_LINE = 16 * 1024 * 1024;

/** Reads a part of a file, up to its end at most. */
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
 * @param use takes a line without its line feed, and the offset behind that; returns false to stop.
 * @returns what follows the last line feed; empty if `use` stopped.
 * @throws FileDamage without a line number, for a line that is too long.
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

/** @throws FileDamage without a line number. */
export function decodeUtf8(bytes: Buffer): string {
  const text = bytes.toString('utf8');
  if (text.includes('\ufffd') && !isUtf8(bytes)) throw new FileDamage('', 'expected UTF-8');
  return text;
}
