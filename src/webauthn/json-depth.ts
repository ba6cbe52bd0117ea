/** Levels of objects and arrays beyond which a text is not read: nothing of WebAuthn comes near. */
export const MAX_JSON_LEVELS = 200;

/**
 * Whether the objects and arrays of a JSON value are nested at most `levels` deep. Whoever copies or writes a value goes down
 * as deep as it is nested, and thousands of levels exhaust the stack.
 */
export function isWithinDepth(value: unknown, levels: number): boolean {
  return (
    typeof value !== 'object' || value === null || (levels > 0 && Object.values(value).every((inner) => isWithinDepth(inner, levels - 1)))
  );
}
