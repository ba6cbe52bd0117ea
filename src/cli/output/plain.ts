import { fstatSync, writeSync } from 'node:fs';
import type { Output, Written } from '../io.js';

/**
 * Writes to stdout without opening it as a stream, for which Node loads all that it has for streams and sockets. Undefined where stdout is
 * none of a file, a pipe and a socket, and on Windows, where Node alone knows how to write to it.
 *
 * @param stdout.opened the stream once it is open: then all goes through it, so that it stays in order.
 * @param stdout.open opens the stream, which takes what could not be written, and tells why.
 */
export function plainOutput(stdout: { opened(): Output | undefined; open(): Output }, fd = 1): Written | undefined {
  if (process.platform === 'win32' || !isPlain(fd)) return undefined;
  return {
    write(text, done) {
      const rest = stdout.opened() === undefined ? writeNow(fd, Buffer.from(text)) : text;
      if (rest === undefined) done?.();
      else stdout.open().write(rest, done);
    },
  };
}

function isPlain(fd: number): boolean {
  try {
    const stats = fstatSync(fd);
    return stats.isFile() || stats.isFIFO() || stats.isSocket();
  } catch {
    return false;
  }
}

/** Returns what was not written: the reader does not wait, or has gone, or the disk is full. */
function writeNow(fd: number, bytes: Buffer): Buffer | undefined {
  let done = 0;
  try {
    while (done < bytes.length) done += writeSync(fd, bytes, done);
    return undefined;
  } catch {
    return bytes.subarray(done);
  }
}
