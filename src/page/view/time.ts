/** A time of the API in the reader's locale; empty for none. */
export function formatTime(time: string | undefined, timeStyle: 'short' | 'medium' = 'short'): string {
  if (time === undefined) return '';
  const date = new Date(time);
  return Number.isNaN(date.getTime()) ? time : date.toLocaleString(undefined, { dateStyle: 'medium', timeStyle });
}

const CLOCK = new Intl.DateTimeFormat(undefined, { hour: 'numeric', minute: 'numeric', second: 'numeric' });

export function formatClock(time: number): string {
  return CLOCK.format(time);
}

/** `8 ms`, `1.25 s`. */
export function formatDuration(milliseconds: number): string {
  return milliseconds < 1000 ? `${Math.round(milliseconds)} ms` : `${(milliseconds / 1000).toFixed(2)} s`;
}
