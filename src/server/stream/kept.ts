import type { Kept } from './kept-schema.js';

/** Characters of a line of the file: reading a longer one would keep the server from its other work. */
export const LONGEST_LINE = 512 * 1024;

export const NOTHING_KEPT: Kept = { method: null, path: null, title: null, options: null, change: null, end: null };

/** What of an answer holds a challenge that is still good: the relying party never came to take it. */
export interface Withheld {
  /** That of the options. */
  readonly options: boolean;
  /** The client data, which may name that or another. */
  readonly response: boolean;
}

/** Without challenges that are still good: neither where they were sent nor where they came back. */
export function withoutOpen(kept: Kept, { options, response }: Withheld): Kept {
  const { end } = kept;
  if (end === null) return kept;
  const ceremony = options ? end.ceremony && { ...end.ceremony, challenge: null } : end.ceremony;
  return { ...kept, end: { ...end, ceremony, ...(response && { response: null }) } };
}
