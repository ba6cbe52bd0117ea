import { type ChildProcess, type StdioOptions, spawn } from 'node:child_process';
import { constants } from 'node:os';
import { systemErrorCode } from '../../store/file-system.js';
import { type ExecSignal, type Input, type Io, type Output, warn } from '../io.js';
import { printable } from '../output/printable.js';
import { isOnTerminal, type SignalForwarding } from './signals.js';
import { windowsStart } from './windows.js';

/**
 * Exit codes that POSIX shells use for a command that cannot be run or that a signal ended:
 * https://pubs.opengroup.org/onlinepubs/9799919799/utilities/V3_chap02.html#tag_19_08_02
 */
const NOT_FOUND = 127;
const NOT_EXECUTABLE = 126;
const SIGNALLED = 128;

interface CommandToRun {
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly passer: SignalForwarding;
}

/** Calculates the exit code that a shell reports for a process that this signal ended. */
export const exitCodeAfter = (signal: NodeJS.Signals): number => SIGNALLED + constants.signals[signal];

/**
 * Runs a command that shares our input and output, and forwards signals to it.
 *
 * On a terminal, the command stays in our process group. The terminal itself sends SIGINT and SIGQUIT to both processes, so we do not
 * forward these two. Without a terminal, the command gets its own process group. Signals then reach all processes of the group, and
 * processes that outlive the command are ended.
 *
 * @returns the exit code of the command. If a signal ended the command, this is 128 plus the signal's number; if the command cannot be run,
 * it is 126 or 127, and the reason is printed on stderr.
 */
export async function runCommand(io: Io, { command, args, env, passer }: CommandToRun): Promise<number> {
  const windows = process.platform === 'win32';
  const ownGroup = !windows && !isOnTerminal(io);
  const start = windows ? windowsStart(command, args, { cwd: io.cwd, env }) : { file: command, args, windowsVerbatimArguments: false };
  let child: ChildProcess;
  try {
    child = spawn(start.file, [...start.args], {
      cwd: io.cwd,
      env: { ...env },
      stdio: chooseStdio(io),
      detached: ownGroup,
      windowsVerbatimArguments: start.windowsVerbatimArguments,
    });
  } catch (error) {
    // E2BIG, and what else the system tells at once.
    return cannotRun(io, command, error);
  }
  const { pid } = child;
  const closed = new Promise((resolve) => child.once('close', resolve));
  connect(io, child);
  // Windows sends what comes from the keyboard to every process of a console, and has no signals to send besides.
  if (pid !== undefined && !windows) passer.passTo((signal) => send(ownGroup ? -pid : pid, signal));
  try {
    const [code, signal] = await ended(child);
    passer.passTo(undefined);
    if (ownGroup && pid !== undefined) await endGroup(pid);
    if (child.stdout ?? child.stderr) await closed;
    return signal === null ? (code ?? 0) : exitCodeAfter(signal);
  } catch (error) {
    return cannotRun(io, command, error);
  }
}

function ended(child: ChildProcess): Promise<[code: number | null, signal: NodeJS.Signals | null]> {
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    // Not yet `close`: what the command leaves running may hold its output open.
    child.once('exit', (code, signal) => resolve([code, signal]));
  });
}

function cannotRun(io: Io, command: string, error: unknown): number {
  const code = systemErrorCode(error);
  if (code === undefined) throw error;
  if (code === 'ENOENT' || command === '') {
    warn(io, printable(`passkey: cannot find the command ${command}. Check its name, and that its folder is in PATH.`));
    return NOT_FOUND;
  }
  const hint = code === 'E2BIG' ? 'Give it fewer or shorter arguments.' : 'Make it executable, or name the program that runs it.';
  warn(io, printable(`passkey: cannot run ${command} (${code}). ${hint}`));
  return NOT_EXECUTABLE;
}

/** Passes the standard streams of our process directly to the command. For other streams, as in a test, uses pipes. */
function chooseStdio({ stdin, stdout, stderr }: Io): StdioOptions {
  const own = (stream: Input | Output, mine: unknown) => (stream === mine ? 'inherit' : 'pipe');
  return [own(stdin, process.stdin), own(stdout, process.stdout), own(stderr, process.stderr)];
}

function connect({ stdin, stdout, stderr }: Io, child: ChildProcess): void {
  if (child.stdin) {
    // A command need not read its input.
    child.stdin.on('error', () => undefined);
    stdin.pipe(child.stdin);
  }
  child.stdout?.pipe(stdout, { end: false });
  child.stderr?.pipe(stderr, { end: false });
}

/** Sends a signal to a process. @returns false if the process does not exist. */
function send(pid: number, signal: ExecSignal | 'SIGKILL' | 0): boolean {
  try {
    process.kill(pid, signal);
    return true;
  } catch (error) {
    // EPERM: it runs as another user, by sudo or the like.
    return systemErrorCode(error) === 'EPERM';
  }
}

/** How long processes that outlive the command may take to end after a signal, in milliseconds. */
const GRACE = 2000;
const GROUP_CHECK_INTERVAL = 20;

/** Ends the processes in the command's process group that outlive the command. */
async function endGroup(group: number): Promise<void> {
  if (!send(-group, 'SIGTERM')) return;
  for (let waited = 0; waited < GRACE; waited += GROUP_CHECK_INTERVAL) {
    await new Promise((resolve) => setTimeout(resolve, GROUP_CHECK_INTERVAL));
    if (!send(-group, 0)) return;
  }
  send(-group, 'SIGKILL');
}
