import { describe, expect, test } from 'vitest';
import type { StreamEntry } from '../../../src/server/schemas/stream.js';
import { newEntry } from '../../../src/server/stream/entry.js';
import type { Kept } from '../../../src/server/stream/kept-entry.js';
import { NOTHING_KEPT } from '../../../src/server/stream/kept-entry.js';
import { type StreamRecord, StreamRecords } from '../../../src/server/stream/records.js';
import { START } from '../app.js';
import { keptLines } from './kept-in-memory.js';

const CHANGE = { kind: 'change', state: 'changed' } as const;
const REFUSED = { kind: 'request', state: 'refused' } as const;

function recordOf(id: string, kept: Kept = NOTHING_KEPT, kind: Pick<StreamEntry, 'kind' | 'state'> = CHANGE): StreamRecord {
  const entry = newEntry({ id, at: START, ...kind });
  const state = { challenge: undefined, ceremony: undefined, goodUntil: 0, answered: true, withheld: undefined };
  return { entry, ...state, kept, text: undefined, inFile: false };
}

function recordsOf(keeper: ReturnType<typeof keptLines> | undefined, start: string, { most = 10, room = 1_000_000 } = {}) {
  return new StreamRecords({ keeper, start, most, mostUnanswered: 2, room, onDamage: () => {} });
}

const ids = (entries: readonly { readonly id: string }[]) => entries.map(({ id }) => id);

describe('the list', () => {
  test('has no more than so many, the newest first, those of earlier starts included', async () => {
    const keeper = keptLines();
    const first = recordsOf(keeper, 'a-');
    const gone = [];
    for (let n = 1; n <= 12; n += 1) gone.push(...first.add(recordOf(`a-${n}`)));
    expect(ids(gone.map(({ entry }) => entry))).toEqual(['a-1', 'a-2']);
    expect(ids(await first.list())).toEqual([12, 11, 10, 9, 8, 7, 6, 5, 4, 3].map((n) => `a-${n}`));
    await first.close();
    const second = recordsOf(keeper, 'b-');
    second.add(recordOf('b-1'));
    second.add(recordOf('b-2'));
    expect(ids(await second.list())).toEqual(['b-2', 'b-1', ...[12, 11, 10, 9, 8, 7, 6, 5].map((n) => `a-${n}`)]);
    expect(await second.findBefore('b-1')).toBeUndefined();
    await second.close();
  });

  test('loses nothing that lasts to what does not, in memory or at the keeper', async () => {
    const keeper = keptLines();
    const first = recordsOf(keeper, 'a-', { most: 3, room: 1_000 });
    const lasting = ['a-1', 'a-2', 'a-3'].map((id) => recordOf(id));
    for (const record of lasting) first.add(record);
    for (let n = 4; n < 100; n += 1) {
      first.add(recordOf(`a-${n}`, NOTHING_KEPT, REFUSED));
      first.write();
    }
    expect(ids(await first.list())).toEqual(['a-99', 'a-98', 'a-3', 'a-2', 'a-1']);
    expect(lasting.map((record) => first.keptOf(record))).toEqual(lasting.map(() => NOTHING_KEPT));
    expect(keeper.lines).toHaveLength(3);
    await first.close();
    expect(keeper.lines).toHaveLength(5);
    expect(ids(await recordsOf(keeper, 'b-', { most: 3 }).list())).toEqual(['a-99', 'a-98', 'a-3', 'a-2', 'a-1']);
  });

  test('a change of an entry replaces it, in its place', async () => {
    const keeper = keptLines();
    const first = recordsOf(keeper, 'a-');
    const [one, two] = [recordOf('a-1'), recordOf('a-2')];
    first.add(one);
    first.add(two);
    first.write();
    one.entry.message = 'changed';
    first.changed(one);
    await first.close();
    expect(keeper.lines).toHaveLength(3);
    // What is kept beside it has not changed, and is not written again.
    expect(keeper.lines[2]).toContain('"kept":null');
    const second = recordsOf(keeper, 'b-');
    expect((await second.list()).map(({ id, message }) => [id, message])).toEqual([
      ['a-2', null],
      ['a-1', 'changed'],
    ]);
    expect(await second.keptInFile('a-1')).toEqual(NOTHING_KEPT);
  });
});

describe('what is kept beside the entries', () => {
  const long = (text: string): Kept => ({ ...NOTHING_KEPT, path: text.repeat(400) });

  test('goes from memory when there is no room, the oldest first, and comes from the keeper then', async () => {
    const keeper = keptLines();
    const records = recordsOf(keeper, 'a-', { room: 1_500 });
    const all = ['1', '2', '3', '4', '5'].map((n) => recordOf(`a-${n}`, long(n)));
    for (const record of all) records.add(record);
    records.write();
    expect(all.map((record) => records.keptOf(record)?.path?.[0])).toEqual([undefined, undefined, '3', '4', '5']);
    expect(all.reduce((sum, { text }) => sum + (text?.length ?? 0), 0)).toBeLessThanOrEqual(1_500);
    expect(await records.keptInFile('a-1')).toEqual(long('1'));
    expect(await recordsOf(undefined, 'a-').keptInFile('a-1')).toBeUndefined();
  });

  test('stays, if alone, however long it is', () => {
    const records = recordsOf(undefined, 'a-', { room: 100 });
    const record = recordOf('a-1', long('x'));
    records.add(record);
    records.write();
    expect(records.keptOf(record)).toEqual(long('x'));
  });

  test('makes room again when its entry goes, and when all are cleared', async () => {
    const records = recordsOf(undefined, 'a-', { most: 2, room: 1_100 });
    for (const n of ['1', '2', '3', '4']) {
      records.add(recordOf(`a-${n}`, long(n)));
      records.write();
    }
    expect([...records.own()].map((record) => records.keptOf(record)?.path?.[0])).toEqual(['3', '4']);
    await records.clear();
    expect(await records.list()).toEqual([]);
    const next = ['5', '6'].map((n) => recordOf(`a-${n}`, long(n)));
    for (const record of next) records.add(record);
    records.write();
    expect(next.map((record) => records.keptOf(record)?.path?.[0])).toEqual(['5', '6']);
  });
});
