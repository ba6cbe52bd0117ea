import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { relative, resolve } from 'node:path';
import { PasskeyError } from '../../errors.js';
import { recogniseJson } from '../../explain/annotate/kinds.js';
import type { Input } from '../../explain/explain.js';
import { findFixtureFiles } from '../../fixture/find.js';
import type { Io } from '../io.js';

/** More than any ceremony, and than most HTTP archives. */
const MAX_BYTES = 256 * 1024 * 1024;
const LINE_FEED = 0x0a;

export interface Inputs {
  /** True: one report each in a line, however many come. */
  readonly several: boolean;
  readonly items: AsyncIterable<Input>;
}

/**
 * Opens what the command line names. Files are read one after another; of a file of JSON lines one line at a time.
 *
 * @throws PasskeyError `usage` when a path names nothing; `fixture_invalid` for a folder without `*.json`.
 */
export async function openInputs(io: Io, names: readonly string[]): Promise<Inputs> {
  const [only] = names;
  if (only !== undefined && names.length === 1 && !(await isFolder(io, only))) {
    const { lines, whole } = await openStream(only, only === '-' ? io.stdin : createReadStream(resolve(io.cwd, only)));
    return lines === undefined ? { several: false, items: single({ name: only, bytes: whole }) } : { several: true, items: lines };
  }
  return { several: true, items: all(io, names) };
}

async function isFolder(io: Io, name: string): Promise<boolean> {
  if (name === '-') return false;
  const found = await stat(resolve(io.cwd, name)).catch((cause: NodeJS.ErrnoException) => {
    throw new PasskeyError('usage', `Expected a file, a folder or - (standard input); ${name} cannot be read (${cause.code}).`, { cause });
  });
  return found.isDirectory();
}

async function* single(input: Input): AsyncGenerator<Input> {
  yield input;
}

async function* all(io: Io, names: readonly string[]): AsyncGenerator<Input> {
  for (const name of names) {
    const files = (await isFolder(io, name)) ? await filesIn(resolve(io.cwd, name), name) : [name];
    for (const file of files) {
      const shown = file === name ? name : relative(io.cwd, file);
      const { lines, whole } = await openStream(shown, file === '-' ? io.stdin : createReadStream(resolve(io.cwd, file)));
      if (lines === undefined) yield { name: shown, bytes: whole };
      else yield* lines;
    }
  }
}

async function filesIn(folder: string, name: string): Promise<readonly string[]> {
  try {
    return await findFixtureFiles([folder]);
  } catch (cause) {
    // Whoever wants something explained has it already: advice to record fixtures into this folder would be none.
    if (!(cause instanceof PasskeyError)) throw cause;
    const message = `${name}: expected a folder with at least one fixture (*.json) below it, found none; name the files to explain.`;
    throw new PasskeyError('fixture_invalid', message, { cause });
  }
}

type Opened =
  | { readonly lines: AsyncGenerator<Input>; readonly whole?: undefined }
  | { readonly lines?: undefined; readonly whole: Uint8Array };

/**
 * JSON lines are told by a name that ends in `.jsonl`, or by a first line that is a whole JSON object with members that are
 * known, and another line behind it; anything else is read to its end.
 */
async function openStream(name: string, stream: AsyncIterable<unknown>): Promise<Opened> {
  const chunks = stream[Symbol.asyncIterator]();
  let isCandidate = true;
  let isPastFirst = false;
  const parts: Buffer[] = [];
  let size = 0;
  for (;;) {
    const next = await chunks.next().catch((cause: NodeJS.ErrnoException) => {
      throw new PasskeyError('usage', `Expected a readable file; ${name} cannot be read (${cause.code ?? cause.message}).`, { cause });
    });
    if (next.done) return { whole: Buffer.concat(parts) };
    const chunk = Buffer.from(next.value as Uint8Array);
    parts.push(chunk);
    size += chunk.length;
    if (size > MAX_BYTES) throw new PasskeyError('usage', `${name} is larger than ${MAX_BYTES} bytes; split it into JSON lines.`);
    if (name.endsWith('.jsonl')) return { lines: linesOf(name, chunk, chunks) };
    if (!isCandidate) continue;
    // Only what is new is looked at: blank lines may go on for long.
    let rest = chunk;
    if (!isPastFirst) {
      const end = chunk.indexOf(LINE_FEED);
      if (end === -1) continue;
      rest = chunk.subarray(end);
      isPastFirst = true;
      isCandidate = isKnownObject(Buffer.concat([...parts.slice(0, -1), chunk.subarray(0, end)]));
    }
    if (isCandidate && !isBlank(rest)) return { lines: linesOf(name, Buffer.concat(parts), chunks) };
  }
}

async function* linesOf(name: string, first: Buffer, chunks: AsyncIterator<unknown>): AsyncGenerator<Input> {
  let number = 1;
  /** The line that is not at its end yet: kept in parts, so that a long one is put together once. */
  let parts: Buffer[] = [];
  let size = 0;
  for (let chunk: Buffer | undefined = first; chunk !== undefined; chunk = await nextOf(chunks)) {
    let start = 0;
    for (let end = chunk.indexOf(LINE_FEED); end !== -1; end = chunk.indexOf(LINE_FEED, start)) {
      const line = Buffer.concat([...parts, chunk.subarray(start, end)]);
      [parts, size, start] = [[], 0, end + 1];
      if (!isBlank(line)) yield { name: `${name}:${number}`, bytes: line };
      number += 1;
    }
    parts.push(chunk.subarray(start));
    size += chunk.length - start;
    if (size > MAX_BYTES) throw new PasskeyError('usage', `Line ${number} of ${name} is longer than ${MAX_BYTES} bytes.`);
  }
  const last = Buffer.concat(parts);
  if (!isBlank(last)) yield { name: `${name}:${number}`, bytes: last };
}

async function nextOf(chunks: AsyncIterator<unknown>): Promise<Buffer | undefined> {
  const next = await chunks.next();
  return next.done ? undefined : Buffer.from(next.value as Uint8Array);
}

function isBlank(line: Buffer): boolean {
  return line.toString('latin1').trim() === '';
}

function isKnownObject(line: Buffer): boolean {
  try {
    return recogniseJson(JSON.parse(line.toString('utf8').replace(/^\ufeff/, ''))) !== undefined;
  } catch {
    return false;
  }
}
