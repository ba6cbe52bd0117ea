import type { ChildProcess } from 'node:child_process';

/** Whether a child that is spawned `detached` leads a group that can be ended whole. On Windows it would get a window instead. */
export const HAS_GROUPS = process.platform !== 'win32';

/** Sends a signal to a child that was spawned with `detached: HAS_GROUPS`, and to what it has started, as far as it is still there. */
export function killGroup(child: ChildProcess, signal: NodeJS.Signals): void {
  if (child.pid === undefined) return;
  try {
    if (HAS_GROUPS) process.kill(-child.pid, signal);
    else child.kill(signal);
  } catch {
    // All of them have ended.
  }
}

/** Whether anything of the group is still there. */
export function groupLives(child: ChildProcess): boolean {
  if (child.pid === undefined) return false;
  if (!HAS_GROUPS) return child.exitCode === null && child.signalCode === null;
  try {
    process.kill(-child.pid, 0);
    return true;
  } catch {
    return false;
  }
}
