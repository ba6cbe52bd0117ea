// The tests that take too long for `npm test`, and its long properties with ten times as many generated ceremonies: vitest.release.config.ts.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const ROOT = join(import.meta.dirname, '../..');

/** @param {(line: string) => void} say */
export async function run(say) {
  const folder = await mkdtemp(join(tmpdir(), 'passkey-release-'));
  const results = join(folder, 'results.json');
  const vitest = join(ROOT, 'node_modules/vitest/vitest.mjs');
  const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${results}`];
  try {
    const child = spawn(process.execPath, [vitest, 'run', '--config', 'vitest.release.config.ts', ...reporters], {
      cwd: ROOT,
      stdio: 'inherit',
    });
    await once(child, 'close');
    const {
      numPassedTests: passed,
      numFailedTests: failed,
      numPendingTests: skipped,
      success,
    } = JSON.parse(await readFile(results, 'utf8'));
    say(`${passed} tests passed, ${failed} failed, ${skipped} skipped`);
    // A file that fails to load fails the run without a failed test in it.
    return { passed, failed: failed === 0 && !success ? 1 : failed, skipped };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
