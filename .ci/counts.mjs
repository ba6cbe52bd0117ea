// Prints vitest's own counts, summed over the given results, as one line; fails when a result is missing, without a
// test, or with a failure.
import { readFileSync } from 'node:fs';

function read(file) {
  try {
    const { numPassedTests: passed, numFailedTests: failed, numPendingTests: skipped, success } = JSON.parse(readFileSync(file, 'utf8'));
    // A file that fails to load fails the run without a failed test in it.
    return { passed, failed: failed === 0 && !success ? 1 : failed, skipped };
  } catch {
    return { passed: 0, failed: 1, skipped: 0 };
  }
}

const runs = process.argv.slice(2).map(read);
const sum = (name) => runs.reduce((total, run) => total + run[name], 0);
const skipped = sum('skipped');
console.log(`${sum('passed')} passed, ${sum('failed')} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`);
process.exitCode = runs.length === 0 || runs.some(({ passed, failed }) => failed > 0 || passed === 0) ? 1 : 0;
