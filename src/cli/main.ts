import { PasskeyError } from '../errors.js';
import { type Io, isClosedPipe, type Output, warn } from './io.js';
import { plainOutput } from './output/plain.js';
import { printableLines } from './output/printable.js';
import { findReportAddress, version } from './package.js';
import { runProgram } from './program.js';

const INTERNAL = 1;
const CONFIGURATION = 2;
const OUTPUT_LOST = 1;

/** Runs one command line and returns its exit code. @param argv the arguments, without the paths of Node and the script. */
export async function run(argv: readonly string[], io: Io): Promise<number> {
  try {
    return await runProgram(argv, io);
  } catch (error) {
    return report(error, io);
  }
}

function report(error: unknown, io: Io): number {
  if (error instanceof PasskeyError) {
    warn(io, printableLines(`passkey: ${error.message}`));
    return error.exitCode;
  }
  if (error instanceof Error && 'code' in error && error.code === 'EMFILE') {
    warn(io, 'passkey: too many files are open. Allow more, such as with `ulimit -n 256`.');
    return CONFIGURATION;
  }
  const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
  const address = findReportAddress();
  const where = address === undefined ? 'please report it' : `please report it at ${address}`;
  warn(io, printableLines(`passkey: unexpected error; ${where}, with this:\n${system()}\n${text}`));
  return INTERNAL;
}

/** Describes version and platform for a bug report. The description follows the stack trace. */
const system = (): string => `passkey ${version()}, Node.js ${process.versions.node}, ${process.platform} ${process.arch}`;

/** Returns the working directory. @throws PasskeyError `usage` if the working directory was removed. */
function workingDirectory(): string {
  try {
    return process.cwd();
  } catch (cause) {
    throw new PasskeyError('usage', 'The working directory no longer exists. Change to another one.', { cause });
  }
}

/**
 * Runs the command line of this process. Sets `process.exitCode`, and lets the process end by itself.
 *
 * @param starter.command see {@link Io.command}.
 */
export async function main(starter: Pick<Io, 'command'> = {}): Promise<void> {
  let lost = false;
  let stdout: Output | undefined;
  const openStdout = (): Output => {
    stdout ??= process.stdout.on('error', (error: NodeJS.ErrnoException) => {
      // A reader that closed the pipe (`passkey list | head -1`) is not an error; the rest of the output is dropped.
      if (isClosedPipe(error) || lost) return;
      lost = true;
      process.exitCode = OUTPUT_LOST;
      process.stderr.write(`passkey: cannot write the output (${error.code ?? error.message}); it is incomplete.\n`);
    });
    return stdout;
  };
  let stderr: Output | undefined;
  let exits = false;
  const exitCode = await run(process.argv.slice(2), {
    // Node takes a while to open each of these, and most commands use only one.
    get stdin() {
      return process.stdin;
    },
    get stdout() {
      return openStdout();
    },
    plain: plainOutput({ opened: () => stdout, open: openStdout }),
    get stderr() {
      // Without it there is nowhere to report to.
      stderr ??= process.stderr.on('error', () => {});
      return stderr;
    },
    env: process.env,
    get cwd() {
      return workingDirectory();
    },
    signals: process,
    uncaught: process,
    now: Date.now,
    script: starter.command === undefined ? process.argv[1] : undefined,
    exitWhenDone() {
      exits = true;
    },
    ...starter,
  });
  process.exitCode = exitCode === 0 && lost ? OUTPUT_LOST : exitCode;
  if (!exits) return;
  for (const output of [stdout, stderr]) {
    if (output !== undefined) await new Promise((resolve) => output.write('', resolve));
  }
  process.exit();
}
