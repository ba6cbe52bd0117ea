import { expect } from 'vitest';
import type { Store } from '../../../src/store/store.js';
import { copyStore } from '../../../src/store/transfer/copy-store.js';
import type { StoreTransfer } from '../../../src/store/transfer-port.js';
import { type Adapter, databases, jsonFile, memory } from '../../contract/adapters.js';
import { addMany, allOf, fill } from '../../contract/moved.js';
import { newOwner, newPasskey, START } from '../../contract/samples.js';
import { quick, thorough } from '../../thorough.js';

const PAIRS: [from: Adapter, to: Adapter][] = [
  [jsonFile, jsonFile],
  ...databases.flatMap((database): [Adapter, Adapter][] => [
    [jsonFile, database],
    [database, jsonFile],
  ]),
];

const NOTHING = { owner: 0, removed_owner: 0, passkey: 0, access: 0 };

/** A store that does something else at its nth change. */
function atChange(store: Store, nth: number, work: () => Promise<void>): Store {
  let changes = 0;
  const add: StoreTransfer['add'] = async (rows, decide) => {
    changes += 1;
    if (changes === nth) await work();
    return store.transfer.add(rows, decide);
  };
  return { ...store, transfer: { ...store.transfer, add } };
}

quick.each(PAIRS)('from $name to $name every row is copied and compared', async (from, to) => {
  const [source, target] = [await from.open(), await to.open()];
  await fill(source);
  const all = await allOf(source);
  const steps: string[] = [];
  const report = await copyStore(source, target, { onProgress: (doing, { done, total }) => steps.push(`${doing} ${done}/${total}`) });
  expect(report).toEqual({ status: 'done', added: all.counts, kept: NOTHING, differences: [], found: 0 });
  expect(await allOf(target)).toStrictEqual(all);
  for (const doing of ['check', 'copy', 'verify']) expect(steps).toContain(`${doing} 8/8`);
  expect(await copyStore(source, target)).toMatchObject({ status: 'done', added: NOTHING, kept: all.counts });
});

thorough('a copy that was interrupted goes on, and shows what its source was at one moment', async () => {
  const [source, target] = [await memory.open(), await memory.open()];
  await fill(source);
  await addMany(source, 600);
  const stop = new AbortController();
  const interrupted = copyStore(source, target, {
    signal: stop.signal,
    onProgress: (doing) => doing === 'copy' && stop.abort(new Error('Ctrl-C')),
  });
  await expect(interrupted).rejects.toThrow('Ctrl-C');
  const { counts } = await allOf(target);
  expect(counts.passkey).toBeGreaterThan(0);
  expect(counts.passkey).toBeLessThan(603);
  const before = await allOf(source);
  const busy = atChange(target, 2, async () => {
    await source.insertPasskey(newPasskey());
    await source.renamePasskey(1, 'changed meanwhile');
  });
  expect(await copyStore(source, busy)).toMatchObject({ status: 'done', kept: counts });
  expect(await allOf(target)).toStrictEqual(before);
  // From now on the source is another one.
  expect(await copyStore(source, target)).toMatchObject({ status: 'refused', differences: ['passkey 1 differs: label'], found: 1 });
});

quick('a store with something else is refused, and not changed', async () => {
  const [source, target] = [await memory.open(), await memory.open()];
  await fill(source);
  await target.insertOwner(newOwner({ type: 'Robot' }));
  const before = await allOf(target);
  expect(await copyStore(source, target)).toEqual({
    status: 'refused',
    added: NOTHING,
    kept: NOTHING,
    differences: ['user Robot:1 is in the copy only'],
    found: 1,
  });
  expect(await allOf(target)).toStrictEqual(before);
});

quick('what another process does to the copy is found and named', async () => {
  const [source, target] = [await memory.open(), await memory.open()];
  await fill(source);
  await addMany(source, 600);
  const taken = atChange(target, 1, async () => void (await target.insertOwner(newOwner({ email: 'bob@example.com' }))));
  expect(await copyStore(source, taken)).toMatchObject({
    status: 'differs',
    differences: [expect.stringMatching(/^user User:1 differs/), expect.anything()],
  });

  const second = await memory.open();
  const used = atChange(second, 2, async () => {
    await second.revokePasskeys([1], { at: START, reason: 'x' });
    await second.insertOwner(newOwner({ type: 'Robot' }));
  });
  expect(await copyStore(source, used)).toMatchObject({
    status: 'differs',
    differences: ['passkey 1 differs: revoked_at, revoked_reason', 'user Robot:1 is in the copy only'],
  });
});
