/**
 * A URL, or undefined where the text is none.
 *
 * Not `URL.canParse`: on Node 20 that answers false for a host such as bücher.example as soon as V8 has optimised its caller, some thousands
 * of calls after the start.
 */
export function parseUrl(text: string): URL | undefined {
  try {
    return new URL(text);
  } catch {
    return undefined;
  }
}
