import { fstatSync, writeSync } from 'node:fs';
import type { Output, Written } from '../io.js';

/**
 * Makes an output that writes to stdout without opening it as a stream, which would load Node's code for streams and sockets. Undefined if
 * stdout is not a file, pipe or socket. Also undefined on Windows, where only Node's stream can write to it.
 *
 * @param stdout.opened returns the stream if it is open. From then on, all output goes through the stream, in order.
 * @param stdout.open opens the stream for the bytes that could not be written directly; the stream reports the reason.
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

/**
 * Writes as many bytes as possible at once. Returns the bytes that could not be written because the reader is slow or has ended, or because
 * the disk is full.
 */
function writeNow(fd: number, bytes: Buffer): Buffer | undefined {
  let done = 0;
  try {
    while (done < bytes.length) done += writeSync(fd, bytes, done);
    return undefined;
  } catch {
    return bytes.subarray(done);
  }
}
