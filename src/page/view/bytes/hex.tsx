import type { ComponentChildren, JSX, RefObject } from 'preact';
import { useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';
import { count } from '../../../kernel/wording.js';
import { groundStyle } from '../monogram.js';
import { type Fold, isWithin, layOutRows, type Row, type Run, type Segment, type Structure } from './structure.js';
import type { Light } from './tree.js';
import { moved, shortValue } from './tree.js';

interface HexProps {
  readonly structure: Structure;
  readonly segments: readonly Segment[];
  readonly failed: ReadonlySet<string>;
  /** Offset of the byte at which decoding failed. */
  readonly malformed: number | undefined;
  readonly light: Light;
}

/** Hex dump in coloured segments. The whole dump is one stop of the Tab key; the arrow keys move between the segments. */
export function Hex({ structure, segments, failed, malformed, light }: HexProps): JSX.Element {
  const { bytes, title, text } = structure;
  const box = useRef<HTMLDivElement>(null);
  const columns = useColumns(box, text ? WIDE_WITH_TEXT : WIDE);
  const [open, setOpen] = useState<ReadonlySet<string>>(new Set());
  const rows = useMemo(() => layOutRows(segments, { length: bytes.length, columns, open }), [segments, bytes, columns, open]);
  const isFailed = (segment: Segment) => [...failed].some((path) => isWithin(segment, path));
  const [current, setCurrent] = useState(() => segments.findIndex((segment) => !segment.frame && isFailed(segment)));
  const focusNext = useRef(false);
  const focused = useRef<HTMLSpanElement>(null);
  useLayoutEffect(() => {
    if (focusNext.current) focused.current?.focus();
    focusNext.current = false;
  }, [current]);

  // A segment is reached where it begins, unless it only holds others together. Those that begin inside a fold are not on the page.
  const isStop = ({ first, segment }: Run) => first && segments[segment]?.frame === false;
  const reached = rows.flatMap((row) => ('runs' in row ? row.runs.filter(isStop).map(({ segment }) => segment) : []));
  const stop = reached.includes(current) ? current : reached[0];
  const press = (event: KeyboardEvent) => {
    const key = event.key === 'ArrowRight' ? 'ArrowDown' : event.key === 'ArrowLeft' ? 'ArrowUp' : event.key;
    const to = moved(key, reached.indexOf(stop ?? 0), reached.length);
    if (to === undefined) return;
    event.preventDefault();
    focusNext.current = true;
    setCurrent(reached[to] ?? 0);
  };
  const drawRun = (run: Run) => {
    const segment = segments[run.segment];
    if (segment === undefined) return null;
    const { path, tone, frame } = segment;
    const bad = isFailed(segment);
    const classes = ['run', frame ? 'muted' : 'ground', run.first && 'first', run.last && 'last', bad && 'failed'];
    const lit = isWithin(segment, light.lit);
    const drawn = { class: [...classes, lit && 'lit'].filter(Boolean).join(' '), style: groundStyle(tone) };
    const common = { ...drawn, onMouseEnter: () => light.hover(path) };
    const digits = drawDigits(bytes, run, malformed);
    return isStop(run) ? (
      <span
        key={run.start}
        {...common}
        {...(run.segment === stop && { ref: focused })}
        role="option"
        aria-selected={lit}
        tabIndex={run.segment === stop ? 0 : -1}
        onFocus={() => {
          setCurrent(run.segment);
          light.focus(path);
        }}
        onBlur={() => light.focus(undefined)}
        onKeyDown={press}
      >
        <span class="unseen">{`${describeSegment(segment)}${bad ? ', checked by the failed step' : ''}`}</span>
        <span aria-hidden="true">{digits}</span>
      </span>
    ) : (
      <span key={run.start} {...common} aria-hidden="true">
        {digits}
      </span>
    );
  };
  return (
    <div class="hex-box" ref={box}>
      <div
        class="hex mono"
        role="listbox"
        aria-label={`${title}, ${count(bytes.length, 'byte')}. Arrow keys go from field to field.`}
        data-columns={columns}
        onMouseLeave={() => light.hover(undefined)}
      >
        {rows
          .filter((row): row is Row => 'runs' in row)
          .map((row, index, all) => (
            <div key={row.offset} class={isGap(all[index - 1], row, columns) ? 'hex-row after-gap' : 'hex-row'} role="presentation">
              <span class="offset muted" aria-hidden="true">
                {row.offset.toString(16).padStart(4, '0')}
              </span>
              <span class="digits" role="presentation">
                {row.runs.map(drawRun)}
              </span>
              {text && (
                <span class="ascii" aria-hidden="true">
                  {row.runs.map((run) => (
                    <span key={run.start} class={segments[run.segment]?.frame === true ? 'muted' : ''}>
                      {toAscii(bytes.subarray(run.start, run.end))}
                    </span>
                  ))}
                </span>
              )}
            </div>
          ))}
      </div>
      {rows
        .filter((row): row is Fold => 'path' in row)
        .map((fold) => (
          <button key={fold.path} type="button" class="quiet unfold" onClick={() => setOpen(new Set([...open, fold.path]))}>
            Show all {fold.end - fold.start} bytes of {fold.name}
          </button>
        ))}
    </div>
  );
}

function drawDigits(bytes: Uint8Array, { start, end }: Run, malformed: number | undefined): ComponentChildren {
  const digits = (from: number, to: number) => Array.from(bytes.subarray(from, to), (byte) => byte.toString(16).padStart(2, '0')).join(' ');
  if (malformed === undefined || malformed < start || malformed >= end) return digits(start, end);
  return (
    <>
      {digits(start, malformed)} <mark title={`malformed at byte ${malformed}`}>{digits(malformed, malformed + 1)}</mark>{' '}
      {digits(malformed + 1, end)}
    </>
  );
}

function isGap(before: Row | undefined, row: Row, columns: number): boolean {
  return before !== undefined && row.offset - before.offset > columns;
}

function describeSegment({ path, field, start, end }: Segment): string {
  const name = path.slice(path.indexOf('/') + 1);
  const value = shortValue(field) ?? '';
  return `${name}, ${count(end - start, 'byte')} from ${start}${value === '' ? '' : `: ${value}`}`;
}

function toAscii(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => (byte >= 0x20 && byte < 0x7f ? String.fromCharCode(byte) : '·')).join('');
}

/** Width in pixels from which a row has room for 16 bytes and their characters. */
const WIDE = 540;
const WIDE_WITH_TEXT = 640;

/** Chooses the number of bytes per row for the width that the hex dump and the tree share. */
function useColumns(box: RefObject<HTMLDivElement | null>, wide: number): number {
  const [columns, setColumns] = useState(16);
  useLayoutEffect(() => {
    const element = box.current?.parentElement ?? null;
    if (element === null) return undefined;
    const measure = () => setColumns(element.clientWidth >= wide ? 16 : 8);
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(element);
    return () => observer.disconnect();
  }, [box, wide]);
  return columns;
}
