// Run as a process of its own: PATH NAME COUNT SIZE. Appends to the log of the store at PATH, says `ready` first, and last what was lost.
import { createFileAudit } from '../../src/store/audit/file-log.js';
import { newAuditEntry } from '../contract/samples.js';

const [path = '', name = '', count, size] = process.argv.slice(2);
const failures: string[] = [];
const log = createFileAudit(path, { size: Number(size), keep: 1000, onFailure: (reason) => failures.push(reason) });
process.stdout.write('ready\n');
for (let n = 1; n <= Number(count); n += 1) {
  log.append(newAuditEntry({ label: name, token_id: n }));
  // Some go alone, some together.
  if (n % 3 !== 0) await log.settled();
}
await log.settled();
process.stdout.write(`failures ${failures.join(' ')}\n`);
