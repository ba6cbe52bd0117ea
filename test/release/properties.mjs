// The long properties of the relying party, ten times as many generated ceremonies as `npm test` tries, and 10,000 random keys of the authenticator.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const ROOT = join(import.meta.dirname, '../..');
const FILES = ['test/relying-party/properties.test.ts', 'test/explain/report/agreement.test.ts', 'test/authenticator/random-keys.test.ts'];
const RUNS = 5_000;
const KEYS = 10_000;

/** @param {(line: string) => void} say */
export async function run(say) {
  const folder = await mkdtemp(join(tmpdir(), 'passkey-properties-'));
  const results = join(folder, 'results.json');
  const vitest = join(ROOT, 'node_modules/vitest/vitest.mjs');
  const argv = [vitest, 'run', '--project', 'unit', ...FILES, '--reporter=json', `--outputFile=${results}`, '--testTimeout=600000'];
  try {
    // With CI set, the configuration chooses reporters of its own.
    const env = { ...process.env, CI: '', PASSKEY_PROPERTY_RUNS: String(RUNS), PASSKEY_RANDOM_KEYS: String(KEYS) };
    const child = spawn(process.execPath, argv, { cwd: ROOT, env, stdio: ['ignore', 'ignore', 'inherit'] });
    await once(child, 'close');
    const { numPassedTests: passed, numFailedTests: failed, success } = JSON.parse(await readFile(results, 'utf8'));
    say(`${RUNS} runs each, ${KEYS} keys: ${passed} properties hold, ${failed} do not`);
    return { passed, failed: failed === 0 && !success ? 1 : failed };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
