/** What the caller's terminal says of itself. Tests that look into it set it themselves. */
const OF_A_TERMINAL = ['TERM', 'COLORTERM', 'FORCE_COLOR', 'NO_COLOR', 'CLICOLOR', 'CLICOLOR_FORCE', 'COLUMNS', 'LINES'];
const LOCALE = ['LC_ALL', 'LC_CTYPE', 'LANG'];

/** Gives tests and the processes they start the same environment on every machine: no terminal, UTF-8, and the usual rights of new files. */
export function useOrdinaryEnvironment(): void {
  for (const name of OF_A_TERMINAL) delete process.env[name];
  if (LOCALE.every((name) => !process.env[name])) process.env.LC_ALL = 'C.UTF-8';
  process.umask(0o022);
}
