import { PasskeyError } from '../../errors.js';
import { decodeUtf8, encodeUtf8, findInvalidUtf8, readUtf8 } from '../../kernel/bytes.js';
import { locateJsonError } from '../../kernel/json-location.js';
import { countValues, isWithinDepth, MAX_JSON_LEVELS, MAX_JSON_VALUES } from '../../kernel/json-value.js';
import { MAX_DOCUMENT_BYTES, MAX_STRUCTURE_BYTES } from '../../kernel/limits.js';
import { count } from '../../kernel/wording.js';
import { authenticatorFault } from '../../relying-party/diagnosis/hints.js';
import {
  bytesOfJson,
  findMisfit,
  hexMistake,
  isEncoded,
  printableText,
  readBase64,
  readDecimals,
  readHex,
  readUtf16,
  trimmed,
  type WrongCharacter,
} from '../../webauthn/text-encoding.js';
import { describeUnknownError, explainErrorText } from '../error-text.js';
import { foreignBytes, foreignJson, foreignStart, foreignText } from './foreign.js';
import { type ReadJson, readJson, readMessages } from './har.js';
import { type BinaryKind, findAll, KIND_NAMES, recogniseJson } from './kinds.js';
import { readLargeArchive } from './large-archive.js';
import { readLogged } from './logged.js';
import { readPemCertificates } from './pem.js';
import { closestKind, type ReadBytes, recogniseBytes } from './recognise-bytes.js';
import { findSentence } from './sentence.js';

/**
 * Maximum size, in bytes, of an unreadable input that is searched for an error message. An error page is smaller; for larger data it is
 * more useful to report the syntax error.
 */
const MAX_ERROR_BYTES = 2 ** 20;

/** Maximum number of nested encodings, such as base64 inside hexadecimal: more than occur by mistake. */
const MAX_LAYERS = 4;

/** A recognised and decoded input. */
export type Recognised = {
  /** Encodings of the input from the outermost to the innermost, e.g. `['base64url']`; empty for plain bytes. */
  readonly encodings: readonly string[];
  /** The whole text of the input, if it contains more than the recognised objects. */
  readonly beside?: string;
} & (
  | ReadJson
  | { readonly kind: 'error-text'; readonly text: string }
  | {
      readonly kind: BinaryKind /** The decoded structures: several only for the certificates of one PEM text. */;
      readonly items: readonly ReadBytes[];
    }
);

/**
 * Finds out what an input is: JSON, PEM, base64, base64url, hexadecimal or plain bytes. One encoding may contain another.
 *
 * @param name what messages call the input, e.g. its path.
 * @throws PasskeyError `validation_failed` naming the first byte that is wrong for the format that the input seems to have.
 */
export function recognise(bytes: Uint8Array, name = 'The input'): Recognised {
  try {
    return recogniseLayer(bytes, { name, encodings: [] });
  } catch (error) {
    const text = bytes.length > MAX_ERROR_BYTES ? '' : (readUtf16(bytes) ?? readUtf8(bytes) ?? '');
    if (explainErrorText(text).length > 0) return { kind: 'error-text', text, encodings: ['text'] };
    const said = findSentence(text);
    throw said === undefined ? error : unknown(`${name}: ${describeUnknownError(said)}`, error);
  }
}

/** One of the nested encodings of an input. */
interface Layer {
  readonly name: string;
  /** Encodings around this layer, from the outermost to the innermost. */
  readonly encodings: readonly string[];
}

/** A layer whose text encodes other bytes. */
interface Encoded {
  /** The possible decodings of the layer, the most likely first. */
  readonly readings: readonly Reading[];
  /**
   * Makes the error to throw if no reading is recognised. `failure` is the error of the most likely reading, which is thrown by default.
   */
  explain?(failure: unknown): unknown;
}

interface Reading {
  readonly bytes: Uint8Array;
  readonly encoding: string;
  /** Error to throw if this reading is recognised even though characters are missing or one is surplus. */
  readonly fault?: PasskeyError;
}

/**
 * Recognises the bytes of a layer: tries its possible decodings in order, and returns the first that is recognised. This is the only
 * recursive function in the file; each call goes one layer deeper.
 */
