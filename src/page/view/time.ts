import type { Waiting } from '../state.js';

/** Formats a time from the API in the reader's locale; empty if there is no time. */
export function formatTime(time: string | undefined, timeStyle: 'short' | 'medium' = 'short'): string {
  if (time === undefined) return '';
  const date = new Date(time);
  return Number.isNaN(date.getTime()) ? time : date.toLocaleString(undefined, { dateStyle: 'medium', timeStyle });
}

const CLOCK = new Intl.DateTimeFormat(undefined, { hour: 'numeric', minute: 'numeric', second: 'numeric' });

export function formatClock(time: number): string {
  return CLOCK.format(time);
}

/** Formats a duration given in milliseconds, such as `8 ms` or `1.25 s`. */
export function formatDuration(milliseconds: number): string {
  return milliseconds < 1000 ? `${Math.round(milliseconds)} ms` : `${(milliseconds / 1000).toFixed(2)} s`;
}

/** Describes whether the tab waits for the server or the browser, and for how long. `now` is in milliseconds since the epoch. */
export function waitingText({ phase, since, until, silent }: Waiting, now: number): { readonly words: string; readonly time: string } {
  const passed = `${seconds(now - since)} s`;
  return { words: WORDS[phase](silent), time: until === undefined ? passed : `${passed}, ${seconds(until - now)} s left` };
}

/**
 * Converts milliseconds to whole seconds. The result is never negative, even if the clock was set back or a browser responds after its time
 * limit.
 */
function seconds(milliseconds: number): number {
  return Math.max(0, Math.round(milliseconds / 1_000));
}

const WORDS: Readonly<Record<Waiting['phase'], (silent: boolean) => string>> = {
  server: () => 'Waiting for the server',
  browser: (silent) =>
    silent
      ? 'Waiting for the browser, which answers only if a password manager has just signed you in here'
      : 'Waiting for you to answer the browser',
};
