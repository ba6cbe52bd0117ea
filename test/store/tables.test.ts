import { expect } from 'vitest';
import { insertPasskey, listPasskeys } from '../../src/store/passkeys.js';
import { createDraft, createState } from '../../src/store/state.js';
import { GrowingList } from '../../src/store/tables.js';
import { newPasskey } from '../contract/samples.js';
import { openWorkCounter } from '../count-work.js';
import { quick as test, thorough } from '../thorough.js';

test('a list stays as it is for those who hold it, whatever is made from it', () => {
  const one = new GrowingList<number>().with(1);
  const two = one.with(2);
  const other = one.with(3);
  const three = two.with(4);
  expect([one, two, other, three].map((list) => [...list])).toEqual([[1], [1, 2], [1, 3], [1, 2, 4]]);
  expect([one, two, other, three].map(({ length }) => length)).toEqual([1, 2, 2, 3]);
});

test('a draft that comes to nothing leaves no passkey with its user', () => {
  const state = createState();
  for (const commits of [true, false, true]) {
    const draft = createDraft(state);
    insertPasskey(draft.state, newPasskey({ label: String(commits) }));
    if (commits) draft.commit();
  }
  expect(listPasskeys(state, { owner: { type: 'User', id: 1 } }).map(({ id, label }) => [id, label])).toEqual([
    [1, 'true'],
    [2, 'true'],
  ]);
});

thorough('to insert a passkey costs the same however many its user has', async () => {
  const state = createState();
  const insert = (count: number) => () => {
    for (let n = 0; n < count; n += 1) {
      const draft = createDraft(state);
      insertPasskey(draft.state, newPasskey());
      draft.commit();
    }
  };
  const counter = await openWorkCounter();
  try {
    await counter.count(insert(50));
    const first = await counter.count(insert(50));
    await counter.count(insert(500));
    const last = await counter.count(insert(50));
    expect(first).toBeGreaterThan(50);
    expect(last / first).toBeLessThan(1.5);
  } finally {
    await counter.close();
  }
});
