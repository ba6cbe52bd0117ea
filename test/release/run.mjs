// `npm run test:release`: runs every other script of this folder against dist/, and prints how many of their checks passed. With CI set
// it writes the counts where vitest writes its own.
import { readdir, writeFile } from 'node:fs/promises';

const scripts = (await readdir(import.meta.dirname)).filter((file) => file.endsWith('.mjs') && file !== 'run.mjs').toSorted();
const total = { passed: 0, failed: 0, skipped: 0 };
for (const file of scripts) {
  const { run } = await import(`./${file}`);
  console.log(file);
  const say = (line) => console.log(`  ${line}`);
  const {
    passed,
    failed,
    skipped = 0,
  } = await run(say).catch((error) => {
    say(String(error));
    return { passed: 0, failed: 1 };
  });
  total.passed += passed;
  total.failed += failed;
  total.skipped += skipped;
}
const success = total.failed === 0 && total.passed > 0;
if (process.env.CI) {
  const results = { numPassedTests: total.passed, numFailedTests: total.failed, numPendingTests: total.skipped, success };
  await writeFile('test-results.json', JSON.stringify(results));
}
console.log(`${total.passed} passed, ${total.failed} failed${total.skipped > 0 ? `, ${total.skipped} skipped` : ''}`);
// A script that left something running would keep this process, and a CI with it, until somebody ends them.
const running = process.getActiveResourcesInfo().filter((name) => name === 'ProcessWrap' || name.endsWith('ServerWrap'));
if (running.length > 0) console.error(`Left running: ${running.join(', ')}.`);
process.exit(success && running.length === 0 ? 0 : 1);
