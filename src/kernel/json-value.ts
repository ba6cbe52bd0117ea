export type JsonObject = Readonly<Record<string, unknown>>;

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Converts a value that is not an object to an empty object, and returns an object unchanged. Use it to read members of untrusted JSON. */
export function asObject(value: unknown): JsonObject {
  return isObject(value) ? value : {};
}

/** Deepest nesting of objects and arrays that is accepted. WebAuthn data never comes close. */
export const MAX_JSON_LEVELS = 200;

/**
 * Checks whether the objects and arrays in a JSON value are nested at most `levels` deep. Copying or writing a value is recursive, so
 * thousands of levels would exhaust the stack.
 */
export function isWithinDepth(value: unknown, levels: number): boolean {
  return (
    typeof value !== 'object' || value === null || (levels > 0 && Object.values(value).every((inner) => isWithinDepth(inner, levels - 1)))
  );
}

/** Parses JSON. Returns undefined if `text` is not JSON. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Maximum number of values, including nested ones, in a JSON document that is explained or read from a target. */
export const MAX_JSON_VALUES = 100_000;

/**
 * Parses untrusted JSON.
 *
 * @returns undefined if `text` is not JSON, is nested too deep, or has more than {@link MAX_JSON_VALUES} values. This limit keeps 4 MB of
 * JSON from using more than 64 MB of memory.
 */
export function parseUntrustedJson(text: string): unknown {
  if (hasTooManyValues(text)) return undefined;
  try {
    const value: unknown = JSON.parse(text);
    return isWithinDepth(value, MAX_JSON_LEVELS) ? value : undefined;
  } catch {
    return undefined;
  }
}

/**
 * Checks whether JSON has too many values, by counting the characters that begin a value. It does not parse the JSON, because parsing would
 * already use the memory.
 */
function hasTooManyValues(text: string): boolean {
  let values = 0;
  let isText = false;
  for (let at = 0; at < text.length && values <= MAX_JSON_VALUES; at += 1) {
    const character = text[at];
    if (character === '"') isText = !isText;
    else if (isText && character === '\\') at += 1;
    else if (!isText && (character === '[' || character === '{' || character === ',')) values += 1;
  }
  return values > MAX_JSON_VALUES;
}

/**
 * Counts the values in a JSON value, including nested ones. Stops counting when there are more than `most`. Check the nesting first with
 * `isWithinDepth`.
 */
export function countValues(value: unknown, most: number): number {
  let counted = 0;
  const add = (one: unknown): boolean => {
    counted += 1;
    return counted <= most && (typeof one !== 'object' || one === null || Object.values(one).every(add));
  };
  add(value);
  return counted;
}
