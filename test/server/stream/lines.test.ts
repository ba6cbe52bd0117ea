import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect } from 'vitest';
import { newEntry } from '../../../src/server/stream/entry.js';
import { readLines } from '../../../src/server/stream/lines.js';
import { openWorkCounter } from '../../count-work.js';
import { quick as test, thorough } from '../../thorough.js';
import { START } from '../app.js';

const ENTRY = newEntry({ id: 'a-1', at: START, kind: 'request', state: 'refused' });
const lineOf = (entry: object) => JSON.stringify({ entry, kept: null });

/** Reads lines, and counts how often other work had its turn meanwhile. */
async function readBesides(lines: readonly string[]) {
  let turns = 0;
  let done = false;
  const others = (async () => {
    while (!done) {
      await nextTurn();
      turns += 1;
    }
  })();
  const read = await readLines(lines, { kept: false });
  done = true;
  await others;
  return { read, turns };
}

test('of millions of damaged lines none keeps the server from its other work for long', async () => {
  const damaged = ['x', '{}', '{"entry":', lineOf({}), lineOf({ ...ENTRY, kind: 'nothing' })];
  const { read, turns } = await readBesides([...Array.from({ length: 2_000 }, () => damaged).flat(), lineOf(ENTRY)]);
  expect(read).toEqual({ lines: [{ entry: ENTRY, kept: null }], damaged: 10_000 });
  expect(turns).toBeGreaterThanOrEqual(9);
});

test('a line longer than any that is written is damaged, and long ones let other work in between', async () => {
  const withKept = (brackets: number) => `{"entry":${JSON.stringify(ENTRY)},"kept":${'['.repeat(brackets)}${']'.repeat(brackets)}}`;
  const { read, turns } = await readBesides([...Array.from({ length: 10 }, () => withKept(200_000)), withKept(300_000)]);
  expect([read.lines.length, read.damaged]).toEqual([10, 1]);
  expect(turns).toBeGreaterThanOrEqual(5);
});

thorough('a damaged line costs about as much as a whole one at most, however much is wrong with it', async () => {
  const whole = lineOf({ ...ENTRY, request_ids: Array<string>(1_000).fill('1') });
  const damaged = lineOf({ ...ENTRY, request_ids: Array<number>(1_000).fill(111) });
  expect(damaged).toHaveLength(whole.length);
  await readLines([whole, damaged], { kept: false });
  const counter = await openWorkCounter();
  try {
    const ofWhole = await counter.count(async () => await readLines([whole], { kept: false }));
    const ofDamaged = await counter.count(async () => await readLines([damaged], { kept: false }));
    expect(ofDamaged).toBeLessThan(2 * ofWhole);
  } finally {
    await counter.close();
  }
});
