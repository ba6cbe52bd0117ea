import { PasskeyError } from '../../errors.js';
import { decodeUtf8, findInvalidUtf8 } from '../bytes.js';
import { locateJsonError } from '../json-location.js';
import { closestKind, recogniseBytes } from './recognise-bytes.js';
import { isEmptyCredential, recogniseJson } from './recognise-json.js';
import { KIND_NAMES, type Recognised } from './recognised.js';
import { asciiText, bytesOfJson, isEncoded, readBase64, readHex, trimmed } from './text-encoding.js';

/** An encoded text inside an encoded text inside …: more than people do by mistake. */
const MAX_LAYERS = 4;
const PEM = /-----BEGIN ([A-Z0-9 ]+)-----([\s\S]*?)-----END \1-----/g;

/**
 * Finds out what an input is: JSON, PEM, base64, base64url, hexadecimal (also one inside the other) or the bytes themselves.
 *
 * @throws PasskeyError `validation_failed` naming the first wrong byte of what the input looks like.
 */
export function recognise(bytes: Uint8Array): Recognised {
  return recogniseLayer(bytes, []);
}

function recogniseLayer(bytes: Uint8Array, encodings: readonly string[]): Recognised {
  if (bytes.length === 0) {
    throw unknown(encodings.length === 0 ? 'The input is empty.' : `The ${encodings.at(-1)} text stands for no bytes.`);
  }
  const text = findInvalidUtf8(bytes) === undefined ? trimmed(decodeUtf8(bytes)) : undefined;
  if (text !== undefined && /^[{["]/.test(text)) {
    return fromJson(bytes, text, encodings);
  }
  if (text?.includes('-----BEGIN ')) {
    return fromPem(text, encodings);
  }
  const printable = asciiText(bytes);
  return printable !== undefined && encodings.length < MAX_LAYERS ? fromText(trimmed(printable), encodings) : fromBytes(bytes, encodings);
}

function fromJson(bytes: Uint8Array, text: string, encodings: readonly string[]): Recognised {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (cause) {
    const whole = decodeUtf8(bytes);
    const { line, column, expected, received } = locateJsonError(whole) ?? {
      line: 1,
      column: 1,
      expected: 'JSON',
      received: 'something else',
    };
    throw unknown(`The input looks like JSON, but at ${line}:${column} (line:column) ${expected} is expected; got ${received}.`, cause);
  }
  const inner = typeof value === 'string' ? new TextEncoder().encode(value) : bytesOfJson(value);
  if (inner !== undefined && encodings.length < MAX_LAYERS) {
    return recogniseLayer(inner, [...encodings, typeof value === 'string' ? 'JSON string' : 'JSON list of bytes']);
  }
  const found = recogniseJson(value);
  if (found !== undefined) {
    return { ...found, encodings: [...encodings, 'JSON'] };
  }
  if (recogniseBytes(bytes) === 'client-data') {
    return { kind: 'client-data', items: [bytes], encodings };
  }
  throw unknown(
    isEmptyCredential(value)
      ? 'The response of this credential is empty: JSON.stringify cannot write its bytes; send credential.toJSON().'
      : `The JSON is none of: ${Object.values(KIND_NAMES).slice(0, 6).join(', ')}, client data. At byte 0 an object with their members is expected.`,
  );
}

function fromPem(text: string, encodings: readonly string[]): Recognised {
  const blocks = [...text.matchAll(PEM)];
  const items = blocks.map(([, name = '', body = '']) => {
    if (name !== 'CERTIFICATE') {
      throw unknown(
        `The PEM text holds ${JSON.stringify(name)}; a CERTIFICATE is expected.${name.includes('PRIVATE') ? ' Keep private keys to yourself.' : ''}`,
      );
    }
    const read = readBase64(body.replaceAll(/\s/g, ''));
    if (!isEncoded(read)) {
      throw unknown(`The PEM text is not base64 at character ${read.position} of its body: ${JSON.stringify(read.character)}.`);
    }
    return read.bytes;
  });
  if (items.length === 0) {
    throw unknown('The PEM text has a BEGIN line and no END line that fits.');
  }
  for (const item of items) {
    if (recogniseBytes(item) !== 'certificate') {
      throw notWhole(item, [...encodings, 'PEM']);
    }
  }
  return { kind: 'certificate', items, encodings: [...encodings, 'PEM'] };
}

function fromText(text: string, encodings: readonly string[]): Recognised {
  const hex = readHex(text);
  const base64 = readBase64(text.replaceAll(/\s/g, ''));
  const readings = [...(hex === undefined ? [] : [hex]), ...(isEncoded(base64) ? [base64] : [])];
  if (readings.length === 0 && !isEncoded(base64)) {
    const position = text.indexOf(base64.character);
    throw unknown(
      `The input is text, but neither JSON, PEM, hexadecimal, base64 nor base64url: ${JSON.stringify(base64.character)} at position ${position} does not belong there.`,
    );
  }
  let failure: unknown;
  for (const { bytes, encoding } of readings) {
    try {
      return recogniseLayer(bytes, [...encodings, encoding]);
    } catch (error) {
      failure ??= error;
    }
  }
  throw failure;
}

function fromBytes(bytes: Uint8Array, encodings: readonly string[]): Recognised {
  const kind = recogniseBytes(bytes);
  if (kind === undefined) {
    throw notWhole(bytes, encodings);
  }
  return { kind, items: [bytes], encodings };
}

function notWhole(bytes: Uint8Array, encodings: readonly string[]): PasskeyError {
  const inside = encodings.length === 0 ? '' : ` (bytes count behind the ${encodings.join(' and ')})`;
  const closest = closestKind(bytes);
  return closest === undefined
    ? unknown(`Nothing known: ${bytes.length} bytes that begin with 0x${(bytes[0] ?? 0).toString(16).padStart(2, '0')} at byte 0${inside}.`)
    : unknown(`The input looks most like ${KIND_NAMES[closest.kind]}, but is not${inside}. ${closest.error.message}`, closest.error);
}

function unknown(message: string, cause?: unknown): PasskeyError {
  return new PasskeyError('validation_failed', message, { cause });
}
