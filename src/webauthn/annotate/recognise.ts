import { PasskeyError } from '../../errors.js';
import { decodeUtf8, findInvalidUtf8 } from '../bytes.js';
import { locateJsonError } from '../json-location.js';
import { closestKind, recogniseBytes } from './recognise-bytes.js';
import { isEmptyCredential, recogniseJson } from './recognise-json.js';
import { KIND_NAMES, type Recognised } from './recognised.js';
import { bytesOfJson, findMisfit, isEncoded, printableText, readBase64, readHex, trimmed, type WrongCharacter } from './text-encoding.js';

/** An encoded text inside an encoded text inside …: more than people do by mistake. */
const MAX_LAYERS = 4;
const PEM = /-----BEGIN ([A-Z0-9 ]+)-----([\s\S]*?)-----END \1-----/g;

/**
 * Finds out what an input is: JSON, PEM, base64, base64url, hexadecimal (also one inside the other) or the bytes themselves.
 *
 * @param name what messages call the input, e.g. its path.
 * @throws PasskeyError `validation_failed` naming the first wrong byte of what the input looks like.
 */
export function recognise(bytes: Uint8Array, name = 'The input'): Recognised {
  return recogniseLayer(bytes, { name, encodings: [] });
}

/** Where in an input we are. */
interface Layer {
  readonly name: string;
  /** From the outside in. */
  readonly encodings: readonly string[];
}

function inside({ name, encodings }: Layer, encoding: string): Layer {
  return { name, encodings: [...encodings, encoding] };
}

function recogniseLayer(bytes: Uint8Array, layer: Layer): Recognised {
  const { name, encodings } = layer;
  if (bytes.length === 0) {
    throw unknown(encodings.length === 0 ? `${name} is empty.` : `The ${encodings.at(-1)} text stands for no bytes.`);
  }
  const text = findInvalidUtf8(bytes) === undefined ? trimmed(decodeUtf8(bytes)) : undefined;
  if (text !== undefined && /^[{["]/.test(text)) {
    return fromJson(bytes, text, layer);
  }
  if (text?.includes('-----BEGIN ')) {
    return fromPem(text, layer);
  }
  const printable = printableText(bytes);
  return printable !== undefined && encodings.length < MAX_LAYERS ? fromText(printable, layer) : fromBytes(bytes, layer);
}

function fromJson(bytes: Uint8Array, text: string, layer: Layer): Recognised {
  const { name, encodings } = layer;
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
    throw unknown(`${name} looks like JSON, but at ${line}:${column} (line:column) ${expected} is expected; got ${received}.`, cause);
  }
  const inner = typeof value === 'string' ? new TextEncoder().encode(value) : bytesOfJson(value);
  if (inner !== undefined && encodings.length < MAX_LAYERS) {
    return recogniseLayer(inner, inside(layer, typeof value === 'string' ? 'JSON string' : 'JSON list of bytes'));
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

function fromPem(text: string, layer: Layer): Recognised {
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
      throw notWhole(item, inside(layer, 'PEM'));
    }
  }
  return { kind: 'certificate', items, encodings: inside(layer, 'PEM').encodings };
}

function fromText(text: string, layer: Layer): Recognised {
  const core = trimmed(text);
  const hex = readHex(core);
  const base64 = readBase64(core.replaceAll(/\s/g, ''));
  const readings = [...(hex === undefined ? [] : [hex]), ...(isEncoded(base64) ? [base64] : [])];
  let failure: unknown;
  for (const { bytes, encoding } of readings) {
    try {
      return recogniseLayer(bytes, inside(layer, encoding));
    } catch (error) {
      failure ??= error;
    }
  }
  const misfit = hex === undefined ? findMisfit(text) : undefined;
  throw misfit === undefined && failure !== undefined ? failure : noEncoding(layer, misfit);
}

function noEncoding({ name, encodings }: Layer, misfit: WrongCharacter | undefined): PasskeyError {
  const what = encodings.length === 0 ? `${name} is text` : `${name} is ${encodings.join(' of ')} of text`;
  const where = misfit && ` ${JSON.stringify(misfit.character)} at position ${misfit.position} does not belong in any of them.`;
  return unknown(`${what} that is none of: JSON, PEM, hexadecimal, base64, base64url.${where ?? ''}`);
}

function fromBytes(bytes: Uint8Array, layer: Layer): Recognised {
  const kind = recogniseBytes(bytes);
  if (kind === undefined) {
    throw notWhole(bytes, layer);
  }
  return { kind, items: [bytes], encodings: layer.encodings };
}

function notWhole(bytes: Uint8Array, { name, encodings }: Layer): PasskeyError {
  const behind = encodings.length === 0 ? '' : ` (bytes count behind the ${encodings.join(' and ')})`;
  const closest = closestKind(bytes);
  return closest === undefined
    ? unknown(
        `${name} is nothing known: ${bytes.length} bytes that begin with 0x${(bytes[0] ?? 0).toString(16).padStart(2, '0')} at byte 0${behind}.`,
      )
    : unknown(`${name} looks most like ${KIND_NAMES[closest.kind]}, but is not${behind}. ${closest.error.message}`, closest.error);
}

function unknown(message: string, cause?: unknown): PasskeyError {
  return new PasskeyError('validation_failed', message, { cause });
}
