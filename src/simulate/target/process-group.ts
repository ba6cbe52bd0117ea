import { type ChildProcess, spawnSync } from 'node:child_process';

/** Whether a child that is spawned `detached` leads a group that can be ended whole. On Windows it would get a window instead. */
export const HAS_GROUPS = process.platform !== 'win32';

/**
 * The command that ends a process and its children on Windows at once: ending the process alone would leave the programs of its shell.
 * https://learn.microsoft.com/windows-server/administration/windows-commands/taskkill
 */
export function endTreeOnWindows(pid: number): { readonly file: string; readonly args: readonly string[] } {
  return { file: 'taskkill', args: ['/pid', String(pid), '/T', '/F'] };
}

/**
 * Sends a signal to a child that was spawned with `detached: HAS_GROUPS`, and to its remaining processes. On Windows any signal ends them.
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
