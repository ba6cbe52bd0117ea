import type { Io } from '../io.js';

/** A line at the bottom of a terminal that is written over again and again. */
export interface ProgressLine {
  show(text: string): void;
  /** Before anything else is written, and at the end. */
  clear(): void;
}

const ERASE_LINE = '\r\u001b[K';

/** On stderr, where that is a terminal; elsewhere nothing is written. */
export function progressLine({ stderr, env }: Io): ProgressLine {
  if (stderr.isTTY !== true || env.TERM === 'dumb') return { show() {}, clear() {} };
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
