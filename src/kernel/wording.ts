/** Formats numbers and times for people and for the API. The input times are milliseconds since the epoch; the output is always in UTC. */

/** Formats a number with its noun: `1 byte`, `2 bytes`, `1 more byte`. */
export function count(number: number | bigint, noun: string): string {
  return `${number} ${noun}${BigInt(number) === 1n ? '' : 's'}`;
}

/** Formats a number with its noun, and puts commas in a large number: `100,000 passkeys`. */
export function groupedCount(number: number, noun: string): string {
  return count(number, noun).replace(/^\d+/, grouped);
}

/** Formats a number with commas: `100,000`. */
export function grouped(number: number | string): string {
  return String(number).replace(/\B(?=(?:\d{3})+$)/g, ',');
}

/** Converts the name of an option to the flag on the command line: `failOn` → `--fail-on`. */
export const spellFlag = (name: string): string => `--${name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;

/** Start of the detail in an `options_refused` error. The name and message of the DOMException follow, as in `InvalidStateError: …`. */
export const WOULD_REFUSE_WITH = 'A browser would refuse these options with ';

/** Removes the full stop at the end of a sentence, so that the sentence can be part of a longer one. */
export function clause(sentence: string): string {
  return sentence.replace(/(?<!\.)\.$/, '');
}

/** Formats a time in RFC 3339 with six fraction digits, as in the API and the store: `2026-01-15T10:30:00.000000Z`. */
export function formatTimestamp(milliseconds: number): string {
  const micros = Math.round(milliseconds * 1000);
  const whole = Math.floor(micros / 1000);
  return `${new Date(whole).toISOString().slice(0, -1)}${String(micros - whole * 1000).padStart(3, '0')}Z`;
}

/** Formats a time like {@link formatTimestamp}. Returns null for undefined. */
export function timestampOrNull(milliseconds: number | undefined): string | null {
  return milliseconds === undefined ? null : formatTimestamp(milliseconds);
}

/** Formats a time to the minute, for tables on a terminal: `2026-01-15 10:30`. */
export function formatMinute(milliseconds: number): string {
  return new Date(milliseconds).toISOString().slice(0, 16).replace('T', ' ');
}

/** Formats a time to the second, as in certificates: `2026-01-15T10:30:00Z`. Also shows fractions of a second if there are any. */
export function formatSecond(milliseconds: number): string {
  return new Date(milliseconds).toISOString().replace('.000Z', 'Z');
}

/**
 * Checks whether Windows treats a file of this name as a device, such as `aux.json`. Windows ignores the file extension in this check.
 * https://learn.microsoft.com/windows/win32/fileio/naming-a-file
 */
export function isDeviceName(name: string): boolean {
  return /^(?:con|prn|aux|nul|conin\$|conout\$|(?:com|lpt)[0-9¹²³]) *(?:\.|$)/i.test(name);
}

/** Formats a time to the second for a file name (ISO 8601, basic format): `20260115T103000Z`. */
export function formatForFileName(milliseconds: number): string {
  return `${new Date(milliseconds).toISOString().replaceAll(/[-:]|\.\d+Z/g, '')}Z`;
}
