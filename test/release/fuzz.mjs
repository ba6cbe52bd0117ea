// Every target of `npm run fuzz` for some minutes, always with the same seed, so that it judges the change; PASSKEY_FUZZ_SEED gives another.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';

const USUAL_SEED = 1_451_498_819;

const ROOT = join(import.meta.dirname, '../..');
const INPUTS = { parsers: 100_000, files: 2_000, http: 10_000, store: 2_400, kill: 20 };

/** @param {(line: string) => void} say */
export async function run(say) {
  const seed = Number(process.env.PASSKEY_FUZZ_SEED ?? USUAL_SEED);
  say(`seed ${seed}`);
  let passed = 0;
  for (const [target, inputs] of Object.entries(INPUTS)) {
    const argv = ['--import', 'tsx', join(ROOT, 'test/fuzz/run.ts'), '--target', target, '--seed', `${seed}`, '--inputs', `${inputs}`];
    const child = spawn(process.execPath, argv, { cwd: ROOT, stdio: ['ignore', 'pipe', 'inherit'] });
    let output = '';
    child.stdout.setEncoding('utf8').on('data', (text) => {
      output += text;
    });
    const [code] = await once(child, 'close');
    if (code === 0) passed += 1;
    // A run that fails says everything: its inputs, and the commands that reproduce them.
    say(code === 0 ? `${target}: ${inputs} with seed ${seed} break no promise` : `FAILED: ${target} with seed ${seed}\n${output}`);
  }
  return { passed, failed: Object.keys(INPUTS).length - passed };
}
