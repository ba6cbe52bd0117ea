import { formatTimestamp } from '../../kernel/wording.js';
import type { Store } from '../store.js';
import { noRows, type RowCounts, sumCounts } from '../transfer-port.js';
import { EXPORT_VERSION, type ExportEnd, type ExportHead, LinesDigest, rowLine, toLine } from './format.js';

export interface Moved {
  /** Rows so far. */
  readonly done: number;
  readonly total: number;
}

export interface ExportOptions {
  /** Milliseconds since the epoch. */
  readonly now: number;
  /** Name and version of the program. */
  readonly by: string;
  readonly onProgress?: ((moved: Moved) => void) | undefined;
  /** Called at the end. */
  readonly onDone?: ((counts: RowCounts) => void) | undefined;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Everything in a store at one moment, as lines of JSON without line feeds: a head, the rows, and an end mark. Tokens and sessions are in
 * it as the SHA-256 sums that the store keeps. Takes the memory of a few hundred rows, in addition to that of the store.
 *
 * @throws PasskeyError as the reads of the store · the reason of `signal`.
 */
export async function* exportLines(store: Store, { now, by, onProgress, onDone, signal }: ExportOptions): AsyncGenerator<string> {
  const picture = await store.transfer.picture();
  try {
    const digest = new LinesDigest();
    const rows = noRows();
    const total = sumCounts(picture.counts);
    const head: ExportHead = {
      passkey_export: EXPORT_VERSION,
      exported_at: formatTimestamp(now),
      by,
      next_passkey_id: picture.next.passkey,
      next_access_id: picture.next.access,
      rows: { ...picture.counts },
    };
    const first = toLine(head);
    digest.add(first);
    yield first;
    for await (const batch of picture.rows()) {
      signal?.throwIfAborted();
      for (const row of batch) {
        const line = rowLine(row);
        digest.add(line);
        rows[row.kind] += 1;
        yield line;
      }
      onProgress?.({ done: sumCounts(rows), total });
    }
    onDone?.(rows);
    yield toLine({ end: { rows, sha256: digest.hex() } } satisfies ExportEnd);
  } finally {
    await picture.close();
  }
}

/** Characters that are written at once. */
const PIECE = 64 * 1024;

/** Lines as the text of a file, in pieces. */
export async function* inPieces(lines: AsyncIterable<string>): AsyncGenerator<string> {
  let piece = '';
  for await (const line of lines) {
    piece += `${line}\n`;
    if (piece.length < PIECE) continue;
    yield piece;
    piece = '';
  }
  if (piece !== '') yield piece;
}
