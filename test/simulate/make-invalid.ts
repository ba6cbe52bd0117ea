/**
 * Regenerates fixtures/invalid from fixtures/recorded: `npx tsx test/simulate/make-invalid.ts`. The result depends only on the
 * recordings and on invalid-fixtures.ts.
 */
import { rm } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { findFixtureFiles } from '../../src/fixture/find.js';
import { readFixture } from '../../src/fixture/read.js';
import { writeFixture } from '../../src/fixture/write.js';
import { INVALID_FIXTURES, makeInvalid } from './invalid-fixtures.js';

async function main(): Promise<void> {
  const fixtures = fileURLToPath(new URL('../../fixtures/', import.meta.url));
  const recordings = await Promise.all((await findFixtureFiles([`${fixtures}recorded`])).map((file) => readFixture(file)));
  await rm(`${fixtures}invalid`, { recursive: true, force: true });
  const missing: string[] = [];
  for (const row of INVALID_FIXTURES) {
    const fixture = makeInvalid(row, recordings);
    if (fixture === undefined) missing.push(row.name);
    else await writeFixture(`${fixtures}invalid`, fixture);
  }
  process.stderr.write(`${INVALID_FIXTURES.length - missing.length} fixtures made\n`);
  if (missing.length > 0) {
    process.stderr.write(`no recording fits these: ${missing.join(', ')}\n`);
    process.exitCode = 1;
  }
}

await main();