function recogniseLayer(bytes: Uint8Array, layer: Layer): Recognised {
  const read = readLayer(bytes, layer);
  if (!('readings' in read)) return read;
  let failure: unknown;
  for (const { bytes: inner, encoding, fault } of read.readings) {
    let found: Recognised;
    try {
      found = recogniseLayer(inner, { ...layer, encodings: [...layer.encodings, encoding] });
    } catch (error) {
      failure ??= error;
      continue;
    }
    if (fault !== undefined) throw fault;
    return found;
  }
  throw read.explain === undefined ? failure : read.explain(failure);
}

/** Reads one layer. Returns the recognised structure or, if the layer is an encoding, the bytes that it encodes. */
function readLayer(bytes: Uint8Array, layer: Layer): Recognised | Encoded {
  const { name, encodings } = layer;
  if (bytes.length === 0) {
    throw unknown(
      encodings.length === 0 ? `${name} is empty.` : `${name} is too short: its ${encodings.at(-1)} text does not fill one byte.`,
    );
  }
  const utf16 = encodings.length === 0 ? readUtf16(bytes) : undefined;
  if (utf16 !== undefined) return { readings: [{ bytes: encodeUtf8(utf16), encoding: 'UTF-16' }] };
  if (bytes.length > MAX_STRUCTURE_BYTES && !startsLikeJson(bytes)) {
    const size = `${count(bytes.length, 'byte')}${encodings.length === 0 ? '' : ` inside the ${encodings.join(' and ')}`}`;
    throw unknown(
      `${name} is too large: ${size}; expected at most ${MAX_STRUCTURE_BYTES} for anything but JSON.${sentence(foreignStart(bytes))}`,
    );
  }
  if (bytes.length > MAX_DOCUMENT_BYTES && startsLikeJson(bytes)) return fromLargeJson(bytes, layer);
  const whole = readUtf8(bytes);
  if (whole === undefined) {
    return fromBytes(bytes, layer, isMostlyJson(bytes) ? findInvalidUtf8(bytes) : undefined);
  }
  const text = trimmed(whole);
  if (text === '') {
    throw unknown(`${name} contains only white space.`);
  }
  if (/^[{["]/.test(text)) {
    return fromJson(bytes, text, layer);
  }
  if (text.includes('-----BEGIN ')) {
    return fromPem(text, layer);
  }
  const logged = text.includes('{') ? fromLogged(text, layer) : undefined;
  if (logged !== undefined) return logged;
  const printable = printableText(bytes);
  return printable !== undefined && encodings.length < MAX_LAYERS ? fromText(printable, layer) : fromBytes(bytes, layer);
}

/** Tells whether JSON starts after any white space and byte order mark. Looks only at bytes, so that a large input need not be decoded. */
function startsLikeJson(bytes: Uint8Array): boolean {
  const from = bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? 3 : 0;
  const first = bytes.subarray(from).find((byte) => byte > 0x20 || byte < 0x09);
  return first !== undefined && '{["'.includes(String.fromCharCode(first));
}

/** Reads a large HTTP archive without decoding it as a whole. No other kind of input may be this large. */
function fromLargeJson(bytes: Uint8Array, { name, encodings }: Layer): Recognised {
  const json = readLargeArchive(bytes, name);
  if (json === undefined) throw tooLarge(name, `${MAX_DOCUMENT_BYTES} bytes at most; got ${bytes.length}`);
  return { ...readJson({ kind: 'har', json, pointer: '' }), encodings: [...encodings, 'JSON'] };
}

/** Tells whether bytes are JSON with a few invalid bytes, rather than binary data that happens to begin with a brace. */
function isMostlyJson(bytes: Uint8Array): boolean {
  const [first = 0] = bytes[0] === 0xef ? bytes.subarray(3) : bytes;
  const ascii = bytes.filter((byte) => byte >= 0x09 && byte < 0x7f).length;
  return '{["'.includes(String.fromCharCode(first)) && ascii > bytes.length * 0.7;
}

function fromJson(bytes: Uint8Array, text: string, layer: Layer): Recognised | Encoded {
  const { encodings } = layer;
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (cause) {
    const logged = fromLogged(text, layer);
    if (logged !== undefined) return logged;
    throw noJson(bytes, layer, cause);
  }
  if (!isWithinDepth(value, MAX_JSON_LEVELS)) {
    throw noJson(bytes, layer);
  }
  const inner = typeof value === 'string' ? encodeUtf8(value) : bytesOfJson(value);
  if (inner !== undefined && encodings.length < MAX_LAYERS) {
    return { readings: [{ bytes: inner, encoding: typeof value === 'string' ? 'JSON string' : 'JSON list of bytes' }] };
  }
  const found = recogniseJson(value);
  // Of an HTTP archive only the bodies with something of WebAuthn are shown, so that it may be larger: see `harFindings`.
  if (found?.kind !== 'har' && countValues(value, MAX_JSON_VALUES) > MAX_JSON_VALUES) {
    throw tooLarge(layer.name, `${MAX_JSON_VALUES} values at most; got more`);
  }
  if (found !== undefined) {
    const read = readMessages(found.pointer === '' ? [] : findAll(value)) ?? readJson(found);
    return {
      ...read,
      encodings: [...encodings, 'JSON', ...nesting(found.isStringifiedTwice)],
      ...(found.pointer !== '' && { beside: text }),
    };
  }
  const read = recogniseBytes(bytes);
  if (read?.kind === 'client-data') {
    return { kind: read.kind, items: [read], encodings };
  }
  const none = `is none of: ${Object.values(KIND_NAMES).slice(0, 8).join(', ')}, client data.`;
  throw unknown(`The JSON ${none} ${foreignJson(value) ?? 'Give an object with the members of one of them.'}`);
}

/**
 * Reads the objects in text that is not only JSON, such as a log or the output of Node. Several objects form a ceremony if one of them is a
 * response.
 */
function fromLogged(text: string, { encodings }: Layer): Recognised | undefined {
  if (text.length > MAX_STRUCTURE_BYTES) return undefined;
  const beside = text.replaceAll(QUOTED_OBJECT, unquote);
  const found = readLogged(beside).flatMap((value) => [...findAll(value)]);
  const read = readMessages(found) ?? (found[0] && readJson(found[0]));
  const isTwice = beside !== text || found.some(({ isStringifiedTwice }) => isStringifiedTwice);
  return read && { ...read, encodings: [...encodings, 'text with objects', ...nesting(isTwice)], beside };
}

const nesting = (isStringifiedTwice: boolean | undefined): readonly string[] => (isStringifiedTwice ? ['JSON string', 'JSON'] : []);

/** Matches a line that contains an object in quotes, which means that the object was converted to JSON twice. */
const QUOTED_OBJECT = /^[ \t]*"\{(?:[^"\\\r\n]|\\.)*\}"[ \t]*$/gm;

