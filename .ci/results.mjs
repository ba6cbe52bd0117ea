// What a run of tests has written: vitest by its JSON reporter, or the release suite in the same shape.
import { readFileSync } from 'node:fs';

/**
 * @returns how many passed, failed and were skipped, and of those that failed a line each. A file that is not there, or of a run that
 *   failed without a failed test in it, counts as one failure.
 */
export function readResults(file) {
  let results;
  try {
    results = JSON.parse(readFileSync(file, 'utf8'));
  } catch {
    return { passed: 0, failed: 1, skipped: 0, failures: ['a run ended without results'] };
  }
  const { numPassedTests: passed, numFailedTests: failed, numPendingTests: skipped, success } = results;
  const failures = results.failures ?? (results.testResults ?? []).flatMap(failuresOf);
  return { passed, failed: failed === 0 && !success ? 1 : failed, skipped, failures };
}

/** A file that does not load has a message, and no test. */
function failuresOf({ name, status, message, assertionResults }) {
  const file = name.slice(Math.max(0, name.lastIndexOf('/test/') + 1));
  const failed = assertionResults.filter((test) => test.status === 'failed');
  if (failed.length === 0) return status === 'failed' ? [`${file}: ${firstLine(message)}`] : [];
  return failed.map(({ fullName, failureMessages }) => `${file}: ${fullName}: ${firstLine(failureMessages[0])}`);
}

function firstLine(text = '') {
  return text.split('\n', 1)[0].slice(0, 300);
}
