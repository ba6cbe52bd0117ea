export type JsonObject = Readonly<Record<string, unknown>>;

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The value if it is an object, else an empty one: for reading members of untrusted JSON. */
export function objectOf(value: unknown): JsonObject {
  return isObject(value) ? value : {};
}

/** Levels of objects and arrays beyond which a text is not read: nothing in WebAuthn comes near. */
export const MAX_JSON_LEVELS = 200;

/**
 * Whether the objects and arrays of a JSON value are nested at most `levels` deep. Copying or writing a value recurses as deep as
 * it is nested, and thousands of levels exhaust the stack.
 */
export function isWithinDepth(value: unknown, levels: number): boolean {
  return (
    typeof value !== 'object' || value === null || (levels > 0 && Object.values(value).every((inner) => isWithinDepth(inner, levels - 1)))
  );
}

/** Values in one document, those inside others counted, beyond which it is not explained: each makes a line. */
export const MAX_JSON_VALUES = 100_000;

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