function unquote(line: string): string {
  try {
    return String(JSON.parse(line));
  } catch {
    return line;
  }
}

function fromPem(text: string, layer: Layer): Recognised {
  const within = { ...layer, encodings: [...layer.encodings, 'PEM'] };
  const items = readPemCertificates(text, layer.name).map((bytes) => {
    const read = recogniseBytes(bytes);
    if (read?.kind !== 'certificate') throw notWhole(bytes, within);
    return read;
  });
  return { kind: 'certificate', items, encodings: within.encodings };
}

/** Decodes text as hexadecimal, as decimal numbers and as base64. The same text may be valid in several of these. */
function fromText(text: string, layer: Layer): Encoded {
  const core = trimmed(text);
  const hex = readHex(core);
  const decimals = readDecimals(core);
  const base64 = readBase64(core.replaceAll(/\s/g, ''));
  const readings = [
    ...(hex === undefined ? [] : [hex]),
    ...(decimals === undefined ? [] : [{ bytes: decimals, encoding: 'list of bytes', canonical: true }]),
    ...(isEncoded(base64) ? [base64] : []),
  ];
  const isDigits = hex !== undefined || decimals !== undefined;
  return {
    readings: readings.map(({ bytes, encoding, canonical }) => ({
      bytes,
      encoding,
      ...(!canonical && { fault: notWholeText(text, encoding, layer) }),
    })),
    explain(failure) {
      const mistake = isDigits ? undefined : hexMistake(text);
      if (mistake !== undefined) return notHex(mistake, layer);
      const misfit = isDigits ? undefined : findMisfit(text);
      return misfit === undefined && failure !== undefined ? failure : noEncoding(core, layer, misfit);
    },
  };
}

/**
 * Recognises plain bytes.
 *
 * @param invalid position of the first byte that is not UTF-8, given if the input otherwise looks like JSON.
 */
