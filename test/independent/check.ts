/**
 * `node --import tsx test/independent/check.ts [--part 1/2] [--whole]`: whether the correct relying party is silent, and every fault told
 * as told.json says; with `--whole`, by a first finding with the cause of first-findings.json. Prints each first finding, what is wrong,
 * and last how many checks passed and failed; exits 1 if any did.
 */
import { parseArgs } from 'node:util';
import { readPart } from './catalogue.js';
import { checkTable } from './told.js';

const { values } = parseArgs({ options: { part: { type: 'string', default: '1/1' }, whole: { type: 'boolean', default: false } } });
const counts = { passed: 0, failed: 0 };
for await (const { what, wrong, finding } of checkTable(readPart(values.part), values.whole)) {
  counts[wrong === undefined ? 'passed' : 'failed'] += 1;
  if (finding !== undefined) console.log(`${what}: ${finding}`);
  if (wrong !== undefined) console.log(`FAILED: ${what}: ${wrong}`);
}
console.log(JSON.stringify(counts));
process.exitCode = counts.failed === 0 ? 0 : 1;
