/** `2026-01-15 10:30`: UTC, for tables. */
export function shortTime(milliseconds: number): string {
  return new Date(milliseconds).toISOString().slice(0, 16).replace('T', ' ');
}
