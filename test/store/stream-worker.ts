// Run as a process of its own: PATH NAME COUNT SIZE. Appends numbered lines to the stream at PATH, and says last what was lost.
import { createStreamFile } from '../../src/store/stream-file.js';

const [path = '', name = '', count, size] = process.argv.slice(2);
const failures: string[] = [];
const file = createStreamFile(path, { size: Number(size), onFailure: (reason) => failures.push(reason) });
for (let n = 1; n <= Number(count); n += 1) {
  file.append([`${name} ${String(n).padStart(4, '0')} ${'.'.repeat(40)}`]);
  // Some go alone, some together.
  if (n % 3 !== 0) await file.settled();
}
await file.settled();
process.stdout.write(`failures ${failures.join(' ')}\n`);
