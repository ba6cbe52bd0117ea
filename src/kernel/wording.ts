/** How numbers and times are written for people and in the API. Times are milliseconds since 1970, and always written in UTC. */

/** `1 byte`, `2 bytes`, `1 more byte`. */
export function count(number: number | bigint, noun: string): string {
  return `${number} ${noun}${BigInt(number) === 1n ? '' : 's'}`;
}

/** Like {@link count}, for things in a store, which may be very many: `100,000 passkeys`. */
export function groupedCount(number: number, noun: string): string {
  return count(number, noun).replace(/^\d+/, grouped);
}

/** `100,000` */
export function grouped(number: number | string): string {
  return String(number).replace(/\B(?=(?:\d{3})+$)/g, ',');
}

/** The flag of a name: `failOn` → `--fail-on`. */
export const spellFlag = (name: string): string => `--${name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;

/** Begins the detail of `options_refused`. Name and message of the DOMException follow: `InvalidStateError: …`. */
export const WOULD_REFUSE_WITH = 'A browser would refuse these options with ';

/** A sentence as part of a longer one: without its full stop. */
export function clause(sentence: string): string {
  return sentence.replace(/(?<!\.)\.$/, '');
}

/** RFC 3339 with six fraction digits, as the API and the store have it: `2026-01-15T10:30:00.000000Z`. */
export function formatTimestamp(milliseconds: number): string {
  const micros = Math.round(milliseconds * 1000);
  const whole = Math.floor(micros / 1000);
  return `${new Date(whole).toISOString().slice(0, -1)}${String(micros - whole * 1000).padStart(3, '0')}Z`;
}

/** Like {@link formatTimestamp}; null for no time. */
export function timestampOrNull(milliseconds: number | undefined): string | null {
  return milliseconds === undefined ? null : formatTimestamp(milliseconds);
}

/** To the minute, for tables in a terminal: `2026-01-15 10:30`. */
export function formatMinute(milliseconds: number): string {
  return new Date(milliseconds).toISOString().slice(0, 16).replace('T', ' ');
}

/** To the second, as in certificates: `2026-01-15T10:30:00Z`. Fractions are shown if there are any. */
export function formatSecond(milliseconds: number): string {
  return new Date(milliseconds).toISOString().replace('.000Z', 'Z');
}

/**
 * Whether Windows treats a file of this name as a device, with any extension: `aux.json`.
 * https://learn.microsoft.com/windows/win32/fileio/naming-a-file
 */
export function isDeviceName(name: string): boolean {
  return /^(?:con|prn|aux|nul|conin\$|conout\$|(?:com|lpt)[0-9¹²³]) *(?:\.|$)/i.test(name);
}

/** To the second, with only the characters that file names may have (ISO 8601, basic format): `20260115T103000Z`. */
export function formatForFileName(milliseconds: number): string {
  return `${new Date(milliseconds).toISOString().replaceAll(/[-:]|\.\d+Z/g, '')}Z`;
}
