export type JsonObject = Readonly<Record<string, unknown>>;

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The value if it is an object, otherwise an empty one: for reading members of untrusted JSON. */
export function asObject(value: unknown): JsonObject {
  return isObject(value) ? value : {};
}

/** Levels of objects and arrays beyond which a text is not read: nothing in WebAuthn comes near. */
export const MAX_JSON_LEVELS = 200;

/**
 * Whether the objects and arrays of a JSON value are nested at most `levels` deep. Copying or writing a value recurses as deep as its
 * nesting, and thousands of levels exhaust the stack.
 */
export function isWithinDepth(value: unknown, levels: number): boolean {
  return (
    typeof value !== 'object' || value === null || (levels > 0 && Object.values(value).every((inner) => isWithinDepth(inner, levels - 1)))
  );
}

/** The value of a JSON text; undefined for any other text. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Values in one document, those inside others counted, beyond which it is neither explained nor read from a target. */
export const MAX_JSON_VALUES = 100_000;

/**
 * Parses untrusted JSON.
 *
 * @returns undefined for what is not JSON, is nested too deep, or has more than {@link MAX_JSON_VALUES} values, which keeps 4 MB of text
 * from taking more than 64 MB of memory.
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

/** Counts what begins a value, without parsing: the memory would be taken already. */
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

/** How many values a JSON value comes to with those inside it; stops counting above `most`. It must not be nested too deep: see `isWithinDepth`. */
export function countValues(value: unknown, most: number): number {
  let counted = 0;
  const add = (one: unknown): boolean => {
    counted += 1;
    return counted <= most && (typeof one !== 'object' || one === null || Object.values(one).every(add));
  };
  add(value);
  return counted;
}
