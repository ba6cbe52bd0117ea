import type { Io } from './io.js';

/** How this command was called, for commands to be copied: below npm, `passkey` alone may be on no path. */
export function ownCommand(io: Io): string {
  return io.env.npm_execpath ? 'npx passkey' : 'passkey';
}

/** A word as POSIX shells and Windows' take it, quoted where need be: backslashes stay as they are between double quotes. */
export function word(value: string): string {
  return /^[\w@.:+-]+$/.test(value) ? value : `"${value}"`;
}
