import { expect, test } from 'vitest';
import { keptInMemory } from '../../../src/cli/answer/keeper.js';
import { seedCredentials } from '../seeded-credentials.js';
import { tempFolder } from '../temp-folder.js';

test('what is kept in memory is bounded: the oldest credentials go', async () => {
  const sample = await seedCredentials(await tempFolder());
  const keeper = keptInMemory(3);
  for (let number = 1; number <= 5; number += 1) {
    const id = new Uint8Array(16).fill(number);
    const rpId = `${number % 2}.example.org`;
    await keeper.change({ create: true }, (store) => store.put({ ...sample, id, rpId, discoverable: false }));
  }
  const held = await keeper.change({ create: true }, (store) => store.list());
  expect(held.map(({ id }) => id[0])).toEqual([3, 4, 5]);
});
