import { appendFileSync, existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { keptInMemory, keptInServerFile } from '../../../src/cli/answer/keeper.js';
import { changeCredentials, readCredentials } from '../../../src/cli/credentials-file.js';
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

describe('a file that a server answers from', () => {
  async function served(max?: number) {
    const cwd = await tempFolder();
    const sample = await seedCredentials(cwd);
    const path = join(cwd, '.passkey/credentials.json');
    const keeper = keptInServerFile(path, max);
    const put = (number: number) =>
      keeper.change({ create: true }, (store) => store.put({ ...sample, id: new Uint8Array(16).fill(number), discoverable: false }));
    return { path, keeper, put, sample };
  }
  const idsIn = async (path: string) => (await readCredentials(path)).map(({ id }) => id[0]);

  test('takes a line for an answer, and reads and writes nothing else, however long it is', async () => {
    const { path, keeper, put } = await served();
    const lengths: number[] = [];
    for (const count of [1, 200]) {
      for (let number = 0; number < count; number += 1) await put(number % 250);
      const before = [statSync(path).ino, statSync(`${path}.journal`).size] as const;
      const finds: unknown[] = [];
      // A store that is read again has other functions.
      for (let answer = 0; answer < 2; answer += 1) await keeper.change({ create: true }, async ({ find }) => finds.push(find));
      expect(finds[0]).toBe(finds[1]);
      await put(251);
      expect(statSync(path).ino).toBe(before[0]);
      lengths.push(statSync(`${path}.journal`).size - before[1]);
    }
    expect(lengths[0]).toBe(lengths[1]);
    const held = await idsIn(path);
    await keeper.close?.();
    expect(existsSync(`${path}.journal`)).toBe(false);
    expect(new Set(await idsIn(path))).toEqual(new Set(held));
    expect(held).toHaveLength(202);
  });

  test('is bounded: the oldest credentials go, and are gone for every other process', async () => {
    const { path, put, sample } = await served(3);
    for (let number = 1; number <= 5; number += 1) await put(number);
    expect(await idsIn(path)).toEqual([3, 4, 5]);
    // What a command adds is not the server's to remove.
    await changeCredentials(path, { create: false }, (store) => store.put(sample));
    await put(6);
    expect(await idsIn(path)).toEqual([4, 5, sample.id[0], 6]);
  });

  test('has what was answered after a kill; a line that was cut off is passed over, and a damaged one refused', async () => {
    const { path, put, sample } = await served();
    await put(1);
    appendFileSync(`${path}.journal`, '{"put":{"ty');
    expect(await idsIn(path)).toEqual([sample.id[0], 1]);
    await put(2);
    expect(await idsIn(path)).toEqual([sample.id[0], 1, 2]);
    writeFileSync(`${path}.journal`, readFileSync(`${path}.journal`, 'utf8').replace('"put"', '"get"'));
    await expect(readCredentials(path)).rejects.toMatchObject({
      code: 'store_damaged',
      message: `The credentials file ${path}.journal:1 is damaged: expected a change of a credential. Nothing was changed. Correct the file, restore a copy, or name another file with --credentials.`,
    });
  });

  test('is not read again because a request failed', async () => {
    const { keeper } = await served();
    const finds: unknown[] = [];
    for (let round = 0; round < 2; round += 1) {
      const failing = keeper.change({ create: true }, async ({ find }) => {
        finds.push(find);
        throw new TypeError('no credential');
      });
      await expect(failing).rejects.toThrow('no credential');
    }
    expect(finds[0]).toBe(finds[1]);
  });
});
