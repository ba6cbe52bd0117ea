import { fstatSync } from 'node:fs';
import { resolve } from 'node:path';
import { PasskeyError } from '../errors.js';
import { MAX_NAMED_FILE_BYTES, readNamedFile, UnusableFile } from '../fixture/named-file.js';
import type { Input, Io } from './io.js';
import { printable } from './output/printable.js';

/**
 * Reads the content of a file that the command line names, or of standard input (`-`), as a string.
 *
 * @throws PasskeyError `usage` if the file cannot be read, or is larger than any file that a command accepts.
 */
export async function readText(io: Io, file: string): Promise<string> {
  if (file === '-') return await readStandardInput(io);
  const bytes = await readNamedFile(resolve(io.cwd, file), MAX_NAMED_FILE_BYTES).catch((cause: unknown) => {
    if (!(cause instanceof UnusableFile)) throw cause;
    throw new PasskeyError('usage', printable(`${file} ${cause.message}. Name a file, or - for standard input.`), { cause });
  });
  return bytes.toString('utf8');
}

/**
 * Opens standard input for reading. Refuses a folder as standard input, which Node would read like an empty file.
 *
 * @throws PasskeyError `usage` for a folder.
 */
export function standardInput({ stdin }: Io): Input {
  if (stdin === process.stdin && fstatSync(0).isDirectory()) {
    throw new PasskeyError('usage', 'Standard input is a folder. Redirect a file to it, or name a file.');
  }
  return stdin;
}

async function readStandardInput(io: Io): Promise<string> {
  const parts: string[] = [];
  let length = 0;
  for await (const chunk of standardInput(io).setEncoding('utf8')) {
    parts.push(String(chunk));
    length += String(chunk).length;
    if (length > MAX_NAMED_FILE_BYTES) {
      throw new PasskeyError('usage', `Standard input has more than ${MAX_NAMED_FILE_BYTES} bytes. Name a smaller file.`);
    }
  }
  return parts.join('');
}
