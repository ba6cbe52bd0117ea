import { expect, test } from 'vitest';
import { createAccounts } from '../../src/accounts/accounts.js';
import { createEmailFinder } from '../../src/cli/emails.js';
import { createMemoryStore } from '../../src/store/memory.js';
import { START } from '../contract/samples.js';

test('for a list in portions each user is read once, and no other', async () => {
  const random = (length: number) => new Uint8Array(length);
  const accounts = createAccounts({ store: createMemoryStore(), ownerType: 'User', now: () => START, randomBytes: random });
  const { id } = await accounts.addOwner({ email: 'ada@example.com', name: 'Ada' });
  await accounts.addOwner({ email: 'bob@example.com', name: 'Bob' });
  const reads: number[] = [];
  const find = createEmailFinder({
    listOwners: (query) => {
      reads.push(query?.owners?.length ?? Infinity);
      return accounts.listOwners(query);
    },
  });
  for (let portion = 0; portion < 3; portion += 1) {
    const removed = Array.from({ length: 1100 }, (_, index) => ({ type: 'User', id: 10 + 1100 * portion + index }));
    expect(await find([{ type: 'User', id }, ...removed])).toEqual(new Map([[`User:${id}`, 'ada@example.com']]));
  }
  expect(reads).toEqual([1000, 101, 1000, 100, 1000, 100]);
});
