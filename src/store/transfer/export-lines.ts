import { type EndLine, type HeadLine, STORE_VERSION, toLine } from '../log-lines.js';
import type { Store } from '../store.js';
import { noRows, type RowCounts, sumCounts } from '../transfer-port.js';
import { LinesDigest, rowLine } from './format.js';

export interface Moved {
  /** Rows so far. */
  readonly done: number;
  readonly total: number;
}

export interface ExportOptions {
  readonly onProgress?: ((moved: Moved) => void) | undefined;
  /** Called at the end. */
  readonly onDone?: ((counts: RowCounts) => void) | undefined;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Everything in a store at one moment, as the lines of a file that opens as a store, without line feeds: a head, the rows, and an end mark. Tokens and sessions are in
 * it as the SHA-256 sums that the store keeps. Takes the memory of a few hundred rows, in addition to that of the store.
 *
 * @throws PasskeyError as the reads of the store · the reason of `signal`.
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
