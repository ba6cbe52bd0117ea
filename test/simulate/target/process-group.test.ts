import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { expect, test } from 'vitest';
import { endTreeOnWindows, groupLives, HAS_GROUPS, killGroup } from '../../../src/simulate/target/process-group.js';

test('a shell is ended together with what it has started', async () => {
  const program = 'process.stdout.write(String(process.pid)); setInterval(() => {}, 60_000)';
  const child = spawn(`"${process.execPath}" -e "${program}"; exit`, {
    shell: true,
    detached: HAS_GROUPS,
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const [pid] = await once(child.stdout, 'data');
  expect(Number(String(pid))).not.toBe(child.pid);
  expect(groupLives(child)).toBe(true);
  killGroup(child, 'SIGKILL');
  // The pipe closes when the last of them is gone.
  await once(child, 'close');
  killGroup(child, 'SIGKILL');
});

test('on Windows by taskkill, which ends the tree', () => {
  expect(endTreeOnWindows(4711)).toEqual({ file: 'taskkill', args: ['/pid', '4711', '/T', '/F'] });
});
