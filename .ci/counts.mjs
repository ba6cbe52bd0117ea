// Prints what failed in the given results, a line each, and as the last line their counts, summed; fails when a result is missing, without
// a test, or with a failure.
import { readResults } from './results.mjs';

const runs = process.argv.slice(2).map(readResults);
const sum = (name) => runs.reduce((total, run) => total + run[name], 0);
const skipped = sum('skipped');
for (const { failures } of runs) for (const failure of failures) console.log(`FAILED: ${failure}`);
console.log(`${sum('passed')} passed, ${sum('failed')} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`);
process.exitCode = runs.length === 0 || runs.some(({ passed, failed }) => failed > 0 || passed === 0) ? 1 : 0;
