import type { StreamChangeType } from '../schemas/stream.js';
import type { Finished } from './ended.js';
import type { Outside } from './outside-port.js';

/** The details of an entry that the list does not show. */
export interface Kept {
  readonly method: string | null;
  readonly path: string | null;
  readonly title: string | null;
  /** Options of a ceremony that has not been answered; without the challenge. */
  readonly options: Readonly<Record<string, unknown>> | null;
  readonly change: { readonly type: StreamChangeType; readonly reason: string | null } | null;
  readonly end: Finished | null;
  readonly outside?: Outside;
}

export const NOTHING_KEPT: Kept = { method: null, path: null, title: null, options: null, change: null, end: null };

/** The parts of an answer that hold a challenge that is still good: the relying party never came to take it. */
export interface Withheld {
  /** Whether its options are kept. */
  readonly options: boolean;
  /** The client data, which may name that or another. */
  readonly response: boolean;
}
