/** UTC with six fraction digits and `Z`: `2026-01-15T10:30:00.000000Z`. */
export function formatTimestamp(milliseconds: number): string {
  return new Date(milliseconds).toISOString().replace('Z', '000Z');
}
