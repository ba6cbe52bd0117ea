// vitest, as some scripts of the release suite run it.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readResults } from '../../../.ci/results.mjs';

const ROOT = join(import.meta.dirname, '../../..');

/**
 * Runs it with these arguments, and says how many tests passed and which failed.
 *
 * @param node runs it; this one without.
 * @param root the checkout to run it in; this one without.
 * @returns the counts.
 */
export async function runVitest({ node = process.execPath, root = ROOT, args, env = process.env }, say) {
  const folder = await mkdtemp(join(tmpdir(), 'passkey-release-'));
  const file = join(folder, 'results.json');
  const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${file}`];
  try {
    const argv = [join(root, 'node_modules/vitest/vitest.mjs'), 'run', ...args, ...reporters];
    await once(spawn(node, argv, { cwd: root, stdio: ['ignore', 'inherit', 'inherit'], env }), 'close');
    const { passed, failed, skipped, failures } = readResults(file);
    for (const failure of failures) say(`FAILED: ${failure}`);
    say(`${passed} tests passed, ${failed} failed, ${skipped} skipped`);
    return { passed, failed, skipped };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
