import type { StreamChangeType } from '../schemas/stream.js';
import type { Finished } from './ended.js';
import type { Outside } from './outside-port.js';

/** Details of an entry that the list does not show. */
export interface Kept {
  readonly method: string | null;
  readonly path: string | null;
  readonly title: string | null;
  /** Options of a ceremony without a response so far. The challenge is left out. */
  readonly options: Readonly<Record<string, unknown>> | null;
  readonly change: { readonly type: StreamChangeType; readonly reason: string | null } | null;
  readonly end: Finished | null;
  readonly outside?: Outside;
}

export const NOTHING_KEPT: Kept = { method: null, path: null, title: null, options: null, change: null, end: null };

/** The parts of an entry that contain a challenge which is still valid, because the relying party has not taken it. */
export interface Withheld {
  /** Whether the options contain that challenge. */
  readonly options: boolean;
  /** Whether the client data of the response contains that or another valid challenge. */
  readonly response: boolean;
}
