/**
 * `node --import tsx test/independent/check.ts [--part 1/2]`: whether the correct relying party is silent, and every fault told as
 * told.json says. Prints what is not, and last how many checks passed and failed; exits 1 if any did.
 */
import { parseArgs } from 'node:util';
import { readPart } from './catalogue.js';
import { checkTable } from './told.js';

const { values } = parseArgs({ options: { part: { type: 'string', default: '1/1' } } });
const counts = { passed: 0, failed: 0 };
for await (const { what, wrong } of checkTable(readPart(values.part))) {
  counts[wrong === undefined ? 'passed' : 'failed'] += 1;
  if (wrong !== undefined) console.log(`FAILED: ${what}: ${wrong}`);
}
console.log(JSON.stringify(counts));
process.exitCode = counts.failed === 0 ? 0 : 1;
