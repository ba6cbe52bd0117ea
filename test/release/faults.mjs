import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const CHECK = fileURLToPath(new URL('../independent/check.ts', import.meta.url));
const PROCESSES = 2;

/** One share of the table of faults. The gate runs the cases that told each, a release the whole catalogue. */
async function runPart(part, say) {
  const args = ['--import', 'tsx', CHECK, '--part', `${part}/${PROCESSES}`, ...(process.env.PASSKEY_GATE ? [] : ['--whole'])];
  // It exits 1 for a check that failed, which its output tells.
  const { stdout, stderr = '' } = await promisify(execFile)(process.execPath, args).catch((error) => error);
  const lines = (stdout ?? '').trim().split('\n');
  const last = lines.pop() ?? '';
  for (const line of lines) say(line);
  if (!last.startsWith('{')) throw new Error(`Expected the counts of ${CHECK}; got "${last}". ${stderr}`);
  return JSON.parse(last);
}

/** That the catalogue tells every fault of the independent relying party as it did, and raises no alarm at the correct one. */
export async function run(say) {
  const parts = await Promise.all(Array.from({ length: PROCESSES }, (_, index) => runPart(index + 1, say)));
  const total = (name) => parts.reduce((sum, part) => sum + part[name], 0);
  const counts = { passed: total('passed'), failed: total('failed') };
  say(`${counts.passed} checks of the table of faults hold, ${counts.failed} do not`);
  return counts;
}
