import { stat } from 'node:fs/promises';
import { relative, resolve } from 'node:path';
import { PasskeyError } from '../../errors.js';
import { recogniseJson } from '../../explain/annotate/kinds.js';
import type { Input } from '../../explain/explain.js';
import { walkFixtures } from '../../fixture/find.js';
import { MAX_NAMED_FILE_BYTES, openNamedFile, UnusableFile } from '../../fixture/named-file.js';
import type { Io } from '../io.js';
import { standardInput } from '../read-text.js';

const LINE_FEED = 0x0a;
const SPACE = 0x20;

/** An input that cannot be read, among many inputs. The inputs after it can still be read. */
interface Unread {
  readonly name: string;
  readonly problem: PasskeyError;
}

export type Item = Input | Unread;

/** The inputs of a command: either a single one, or many that each get a one-line report. */
type Inputs = { readonly only: Input; readonly items?: undefined } | { readonly only?: undefined; readonly items: AsyncIterable<Item> };

/**
 * Opens the inputs that the command line names. Reads one file after another, and reads JSON lines line by line. Ignores data that is
 * appended to a file after it was opened.
 *
 * @throws PasskeyError `usage` if there is only one path and it cannot be read.
 */
export async function openInputs(io: Io, names: readonly string[]): Promise<Inputs> {
  const [only] = names;
  if (only !== undefined && names.length === 1 && !(await isFolder(io, only))) {
    const { lines, whole } = await open(io, only, only);
    return lines === undefined ? { only: { name: only, bytes: whole } } : { items: lines };
  }
  return { items: all(io, names) };
}

async function isFolder(io: Io, name: string): Promise<boolean> {
  if (name === '-') return false;
  const found = await stat(resolve(io.cwd, name)).catch((cause: NodeJS.ErrnoException) => {
    throw unusable(`${name} cannot be read (${cause.code})`, cause);
  });
  return found.isDirectory();
}

const unusable = (what: string, cause?: unknown): PasskeyError =>
  new PasskeyError('usage', `${what}; expected a file, a folder or - (standard input).`, { cause });

async function* all(io: Io, names: readonly string[]): AsyncGenerator<Item> {
  for (const name of names) {
    const folder = await isFolder(io, name).catch(toProblem);
    if (folder instanceof PasskeyError) yield { name, problem: folder };
    else if (folder) yield* allIn(io, name);
    else yield* allOf(io, name, name);
  }
}

async function* allIn(io: Io, folder: string): AsyncGenerator<Item> {
  let isEmpty = true;
  for await (const { path, problem } of walkFixtures(resolve(io.cwd, folder))) {
    isEmpty = false;
    const shown = relative(io.cwd, path);
    if (problem === undefined) yield* allOf(io, shown, path);
    else yield { name: shown, problem };
  }
  if (!isEmpty) return;
  const message = `${folder}: expected a folder with at least one fixture (*.json) below it, found none; name the files to explain.`;
  yield { name: folder, problem: new PasskeyError('fixture_invalid', message) };
}

async function* allOf(io: Io, shown: string, file: string): AsyncGenerator<Item> {
  const opened = await open(io, shown, file).catch(toProblem);
  if (opened instanceof PasskeyError) yield { name: shown, problem: opened };
  else if (opened.lines === undefined) yield { name: shown, bytes: opened.whole };
  else yield* opened.lines;
}

/** Returns the error of one input as a value, so that the other inputs are still read. Rethrows any error that is not a PasskeyError. */
function toProblem(error: unknown): PasskeyError {
  if (error instanceof PasskeyError) return error;
  throw error;
}

async function open(io: Io, name: string, file: string): Promise<Opened> {
  if (file === '-') return openStream(name, standardInput(io));
  const { size, chunks, close } = await openFile(io, name, file);
  if (size > MAX_NAMED_FILE_BYTES && !isJsonLines(name)) {
    await close();
    throw tooLarge(name, size);
  }
  // A large file is held once.
  const whole = isJsonLines(name) ? undefined : Buffer.allocUnsafe(size);
  return openStream(name, chunks(whole), whole);
}

const isJsonLines = (name: string): boolean => name.endsWith('.jsonl');

const tooLarge = (name: string, size?: number): PasskeyError =>
  new PasskeyError(
    'usage',
    `${name} has ${size === undefined ? 'more' : `${size} bytes, more`} than the ${MAX_NAMED_FILE_BYTES} that one input may have. Split it; JSON lines may be longer, in a file with a name that ends in .jsonl.`,
  );

/**
 * Opens files and reads them as JSON lines, whatever their names and first lines are.
 *
 * @throws PasskeyError `usage` if a file cannot be read.
 */
export async function* openLines(io: Io, names: readonly string[]): AsyncGenerator<Item> {
  for (const name of names) {
    const stream = name === '-' ? standardInput(io) : (await openFile(io, name, name)).chunks(undefined);
    const chunks: AsyncIterator<unknown> = stream[Symbol.asyncIterator]();
    const first = await readNext(name, chunks);
    if (first !== undefined) yield* readLines(name, first, chunks);
  }
}

function openFile(io: Io, name: string, file: string): ReturnType<typeof openNamedFile> {
  return openNamedFile(resolve(io.cwd, file)).catch((cause: unknown): never => {
    throw cause instanceof UnusableFile ? unusable(`${name} ${cause.message}`, cause) : cause;
  });
}

