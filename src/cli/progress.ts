import { grouped } from '../kernel/wording.js';
import { inWords } from './config/values.js';
import { type Io, say } from './io.js';

interface Moved {
  readonly done: number;
  readonly total: number;
}

/** Shows the progress of long work: the number of rows, per cent, rows per second, and the remaining time. */
interface Progress {
  show(doing: string, moved: Moved): void;
  clear(): void;
}

const CELLS = 20;

/**
 * Creates a display of progress on stderr. On a terminal, it rewrites a single line.
 *
 * @param plain whether to write a line after every tenth of the work if stderr is not a terminal. Default: false.
 */
export function showProgress(io: Io, { plain = false }: { readonly plain?: boolean } = {}): Progress {
  const line: ProgressLine = progressLine(io);
  const rewrites = io.stderr.isTTY === true;
  let step = { doing: '', began: 0, tenth: 0 };
  return {
    show(doing, moved) {
      if (step.doing !== doing) step = { doing, began: io.now(), tenth: 0 };
      if (rewrites) return line.show(`${doing} ${drawBar(moved)} ${progressText(moved, io.now() - step.began)}`);
      const tenth = Math.floor((10 * moved.done) / Math.max(1, moved.total));
      if (!plain || tenth <= step.tenth) return;
      step.tenth = tenth;
      say(io, `${doing}: ${countInWords(moved)}`);
    },
    clear: () => line.clear(),
  };
}

function drawBar({ done, total }: Moved): string {
  const cells = Math.floor((CELLS * done) / Math.max(1, total));
  return `[${'#'.repeat(cells)}${'.'.repeat(CELLS - cells)}]`;
}

/** Formats the progress as text. @param elapsed milliseconds since the work started. */
function progressText(moved: Moved, elapsed: number): string {
  const { done, total } = moved;
  if (elapsed < 1000 || done === 0) return countInWords(moved);
  const rate = (1000 * done) / elapsed;
  const left = Math.ceil((total - done) / rate);
  const time = left < 120 ? left * 1000 : Math.ceil(left / 60) * 60_000;
  return `${countInWords(moved)}, ${grouped(Math.round(rate))} rows/s${done < total ? `, ${inWords(time)} left` : ''}`;
}

function countInWords({ done, total }: Moved): string {
  return `${grouped(done)} of ${grouped(total)} rows, ${Math.floor((100 * done) / Math.max(1, total))} %`;
}

/** A line at the bottom of the terminal that is rewritten in place. */
interface ProgressLine {
  show(text: string): void;
  /** Removes the line. Call this before writing anything else, and at the end of the work. */
  clear(): void;
}

const ERASE_LINE = '\r\u001b[K';

/** Makes a progress line on stderr. If stderr is not a terminal, the line is never written. */
export function progressLine({ stderr, env, quiet }: Io): ProgressLine {
  if (quiet === true || stderr.isTTY !== true || env.TERM === 'dumb') return { show() {}, clear() {} };
  let shown = false;
  return {
    show(text) {
      stderr.write(`${ERASE_LINE}${text}`);
      shown = true;
    },
    clear() {
      if (shown) stderr.write(ERASE_LINE);
      shown = false;
    },
  };
}
