import { expect, test } from 'vitest';
import type { StreamEntry } from '../../../src/server/schemas/stream.js';
import { newEntry } from '../../../src/server/stream/entry.js';
import { NOTHING_KEPT } from '../../../src/server/stream/kept.js';
import { type StreamRecord, StreamRecords } from '../../../src/server/stream/records.js';
import { START } from '../app.js';

const CHANGE = { kind: 'change', state: 'changed' } as const;
const REFUSED = { kind: 'request', state: 'refused' } as const;

function recordOf(id: string, kind: Pick<StreamEntry, 'kind' | 'state'> = CHANGE, at = START): StreamRecord {
  const entry = newEntry({ id, at, ...kind });
  return { entry, challenge: undefined, ceremony: undefined, goodUntil: 0, answered: true, withheld: undefined, kept: NOTHING_KEPT };
}

const ids = (entries: readonly { readonly id: string }[]) => entries.map(({ id }) => id);

test('the list has no more than so many, the newest first, and names those that go', () => {
  const records = new StreamRecords({ most: 10, mostUnanswered: 2 });
  const gone = [];
  for (let n = 1; n <= 12; n += 1) gone.push(...records.add(recordOf(`a-${n}`)));
  expect(ids(gone.map(({ entry }) => entry))).toEqual(['a-1', 'a-2']);
  expect(ids(records.list())).toEqual([12, 11, 10, 9, 8, 7, 6, 5, 4, 3].map((n) => `a-${n}`));
  expect(records.get('a-2')).toBeUndefined();
  records.clear();
  expect(records.list()).toEqual([]);
});

test('loses nothing that lasts to what does not', () => {
  const records = new StreamRecords({ most: 3, mostUnanswered: 2 });
  for (const id of ['a-1', 'a-2', 'a-3']) records.add(recordOf(id));
  for (let n = 4; n < 100; n += 1) records.add(recordOf(`a-${n}`, REFUSED));
  expect(ids(records.list())).toEqual(['a-99', 'a-98', 'a-3', 'a-2', 'a-1']);
});

test('a change that is read late has its place by its time', () => {
  const records = new StreamRecords({ most: 10, mostUnanswered: 2 });
  records.add(recordOf('a-1', CHANGE, START + 1_000));
  records.add(recordOf('a-2', CHANGE, START));
  expect(ids(records.list())).toEqual(['a-1', 'a-2']);
});
