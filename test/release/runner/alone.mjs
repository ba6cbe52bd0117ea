// node alone.mjs SCRIPT RESULTS [GRACE]: runs one script of the release suite in this process, writes its counts into the file with what it
// said that failed, and sees that the process then ends by itself, within so many milliseconds.
import { writeFile } from 'node:fs/promises';
import { pathToFileURL } from 'node:url';

const [script, results, grace] = process.argv.slice(2);
const failures = [];
const say = (line) => {
  if (line.startsWith('FAILED: ')) failures.push(line.split('\n', 1)[0].slice('FAILED: '.length));
  console.log(`  ${line}`);
};
const counts = await import(pathToFileURL(script).href)
  .then(({ run }) => run(say))
  .catch((error) => {
    say(`FAILED: ${error instanceof Error ? error.stack : error}`);
    return { passed: 0, failed: 1 };
  });
await writeFile(results, JSON.stringify({ ...counts, failures }));

// It does not keep the process itself: when it fires, something else did.
setTimeout(() => {
  const names = [...new Set(process.getActiveResourcesInfo())];
  say(`FAILED: it does not end by itself: ${names.join(', ')}`);
  process.exit(1);
}, Number(grace)).unref();
