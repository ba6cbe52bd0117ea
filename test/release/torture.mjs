// Four processes change one store and are killed at random moments, hundreds of times; and a store on a disk that is full, where this
// run may mount a small one.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';

const ROOT = join(import.meta.dirname, '../..');
const KILLS = 400;

/** @param {(line: string) => void} say */
export async function run(say) {
  const child = spawn(process.execPath, ['--import', 'tsx', join(ROOT, 'test/store/run-torture.ts'), `${KILLS}`], {
    cwd: ROOT,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let output = '';
  child.stdout.setEncoding('utf8').on('data', (text) => {
    output += text;
  });
  const [code] = await once(child, 'close');
  if (code !== 0) say('FAILED: a change is lost, or a store does not open');
  for (const line of output.trimEnd().split('\n')) say(line);
  return { passed: code === 0 ? 1 : 0, failed: code === 0 ? 0 : 1 };
}
