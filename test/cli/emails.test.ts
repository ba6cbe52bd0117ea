import { expect, test } from 'vitest';
import { createAccounts } from '../../src/accounts/accounts.js';
import { createEmailFinder } from '../../src/cli/emails.js';
import { createMemoryStore } from '../../src/store/memory.js';
import { START } from '../contract/samples.js';

test('all users are read once for a list in portions, however many of them were removed', async () => {
  const random = (length: number) => new Uint8Array(length);
  const accounts = createAccounts({ store: createMemoryStore(), ownerType: 'User', now: () => START, randomBytes: random });
  const { id } = await accounts.addOwner({ email: 'ada@example.com', name: 'Ada' });
  let reads = 0;
  const find = createEmailFinder({
    findOwner: accounts.findOwner,
    listOwners: () => {
      reads += 1;
      return accounts.listOwners();
    },
  });
  for (let portion = 0; portion < 3; portion += 1) {
    const removed = Array.from({ length: 100 }, (_, index) => ({ type: 'User', id: id + 1 + 100 * portion + index }));
    expect(await find([{ type: 'User', id }, ...removed])).toEqual(new Map([[`User:${id}`, 'ada@example.com']]));
  }
  expect(reads).toBe(1);
});
