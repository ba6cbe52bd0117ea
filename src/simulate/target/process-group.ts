import { type ChildProcess, spawnSync } from 'node:child_process';

/**
 * Whether a child process that was spawned with `detached` leads a process group, so that all its processes can be ended together. False on
 * Windows, where `detached` would open a window instead.
 */
export const HAS_GROUPS = process.platform !== 'win32';

/**
 * Makes the Windows command that ends a process together with its children. If only the process itself ended, programs that its shell
 * started would continue to run. https://learn.microsoft.com/windows-server/administration/windows-commands/taskkill
 */
export function endTreeOnWindows(pid: number): { readonly file: string; readonly args: readonly string[] } {
  return { file: 'taskkill', args: ['/pid', String(pid), '/T', '/F'] };
}

/**
 * Sends a signal to a child process that was spawned with `detached: HAS_GROUPS`, and to all processes in its group. On Windows, every
 * signal ends these processes.
 */
export function killGroup(child: ChildProcess, signal: NodeJS.Signals): void {
  if (child.pid === undefined) return;
  try {
    if (HAS_GROUPS) {
      process.kill(-child.pid, signal);
      return;
    }
    if (!groupLives(child)) return;
    const { file, args } = endTreeOnWindows(child.pid);
    spawnSync(file, args, { stdio: 'ignore', windowsHide: true });
    // Where taskkill is missing, at least the child.
    child.kill(signal);
  } catch {
    // All of them have ended.
  }
}

/** Checks whether any process in the child's group is still running. */
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
