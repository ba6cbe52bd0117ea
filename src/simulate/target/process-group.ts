import { type ChildProcess, spawnSync } from 'node:child_process';

/**
 * Whether a child process spawned with `detached` leads a process group that can be ended as a whole. On Windows, `detached` would open a
 * window instead.
 */
export const HAS_GROUPS = process.platform !== 'win32';

/**
 * Returns the Windows command that ends a process together with its children. Ending only the process would leave running what its shell
 * started. https://learn.microsoft.com/windows-server/administration/windows-commands/taskkill
 */
export function endTreeOnWindows(pid: number): { readonly file: string; readonly args: readonly string[] } {
  return { file: 'taskkill', args: ['/pid', String(pid), '/T', '/F'] };
}

/**
 * Sends a signal to a child process that was spawned with `detached: HAS_GROUPS`, and to all processes in its group. On Windows, any signal
 * ends them.
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

/** Whether any process of the child's group still runs. */
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
