import { spawn } from 'node:child_process';
import { once } from 'node:events';

/** The id of a process that has ended. */
export async function deadProcess(): Promise<number> {
  const child = spawn(process.execPath, ['-e', '0']);
  await once(child, 'close');
  return child.pid ?? 0;
}
