import type { StreamChangeType } from '../schemas/stream.js';
import type { Finished } from './ended.js';
import type { Outside } from './outside-port.js';

/** Details of a stream entry that are shown only when the entry is opened, not in the list. */
export interface Kept {
  readonly method: string | null;
  readonly path: string | null;
  readonly title: string | null;
  /** Options of a ceremony that has no response yet. The challenge is left out. */
  readonly options: Readonly<Record<string, unknown>> | null;
  readonly change: { readonly type: StreamChangeType; readonly reason: string | null } | null;
  readonly end: Finished | null;
  readonly outside?: Outside;
}

export const NOTHING_KEPT: Kept = { method: null, path: null, title: null, options: null, change: null, end: null };

/** Tells which parts of an entry are withheld because they contain a challenge that is still valid. */
export interface Withheld {
  /** Whether the options are withheld because their challenge is still valid. */
  readonly options: boolean;
  /** Whether the response is withheld because it contains a challenge that is still valid. */
  readonly response: boolean;
}
