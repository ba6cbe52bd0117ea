// Prints vitest's own counts as one line; fails where there is no result, no test, or a failed one.
import { readFileSync } from 'node:fs';

let results;
try {
  results = JSON.parse(readFileSync(process.argv[2], 'utf8'));
} catch {
  results = { numPassedTests: 0, numFailedTests: 1, numPendingTests: 0, success: false };
}
const { numPassedTests: passed, numFailedTests: failed, numPendingTests: skipped } = results;
// A file that fails to load fails the run without a failed test in it.
const failures = failed === 0 && !results.success ? 1 : failed;
console.log(`${passed} passed, ${failures} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`);
process.exitCode = failures > 0 || passed === 0 ? 1 : 0;
