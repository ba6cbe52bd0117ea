// `npm run test:release`: runs every other script of this folder against dist/, each in a process of its own that must end by itself and in
// time, and prints what failed and how many of their checks passed. With CI set it writes the counts where vitest writes its own.
// Some of them: node test/release/run.mjs torture.mjs fuzz.mjs; those that .ci/run has, without what depends on chance: --gate
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { runLimited } from './runner/limited.mjs';

const { values, positionals } = parseArgs({
  options: {
    folder: { type: 'string', default: import.meta.dirname },
    gate: { type: 'boolean', default: false },
    /** Of each script, in seconds. */
    limit: { type: 'string' },
    /** How long a script and what it has started may take to end after its last check, in seconds. */
    grace: { type: 'string', default: '30' },
  },
  allowPositionals: true,
});
const folder = resolve(values.folder);
/** Neither kills nor fuzzes, needs no other version of Node, and starts no browser. */
const GATE = ['faults.mjs', 'package.mjs', 'steps-refuse.mjs', 'tests.mjs'];
if (values.gate) process.env.PASSKEY_GATE = '1';
const grace = Number(values.grace) * 1000;

/** Far more than each takes, in minutes: a script that hangs must fail here, with its name, before a CI ends everything in silence. */
const USUAL_LIMIT = 25;
const LIMITS = { 'faults.mjs': 40, 'nodes.mjs': 60, 'environments.mjs': 40, 'tests.mjs': 40 };
const limitOf = (file) => (values.limit === undefined ? (LIMITS[file] ?? USUAL_LIMIT) * 60 : Number(values.limit)) * 1000;

const stopping = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.once(signal, () => stopping.abort());

const all = (await readdir(folder)).filter((file) => file.endsWith('.mjs') && file !== 'run.mjs').toSorted();
const unknown = positionals.filter((file) => !all.includes(file));
if (unknown.length > 0) throw new Error(`There is no ${unknown.join(', ')}. Choose of ${all.join(', ')}.`);
const scripts = positionals.length > 0 ? positionals : values.gate ? GATE : all;
const total = { passed: 0, failed: 0, skipped: 0 };
const failures = [];
const temporary = await mkdtemp(join(tmpdir(), 'passkey-release-run-'));
try {
  for (const file of scripts) {
    const counts = await runScript(file);
    for (const name of Object.keys(total)) total[name] += counts[name] ?? 0;
    failures.push(...counts.failures.map((failure) => `${file}: ${failure}`));
    if (stopping.signal.aborted) break;
  }
} finally {
  await rm(temporary, { recursive: true, force: true });
}
const success = total.failed === 0 && total.passed > 0;
if (process.env.CI) {
  const results = { numPassedTests: total.passed, numFailedTests: total.failed, numPendingTests: total.skipped, success, failures };
  await writeFile('test-results.json', JSON.stringify(results));
}
// Once more, below thousands of lines.
for (const failure of failures) console.log(`FAILED: ${failure}`);
console.log(`${total.passed} passed, ${total.failed} failed${total.skipped > 0 ? `, ${total.skipped} skipped` : ''}`);
process.exitCode = success ? 0 : 1;

/** What went wrong with the script itself counts as one more failed check. */
async function runScript(file) {
  console.log(file);
  const start = performance.now();
  const results = join(temporary, `${file}.json`);
  const argv = [join(import.meta.dirname, 'runner/alone.mjs'), join(folder, file), results, `${grace}`];
  const limit = limitOf(file);
  const { code, late, left } = await runLimited(argv, { limit, grace, signal: stopping.signal });
  const counts = await readFile(results, 'utf8').then(JSON.parse, () => undefined);
  const wrong = [
    ...(late ? [`stopped after ${limit / 1000} s`] : []),
    ...(stopping.signal.aborted ? ['stopped by a signal'] : []),
    ...(!late && !stopping.signal.aborted && counts === undefined ? [`ended without counts (exit code ${code})`] : []),
    ...(!late && counts !== undefined && code !== 0 ? [`exit code ${code}`] : []),
    ...left.map((command) => `left running: ${command}`),
  ];
  for (const what of wrong) console.log(`  FAILED: ${file}: ${what}`);
  console.log(`  ${file} took ${((performance.now() - start) / 1000).toFixed(0)} s`);
  const { passed = 0, failed = 0, skipped = 0, failures = [] } = counts ?? {};
  return { passed, failed: failed + (wrong.length > 0 ? 1 : 0), skipped, failures: [...failures, ...wrong] };
}
