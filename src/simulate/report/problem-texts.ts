import type { FailedStep } from './report.js';

/** Reads the failed step from a problem document; undefined for any other value. */
export function readStep({ number, ...texts }: Readonly<Record<string, unknown>>): FailedStep | undefined {
  const [section, slug, title, expected, received] = ['section', 'slug', 'title', 'expected', 'received'].map((name) => {
    const text = readText(texts[name]);
    return text === undefined ? undefined : shorten(text);
  });
  if (typeof number !== 'number' || section === undefined || slug === undefined || title === undefined) return undefined;
  if (expected === undefined || received === undefined) return undefined;
  return { section, number, slug, title, expected, received };
}

/** Passes a string through, and turns any other value into undefined. */
export function readText(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

const MAX_SHOWN = 300;

/** Shortens text to one line of at most 300 characters. */
export function shorten(text: string): string {
  const line = text.replaceAll(/\s+/g, ' ');
  return line.length > MAX_SHOWN ? `${line.slice(0, MAX_SHOWN)}…` : line;
}
