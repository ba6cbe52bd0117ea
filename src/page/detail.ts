import type { StreamDetail } from '../server/schemas/stream.js';

/** An entry of the stream in full, as far as the server has answered. */
export type Detail =
  | { readonly status: 'loading' }
  | { readonly status: 'loaded'; readonly detail: StreamDetail }
  | { readonly status: 'failed'; readonly why: string };
