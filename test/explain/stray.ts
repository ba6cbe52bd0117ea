/** Where two sentences were joined with the full stop of the first left in. An ellipsis is no such joint, nor is a path. */
export const STRAY = /(?<![./])\.[.:;,](?![./])|\. \.(?![./\w])|: ?: /;

/** Every text in a JSON value. */
export const texts = (value: unknown): string[] =>
  typeof value === 'string' ? [value] : typeof value === 'object' && value !== null ? Object.values(value).flatMap(texts) : [];
