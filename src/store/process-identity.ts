import { createHash } from 'node:crypto';
import { readFileSync, readlinkSync } from 'node:fs';
import { hostname } from 'node:os';
import { systemErrorCode } from './file-system.js';

// How processes that share a folder recognise each other, and find out that one of them has ended.

/** Reads the milliseconds of a clock that all processes of this host share and that cannot be set. */
export function upTime(): number {
  return Number(process.hrtime.bigint() / 1_000_000n);
}

export function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return systemErrorCode(error) !== 'ESRCH';
  }
}

/**
 * Finds the start time of a process of this host, in clock ticks since the boot. It distinguishes the process from a later one with the
 * same id. Undefined if the system has no /proc, or the process has ended.
 */
export function startTimeOf(pid: number): string | undefined {
  const stat = readOrNothing(() => readFileSync(`/proc/${pid}/stat`, 'latin1'));
  // The name of the program, in parentheses, may contain spaces. The start time is the 20th field after it.
  return stat === '' ? undefined : stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19];
}

let ownStart: { readonly time: string | undefined } | undefined;

/** Finds the start time of this process, like {@link startTimeOf}. */
export function ownStartTime(): string | undefined {
  ownStart ??= { time: startTimeOf(process.pid) };
  return ownStart.time;
}

let host: string | undefined;

/**
 * Identifies the scope in which a process id is unique: the host, and on Linux also the boot and the namespace (a container has its own).
 */
export function thisHost(): string {
  host ??= [
    hostname(),
    readOrNothing(() => readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()),
    readOrNothing(() => readlinkSync('/proc/self/ns/pid')),
  ]
    .filter((part) => part !== '')
    .join(' ');
  return host;
}

/** Computes eight hexadecimal digits that identify {@link thisHost} in file names. */
export function hostMark(): string {
  return shortHash(thisHost()).slice(0, 8);
}

export function shortHash(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 16);
}

function readOrNothing(read: () => string): string {
  try {
    return read();
  } catch {
    return '';
  }
}