function fromBytes(bytes: Uint8Array, layer: Layer, invalid?: number): Recognised {
  const read = recogniseBytes(bytes);
  if (read === undefined) {
    throw invalid === undefined ? notWhole(bytes, layer) : noUtf8(bytes, invalid, layer);
  }
  return { kind: read.kind, items: [read], encodings: layer.encodings };
}

// Messages for an input that is not recognised: what it resembles most, and where it differs.

function tooLarge(name: string, expected: string): PasskeyError {
  return unknown(`${name} is too large: JSON that is not an HTTP archive is expected to have ${expected}.`);
}

function noJson(bytes: Uint8Array, { name, encodings }: Layer, cause?: unknown): PasskeyError {
  const { line, column, expected, received } = locateJsonError(decodeUtf8(bytes)) ?? {
    line: 1,
    column: 1,
    expected: 'JSON',
    received: 'something else',
  };
  const behind = encodings.length === 0 ? '' : ` inside the ${encodings.join(' and ')}`;
  return unknown(
    `${name} looks like JSON, but at ${line}:${column} (line:column${behind}) ${expected} is expected; got ${received}.`,
    cause,
  );
}

function described({ name, encodings }: Layer): string {
  return encodings.length === 0 ? name : `${name} is ${encodings.join(' of ')} of text that`;
}

function notHex(mistake: WrongCharacter | 'odd', layer: Layer): PasskeyError {
  const what =
    mistake === 'odd'
      ? 'has an odd number of digits: one is missing, or one is too many.'
      : `${JSON.stringify(mistake.character)} at position ${mistake.position} is not a hexadecimal digit.`;
  return unknown(`${described(layer)} looks like hexadecimal, but ${what}`);
}

function notWholeText(text: string, encoding: string, layer: Layer): PasskeyError {
  const position = text.trimEnd().replace(/=+$/, '').length - 1;
  const character = JSON.stringify(text.charAt(position));
  return unknown(
    `${described(layer)} is ${encoding}, but its last character, ${character} at position ${position}, completes no byte: characters are missing, or one is too many.`,
  );
}

function noEncoding(text: string, { name, encodings }: Layer, misfit: WrongCharacter | undefined): PasskeyError {
  const what = encodings.length === 0 ? `${name} is text` : `${name} is ${encodings.join(' of ')} of text`;
  const where = misfit && `${JSON.stringify(misfit.character)} at position ${misfit.position} does not belong in any of them.`;
  return unknown(`${what} that is none of: JSON, PEM, hexadecimal, base64, base64url.${sentence(foreignText(text) ?? where)}`);
}

function noUtf8(bytes: Uint8Array, at: number, { name, encodings }: Layer): PasskeyError {
  return unknown(`${name} looks like JSON, but byte ${at}${countedBehind(encodings)} is not UTF-8; got ${hexByte(bytes[at])}.`);
}

function countedBehind(encodings: readonly string[]): string {
  return encodings.length === 0 ? '' : ` (counted inside the ${encodings.join(' and ')})`;
}

const GIVE = 'Give a whole response, options, client data, a fixture, a HAR file, a certificate or a COSE key.';

function hexByte(byte: number | undefined): string {
  return byte === undefined ? 'the end' : `0x${byte.toString(16).padStart(2, '0')}`;
}

function notWhole(bytes: Uint8Array, { name, encodings }: Layer): PasskeyError {
  const behind = countedBehind(encodings);
  const readAs = encodings.length === 0 ? '' : `read as ${encodings.join(' of ')}, `;
  const foreign = foreignBytes(bytes);
  const closest = foreign === undefined ? closestKind(bytes) : undefined;
  return closest === undefined
    ? unknown(
        `${name} cannot be recognised: ${readAs}it is ${count(bytes.length, 'byte')}, the first ${hexByte(bytes[0])}. ${foreign ?? GIVE}`,
      )
    : unknown(
        `${name} looks most like ${KIND_NAMES[closest.kind]}, but is not${behind}. ${closest.error.message}${sentence(authenticatorFault(bytes))}`,
        closest.error,
      );
}

const sentence = (text: string | undefined): string => (text === undefined ? '' : ` ${text}`);

function unknown(message: string, cause?: unknown): PasskeyError {
  return new PasskeyError('validation_failed', message, { cause });
}
