import { PasskeyError } from '../../errors.js';
import { readUtf8 } from '../../kernel/bytes.js';
import { asObject, isObject, type JsonObject, parseJson } from '../../kernel/json-value.js';
import { MAX_DOCUMENT_BYTES } from '../../kernel/limits.js';

const [QUOTE, BACKSLASH] = [0x22, 0x5c];
const [OPEN_BRACE, CLOSE_BRACE, OPEN_BRACKET, CLOSE_BRACKET] = [0x7b, 0x7d, 0x5b, 0x5d];

/** Nesting depth of the members of `log`, and of an entry, in an HTTP archive. */
const [IN_LOG, IN_ENTRIES] = [2, 3];
/** Maximum size of all entries that are kept, in bytes of JSON. Decoded, the entries take several times as much memory. */
const MAX_KEPT_BYTES = 2 * MAX_DOCUMENT_BYTES;

/**
 * Reads an HTTP archive that is too large to be decoded as a whole. Entries that cannot belong to a ceremony become null, so that the other
 * entries keep their numbers. HTML pages that belong to no ceremony keep their entries but lose their text. An archive of 100 MB takes at
 * most 256 MB of memory.
 *
 * @returns undefined for JSON that is not an archive.
 * @throws PasskeyError `validation_failed` if the archive ends too early, or contains more ceremony data than the limit.
 */
export function readLargeArchive(bytes: Uint8Array, name: string): JsonObject | undefined {
  const entries: unknown[] = [];
  let kept = 0;
  let [depth, start, at] = [0, 0, 0];
  /** The last string read at the top level and the last one inside `log`. Each is the name of the member whose value follows. */
  let [member, inner] = ['', ''];
  let [isInEntries, isArchive] = [false, false];
  while (at < bytes.length) {
    const byte = bytes[at];
    if (byte === QUOTE) {
      const end = skipText(bytes, at);
      if (depth === 1) member = readName(bytes.subarray(at + 1, end - 1));
      else if (depth === IN_LOG) inner = readName(bytes.subarray(at + 1, end - 1));
      at = end;
      continue;
    }
    if (byte === OPEN_BRACE || byte === OPEN_BRACKET) {
      if (byte === OPEN_BRACKET && depth === IN_LOG && member === 'log' && inner === 'entries') [isInEntries, isArchive] = [true, true];
      if (isInEntries && depth === IN_ENTRIES) start = at;
      depth += 1;
    } else if (byte === CLOSE_BRACE || byte === CLOSE_BRACKET) {
      depth -= 1;
      if (isInEntries && depth === IN_ENTRIES) {
        const entry = readEntry(bytes.subarray(start, at + 1));
        if (entry !== null) kept += at + 1 - start;
        if (kept > MAX_KEPT_BYTES) throw tooMuch(name);
        entries.push(entry);
      } else if (depth === IN_LOG) isInEntries = false;
    }
    at += 1;
  }
  if (isArchive && depth !== 0) throw cutOff(name, bytes.length);
  return isArchive ? { log: { entries } } : undefined;
}

/** Skips the string that begins at `at`, and returns the position after its closing quote. */
function skipText(bytes: Uint8Array, at: number): number {
  for (let end = bytes.indexOf(QUOTE, at + 1); end !== -1; end = bytes.indexOf(QUOTE, end + 1)) {
    let escapes = 0;
    while (bytes[end - 1 - escapes] === BACKSLASH) escapes += 1;
    if (escapes % 2 === 0) return end + 1;
  }
  return bytes.length;
}

/** Decodes the name of a member; empty if it is longer than any name that the search needs. */
const readName = (text: Uint8Array): string => (text.length > 'entries'.length ? '' : (readUtf8(text) ?? ''));

/** Matches the media types of static files, which contain no ceremony. */
const STATIC = /"mimeType"\s*:\s*"(?:[^"]*javascript|text\/css|(?:image|font|audio|video)\/|application\/(?:wasm|font))/;
/**
 * Matches words that suggest that an entry belongs to a ceremony: names of WebAuthn members, in any case, and text that `unanswered`
 * searches for in pages.
 */
const OF_CEREMONY = /challenge|client_?data|attestation|authenticator|credential|passkey|webauthn|<iframe/i;
const PAGE = /"mimeType"\s*:\s*"text\/html/;

/** Decodes an entry; null if it cannot belong to a ceremony. */
function readEntry(bytes: Uint8Array): unknown {
  const text = bytes.length > MAX_DOCUMENT_BYTES ? undefined : readUtf8(bytes);
  if (text === undefined || STATIC.test(text)) return null;
  const isOfCeremony = OF_CEREMONY.test(text);
  if (!isOfCeremony && !PAGE.test(text)) return null;
  const entry = parseJson(text);
  return isOfCeremony || !isObject(entry) ? entry : withoutText(entry);
}

function withoutText(entry: JsonObject): JsonObject {
  const response = asObject(entry['response']);
  return { ...entry, response: { ...response, content: { ...asObject(response['content']), text: '' } } };
}

function tooMuch(name: string): PasskeyError {
  return new PasskeyError(
    'validation_failed',
    `${name} is too large: expected at most ${MAX_KEPT_BYTES} bytes in the entries of ceremonies; got more. Record fewer in one archive.`,
  );
}

function cutOff(name: string, length: number): PasskeyError {
  return new PasskeyError('validation_failed', `${name} is an HTTP archive that ends too early, at byte ${length}. Export it again.`);
}
