import { type EndLine, type HeadLine, STORE_VERSION, toLine } from '../log-lines.js';
import type { Store } from '../store.js';
import { noRows, type RowCounts, sumCounts } from '../transfer-port.js';
import { LinesDigest, rowLine } from './format.js';

export interface Moved {
  /** Number of rows exported so far. */
  readonly done: number;
  readonly total: number;
}

export interface ExportOptions {
  readonly onProgress?: ((moved: Moved) => void) | undefined;
  /** Called at the end of the export with the numbers of rows. */
  readonly onDone?: ((counts: RowCounts) => void) | undefined;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Exports the contents of a store at one moment, as the lines of a file that can be opened as a store: a head, the rows, and an end mark.
 * The lines have no line feeds. Tokens and sessions appear as the SHA-256 sums that the store keeps. In addition to the store, the export
 * needs memory for only a few hundred rows.
 *
 * @throws PasskeyError if reading the store fails; the abort reason of `signal` if it is aborted.
 */
export async function* exportLines(
  store: Pick<Store, 'transfer'>,
  { onProgress, onDone, signal }: ExportOptions = {},
): AsyncGenerator<string> {
  const picture = await store.transfer.picture();
  try {
    const digest = new LinesDigest();
    const rows = noRows();
    const total = sumCounts(picture.counts);
    const head: HeadLine = {
      passkey_store: STORE_VERSION,
      next_passkey_id: picture.next.passkey,
      next_access_id: picture.next.access,
      rows: total,
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
    yield toLine({ end: { sha256: digest.hex() } } satisfies EndLine);
  } finally {
    await picture.close();
  }
}

/** Number of characters to write at a time. */
const PIECE = 64 * 1024;

/** Joins lines to the text of a file, in pieces of limited size. */
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