type Opened =
  | { readonly lines: AsyncGenerator<Item>; readonly whole?: undefined }
  | { readonly lines?: undefined; readonly whole: Uint8Array };

/**
 * Opens an input, and decides whether it is JSON lines. It is if its name ends in `.jsonl`, or if its first line is a complete JSON object
 * of a known kind and another line follows. But if the first line is a response, the second line must be one too, because users may paste
 * the server's reply below a response. Any other input is read to its end as one document.
 */
async function openStream(name: string, stream: AsyncIterable<unknown>, into?: Buffer): Promise<Opened> {
  const chunks = stream[Symbol.asyncIterator]();
  let opened: Opened | undefined;
  try {
    opened = await readInput(name, chunks, into);
    return opened;
  } finally {
    if (opened?.lines === undefined) await chunks.return?.();
  }
}

/**
 * Reads a stream until it is known whether it is JSON lines. @param into buffer into which the stream writes its chunks, if there is one.
 */
async function readInput(name: string, chunks: AsyncIterator<unknown>, into: Buffer | undefined): Promise<Opened> {
  let isCandidate = true;
  let first: ReturnType<typeof findKind>;
  /** Chunks of the second line that is not blank. */
  const second: Buffer[] = [];
  const parts: Buffer[] = [];
  let size = 0;
  for (;;) {
    const chunk = await readNext(name, chunks);
    if (chunk === undefined) {
      const whole = into?.subarray(0, size) ?? Buffer.concat(parts);
      return isCandidate && findKind(Buffer.concat(second)) !== undefined ? { lines: readLines(name, whole, chunks) } : { whole };
    }
    parts.push(chunk);
    size += chunk.length;
    if (isJsonLines(name)) return { lines: readLines(name, chunk, chunks) };
    if (size > MAX_NAMED_FILE_BYTES) throw tooLarge(name);
    if (!isCandidate) continue;
    // Only what is new is looked at: blank lines may go on for long.
    let rest = chunk;
    if (first === undefined) {
      const end = chunk.indexOf(LINE_FEED);
      if (end === -1) continue;
      rest = chunk.subarray(end);
      first = findKind(Buffer.concat([...parts.slice(0, -1), chunk.subarray(0, end)]));
      isCandidate = first !== undefined;
    }
    if (!isCandidate || (second.length === 0 && isBlank(rest))) continue;
    if (second.length === 0) rest = rest.subarray(rest.findIndex((byte) => byte > SPACE));
    const end = rest.indexOf(LINE_FEED);
    second.push(end === -1 ? rest : rest.subarray(0, end));
    const isResponse = first === 'registration' || first === 'authentication';
    if (isResponse && end === -1) continue;
    isCandidate = !isResponse || findKind(Buffer.concat(second)) !== undefined;
    if (isCandidate) return { lines: readLines(name, Buffer.concat(parts), chunks) };
  }
}

async function* readLines(name: string, first: Buffer, chunks: AsyncIterator<unknown>): AsyncGenerator<Item> {
  let number = 1;
  try {
    /** Chunks of the unfinished last line. They are joined only once, so that even a long line is read fast. */
    let parts: Buffer[] = [];
    let size = 0;
    for (let chunk: Buffer | undefined = first; chunk !== undefined; chunk = await readNext(name, chunks)) {
      let start = 0;
      for (let end = chunk.indexOf(LINE_FEED); end !== -1; end = chunk.indexOf(LINE_FEED, start)) {
        const line = Buffer.concat([...parts, chunk.subarray(start, end)]);
        [parts, size, start] = [[], 0, end + 1];
        if (!isBlank(line)) yield { name: `${name}:${number}`, bytes: line };
        number += 1;
      }
      parts.push(chunk.subarray(start));
      size += chunk.length - start;
      if (size > MAX_NAMED_FILE_BYTES) {
        throw new PasskeyError('usage', `Line ${number} of ${name} is longer than ${MAX_NAMED_FILE_BYTES} bytes.`);
      }
    }
    const last = Buffer.concat(parts);
    if (!isBlank(last)) yield { name: `${name}:${number}`, bytes: last };
  } catch (error) {
    yield { name: `${name}:${number}`, problem: toProblem(error) };
  } finally {
    await chunks.return?.();
  }
}

/** Reads the next chunk. Undefined at the end of the input. @throws PasskeyError `usage` if reading fails. */
async function readNext(name: string, chunks: AsyncIterator<unknown>): Promise<Buffer | undefined> {
  const next = await chunks.next().catch((cause: NodeJS.ErrnoException) => {
    const what = cause instanceof UnusableFile ? cause.message : `cannot be read (${cause.code ?? cause.message})`;
    throw new PasskeyError('usage', `Expected a readable file; ${name} ${what}.`, { cause });
  });
  if (next.done) return undefined;
  return Buffer.isBuffer(next.value) ? next.value : Buffer.from(next.value as Uint8Array);
}

function isBlank(line: Buffer): boolean {
  return line.toString('latin1').trim() === '';
}

/**
 * Finds the kind of the JSON object in a line. Undefined for an unknown object. Also undefined for options, since their response may follow
 * on the next line.
 */
function findKind(line: Buffer): string | undefined {
  try {
    const found = recogniseJson(JSON.parse(line.toString('utf8').replace(/^\ufeff/, '')));
    return found?.kind.endsWith('-options') === true ? undefined : found?.kind;
  } catch {
    return undefined;
  }
}
