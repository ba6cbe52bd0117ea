import { encodeUtf8 } from '../kernel/bytes.js';
import { findJsonError, memberOffsets } from '../kernel/json-offsets.js';
import { isObject, type JsonObject } from '../kernel/json-value.js';
import { malformed } from './decoding-error.js';

/** CollectedClientData (WebAuthn L3 §5.8.1) as decoded by the relying party. */
export interface ClientData {
  /**
   * `webauthn.create` or `webauthn.get` in valid client data. Absent if the member is missing or not a string; a later step rejects that
   * (§7.1 step 7).
   */
  readonly type?: string;
  /** Challenge as received, which is base64url in valid client data. */
  readonly challenge: string;
  readonly origin: string;
  readonly crossOrigin?: boolean;
  readonly topOrigin?: string;
  /** The former member `tokenBinding`, kept as received. WebAuthn Level 3 only reserves its name. */
  readonly tokenBinding?: unknown;
  /** The whole JSON object, including unknown members. */
  readonly raw: JsonObject;
}

/** Input of `encodeClientData`. */
export interface ClientDataInput {
  readonly type: string;
  readonly challenge: string;
  readonly origin: string;
  readonly crossOrigin?: boolean | undefined;
  readonly topOrigin?: string | undefined;
  /** Further members, written in this order after the members above. Ignores names that are properties of this type. */
  readonly extra?: JsonObject | undefined;
}

const CODE = 'client_data_malformed';
const SUBJECT = 'The client data';

/**
 * Reads `clientDataJSON`. First applies "UTF-8 decode" (WebAuthn L3 §7.1 step 5), which strips a byte order mark and turns invalid bytes
 * into U+FFFD, then parses the result as JSON. Keeps unknown members in `raw`.
 *
 * @throws PasskeyError `client_data_malformed` naming the first wrong byte, or the byte where a member of the wrong type starts.
 */
export function decodeClientData(bytes: Uint8Array): ClientData {
  const raw = parseObject(bytes);
  const wrong = (name: string, expected: string) => {
    const got = !Object.hasOwn(raw, name)
      ? 'none'
      : raw[name] === null
        ? 'null'
        : Array.isArray(raw[name])
          ? 'an array'
          : `a value of type ${typeof raw[name]}`;
    return malformed(CODE, SUBJECT, memberOffsets(bytes).get(name) ?? 0, `expected "${name}" to be ${expected}, got ${got}`);
  };
  const text = (name: string): string => {
    const value = own(raw, name);
    if (typeof value !== 'string') {
      throw wrong(name, 'a string');
    }
    return value;
  };
  const type = own(raw, 'type');
  const crossOrigin = own(raw, 'crossOrigin');
  if (crossOrigin !== undefined && typeof crossOrigin !== 'boolean') {
    throw wrong('crossOrigin', 'a boolean or absent');
  }
  return {
    ...(typeof type === 'string' && { type }),
    challenge: text('challenge'),
    origin: text('origin'),
    ...(crossOrigin !== undefined && { crossOrigin }),
    ...(Object.hasOwn(raw, 'topOrigin') && { topOrigin: text('topOrigin') }),
    ...(Object.hasOwn(raw, 'tokenBinding') && { tokenBinding: raw['tokenBinding'] }),
    raw,
  };
}

function own(object: JsonObject, name: string): unknown {
  return Object.hasOwn(object, name) ? object[name] : undefined;
}

function parseObject(bytes: Uint8Array): JsonObject {
  let value: unknown;
  try {
    value = JSON.parse(new TextDecoder().decode(bytes));
  } catch (cause) {
    const { offset, expected, received } = findJsonError(bytes) ?? { offset: 0, expected: 'JSON', received: 'something else' };
    throw malformed(CODE, SUBJECT, offset, `expected ${expected}, got ${received}`, cause);
  }
  if (!isObject(value)) {
    throw malformed(
      CODE,
      SUBJECT,
      0,
      `expected a JSON object, got ${value === null ? 'null' : Array.isArray(value) ? 'an array' : `a ${typeof value}`}`,
    );
  }
  return value;
}

/**
 * Serializes client data exactly as the standard requires (WebAuthn L3 §5.8.1.1), so that verifiers with the limited algorithm of §5.8.1.2
 * accept it too. Always writes `crossOrigin`, and `topOrigin` if given.
 */
export function encodeClientData({ type, challenge, origin, crossOrigin, topOrigin, extra }: ClientDataInput): Uint8Array {
  const known = ['type', 'challenge', 'origin', 'crossOrigin', 'topOrigin'];
  const rest = Object.entries(extra ?? {}).filter(([name, value]) => !known.includes(name) && value !== undefined);
  const members = [
    `"type":${ccdToString(type)}`,
    `"challenge":${ccdToString(challenge)}`,
    `"origin":${ccdToString(origin)}`,
    `"crossOrigin":${crossOrigin === true}`,
    ...(topOrigin === undefined ? [] : [`"topOrigin":${ccdToString(topOrigin)}`]),
    ...rest.map(([name, value]) => `${JSON.stringify(name)}:${JSON.stringify(value)}`),
  ];
  return encodeUtf8(`{${members.join(',')}}`);
}

/**
 * Writes a JSON string as the standard's CCDToString does. Unlike JSON.stringify, uses short escapes only for the quote and the backslash.
 */
function ccdToString(text: string): string {
  // Where JSON escapes nothing, CCDToString escapes nothing either.
  const plain = JSON.stringify(text);
  if (plain.length === text.length + 2) return plain;
  let result = '"';
  for (const character of text) {
    if (character === '"' || character === '\\') {
      result += `\\${character}`;
    } else if (character < ' ') {
      result += `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
    } else {
      result += character;
    }
  }
  return `${result}"`;
}
