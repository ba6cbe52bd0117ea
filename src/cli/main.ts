import { CommanderError } from 'commander';
import { PasskeyError } from '../errors.js';
import { type Io, isClosedPipe, say } from './io.js';
import { printableLines } from './output/printable.js';
import { createProgram } from './program.js';

const INTERNAL = 1;
const OUTPUT_LOST = 1;
const USAGE = 2;

/** Runs one command line (without node and script) and returns its exit code. */
export async function run(argv: readonly string[], io: Io): Promise<number> {
  const { program, outcome } = createProgram(io, argv[0]);
  try {
    await program.parseAsync([...argv], { from: 'user' });
    return outcome.exitCode;
  } catch (error) {
    return report(error, io);
  }
}

function report(error: unknown, io: Io): number {
  // Commander has already written to stderr; its help and version exit 0.
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : USAGE;
  if (error instanceof PasskeyError) {
    say(io, printableLines(`passkey: ${error.message}`));
    return error.exitCode;
  }
  const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
  say(io, printableLines(`passkey: unexpected error; please report it.\n${text}`));
  return INTERNAL;
}

/**
 * Entry of the process: sets `process.exitCode` and lets the process end on its own.
 *
 * @param executable what the executable brings of its own, where this is one.
 */
export async function main(executable: Pick<Io, 'command' | 'importModule'> = {}): Promise<void> {
  let lost = false;
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    // A reader that closed the pipe (`passkey list | head -1`) is not an error; the rest of the output is dropped.
    if (isClosedPipe(error) || lost) return;
    lost = true;
    process.exitCode = OUTPUT_LOST;
    process.stderr.write(`passkey: cannot write the output (${error.code ?? error.message}); it is incomplete.\n`);
  });
  // Without stderr there is nowhere to report to.
  process.stderr.on('error', () => {});
  const exitCode = await run(process.argv.slice(2), {
    stdin: process.stdin,
    stdout: process.stdout,
    stderr: process.stderr,
    env: process.env,
    cwd: process.cwd(),
    signals: process,
    uncaught: process,
    now: Date.now,
    ...executable,
  });
  process.exitCode = exitCode === 0 && lost ? OUTPUT_LOST : exitCode;
}
