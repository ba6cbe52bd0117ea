import type { Segment } from './structure.js';

/** Part of a segment on one row. */
export interface Run {
  /** Index of the segment. */
  readonly segment: number;
  readonly start: number;
  readonly end: number;
  /** The segment begins, or ends, with it. */
  readonly first: boolean;
  readonly last: boolean;
}

export interface Row {
  readonly offset: number;
  readonly runs: readonly Run[];
}

/** Rows of a hex dump. */
export function rowsOf(segments: readonly Segment[], length: number, columns: number): Row[] {
  const rows: { offset: number; runs: Run[] }[] = [];
  for (let offset = 0; offset < length; offset += columns) rows.push({ offset, runs: [] });
  for (const [index, { start, end }] of segments.entries()) {
    for (let from = start; from < end; ) {
      const to = Math.min(end, from - (from % columns) + columns);
      rows[Math.floor(from / columns)]?.runs.push({ segment: index, start: from, end: to, first: from === start, last: to === end });
      from = to;
    }
  }
  return rows;
}

/** Bytes that are left out until asked for. */
export interface Fold {
  readonly path: string;
  readonly name: string;
  readonly start: number;
  readonly end: number;
}

/** A segment, or the segments of one certificate, of more bytes is folded. */
const LONG = 192;

/** What is long: certificates, keys and signatures of RSA and ML-DSA. */
export function foldsOf(segments: readonly Segment[]): Fold[] {
  const folds = new Map<string, Fold>();
  for (const { path, start, end, frame } of segments) {
    const certificate = /^(.*\/(x5c\[\d+\]))(?:\/|$)/.exec(path);
    if (frame && certificate === null) continue;
    const whole = certificate?.[1] ?? path;
    const name = certificate?.[2] ?? path.slice(path.lastIndexOf('/') + 1);
    const known = folds.get(whole);
    folds.set(whole, { path: whole, name, start: Math.min(known?.start ?? start, start), end: Math.max(known?.end ?? end, end) });
  }
  return [...folds.values()].filter(({ start, end }) => end - start > LONG);
}

/** Rows shown of a fold, at its beginning and its end. */
const HEAD_ROWS = 3;
const TAIL_ROWS = 1;

/** Rows as they are drawn: those inside of a closed fold are one. */
export function folded(rows: readonly Row[], folds: readonly Fold[], columns: number, open: ReadonlySet<string>): (Row | Fold)[] {
  const closed = folds.filter(({ path }) => !open.has(path));
  const drawn: (Row | Fold)[] = [];
  for (const row of rows) {
    const fold = closed.find(
      ({ start, end }) =>
        row.offset >= (Math.floor(start / columns) + HEAD_ROWS) * columns && row.offset < (Math.ceil(end / columns) - TAIL_ROWS) * columns,
    );
    const entry = fold ?? row;
    if (drawn.at(-1) !== entry) drawn.push(entry);
  }
  return drawn;
}
