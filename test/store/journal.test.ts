import { appendFileSync, readFileSync, truncateSync, writeFileSync } from 'node:fs';
import { copyFile, readdir, readFile, rename, unlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, onTestFinished, test } from 'vitest';
import { repairStore } from '../../src/store/inspect.js';
import { journalLine } from '../../src/store/journal-text.js';
import { type JsonFileStoreOptions, openJsonFileStore } from '../../src/store/json-file.js';
import type { Store } from '../../src/store/store.js';
import { StoreFile } from '../../src/store/store-file.js';
import { temporaryFolder } from '../contract/adapters.js';
import { newAccess, newOwner, newPasskey, START } from '../contract/samples.js';

async function open(path: string, options: JsonFileStoreOptions = {}): Promise<Store> {
  // The file does not follow by itself, so that no test depends on when it does.
  const store = await openJsonFileStore(path, { quiet: 3_600_000, ...options });
  onTestFinished(() => store.close());
  return store;
}

async function newPath(): Promise<string> {
  return join(await temporaryFolder(), 'passkeys.json');
}

const linesOf = (path: string): string[] => readFileSync(`${path}.journal`, 'utf8').split('\n').slice(1, -1);

/** What a process that is killed now would leave behind. */
async function killedCopy(path: string): Promise<string> {
  const copy = await newPath();
  await copyFile(path, copy);
  await copyFile(`${path}.journal`, `${copy}.journal`);
  return copy;
}

/** A store with one passkey in its file and three more in its journal, as a killed process leaves it. */
async function pending(): Promise<string> {
  const path = await newPath();
  const first = await open(path, { create: true });
  await first.insertPasskey(newPasskey());
  await first.close();
  const store = await open(path);
  for (let count = 0; count < 3; count += 1) await store.insertPasskey(newPasskey());
  return killedCopy(path);
}

const idsOf = async (store: Store): Promise<number[]> => (await store.listPasskeys()).map(({ id }) => id);

describe('a change', () => {
  test('is a line in the journal when it is acknowledged, and the file is as it was', async () => {
    const path = await newPath();
    const store = await open(path, { create: true });
    const before = await readFile(path, 'utf8');
    await store.insertPasskey(newPasskey());
    await store.renamePasskey(1, 'Phone');
    expect(linesOf(path).map((line) => JSON.parse(line))).toMatchObject([
      { n: 1, next_passkey_id: 2, passkeys: [{ id: 1, label: 'iCloud Keychain' }] },
      { n: 2, passkeys: [{ id: 1, label: 'Phone' }] },
    ]);
    expect(await readFile(path, 'utf8')).toBe(before);
    expect(await (await open(await killedCopy(path))).findPasskey(1)).toMatchObject({ label: 'Phone' });
  });

  test('of each kind is there again after a kill', async () => {
    const path = await newPath();
    const store = await open(path, { create: true });
    for (const email of ['a@example.com', 'b@example.com']) await store.insertOwner(newOwner({ email }));
    for (let count = 0; count < 3; count += 1) await store.insertPasskey(newPasskey());
    for (const passkeyId of [1, 2]) await store.insertAccess(newAccess({ passkeyId }));
    const use = { expectedSignCount: 0, signCount: 7, backupState: true, uvInitialized: true, lastUsedAt: START + 5 };
    await store.recordLogin({ passkeyId: 2, use });
    await store.recordCounterRegression(2, START + 6);
    await store.revokePasskeys([1], { at: START, reason: 'lost' });
    await store.restorePasskeys([1]);
    await store.revokePasskeys([3], { at: START + 1, reason: 'stolen' });
    await store.removeOwner({ type: 'User', id: 2 }, { at: START, reason: 'left' });
    const copy = await open(await killedCopy(path));
    for (const each of ['listOwners', 'listAccess'] as const) expect(await copy[each]()).toEqual(await store[each]());
    expect(await copy.listPasskeys({ revoked: true })).toEqual(await store.listPasskeys({ revoked: true }));
    expect(await copy.insertOwner(newOwner({ email: 'b@example.com' }))).toMatchObject({ id: 3 });
    expect(await copy.insertPasskey(newPasskey())).toMatchObject({ id: 4 });
  });

  test('that purges passkeys is in the journal by their ids; whoever reads it knows no such passkeys', async () => {
    const path = await newPath();
    const store = await open(path, { create: true });
    const [gone, kept] = [await store.insertPasskey(newPasskey()), await store.insertPasskey(newPasskey())];
    await store.revokePasskeys([1], { at: START, reason: undefined });
    const other = await open(path);
    await other.listPasskeys();
    await store.purge({ passkeys: [1], accesses: [] }, { endedBefore: START + 1 });
    expect(JSON.parse(linesOf(path).at(-1) ?? '')).toMatchObject({ n: 4, gone_passkeys: [1] });
    expect(await other.listPasskeys({ revoked: true })).toStrictEqual([kept]);
    const again = await other.insertPasskey(newPasskey({ credential: gone.credential }));
    expect(again.id).toBe(3);
    expect(await (await open(await killedCopy(path))).listPasskeys({ revoked: true })).toStrictEqual([kept, again]);
    await store.close();
    expect(await (await open(path)).listPasskeys({ revoked: true })).toStrictEqual([kept, again]);
  });

  test('shares one line, and so one lock and one flush, with those that come with it', async () => {
    const path = await newPath();
    const store = await open(path, { create: true });
    await Promise.all(Array.from({ length: 50 }, () => store.insertPasskey(newPasskey())));
    expect(linesOf(path)).toHaveLength(1);
  });

  test('takes as many bytes in the journal in a large store as in a small one', async () => {
    const path = await newPath();
    const store = await open(path, { create: true });
    const bytes: number[] = [];
    for (const count of [1, 500]) {
      await Promise.all(Array.from({ length: count }, () => store.insertPasskey(newPasskey())));
      await store.renamePasskey(1, 'Phone');
      await store.renamePasskey(1, 'Other');
      bytes.push(linesOf(path).at(-1)?.length ?? 0);
    }
    expect(Math.abs((bytes[1] ?? 0) - (bytes[0] ?? 0))).toBeLessThan(10);
  });

  test('made by another process is seen at once, also when that one has written the file meanwhile', async () => {
    const path = await newPath();
    const here = await open(path, { create: true });
    for (let round = 1; round <= 5; round += 1) {
      const there = await open(path);
      const passkey = await there.insertPasskey(newPasskey());
      expect(await here.findPasskeyByCredentialId(passkey.credential.id)).toMatchObject({ id: 2 * round - 1 });
      await there.close();
      expect(await here.insertPasskey(newPasskey())).toMatchObject({ id: 2 * round });
    }
    expect(await idsOf(here)).toEqual(Array.from({ length: 10 }, (_, index) => index + 1));
    expect(await idsOf(await open(await killedCopy(path)))).toEqual(await idsOf(here));
  });

  test.runIf(process.platform !== 'win32')('that was taken back for another of the same length is read anew', async () => {
    const path = await newPath();
    const store = await open(path, { create: true });
    await store.insertPasskey(newPasskey());
    await store.renamePasskey(1, 'Phone');
    const server = new StoreFile(path, {});
    expect((await server.read()).state.passkeys.get(1)).toMatchObject({ label: 'Phone' });
    const text = readFileSync(`${path}.journal`, 'utf8');
    const lines = text.trimEnd().split('\n');
    const { crc: _, ...entry } = JSON.parse(lines.pop()?.replace('"Phone"', '"Spoon"') ?? '');
    writeFileSync(`${path}.journal`, `${lines.join('\n')}\n${journalLine(entry)}`);
    expect(readFileSync(`${path}.journal`, 'utf8')).toHaveLength(text.length);
    expect((await server.read()).state.passkeys.get(1)).toMatchObject({ label: 'Spoon' });
    await server.close();
  });

  test.runIf(process.platform !== 'win32')(
    'by a command that writes the file as it ends does not have a server read the file anew',
    async () => {
      const path = await newPath();
      const runCommand = async () => {
        const command = await openJsonFileStore(path, { create: true });
        await command.insertPasskey(newPasskey());
        await command.close();
        expect(linesOf(path)).toEqual([]);
      };
      await runCommand();
      const server = new StoreFile(path, {});
      const before = await server.read();
      for (const passkeys of [2, 3]) {
        await runCommand();
        const after = await server.read();
        expect(after.state.passkeys.size).toBe(passkeys);
        // What is read from the file is an object of its own.
        expect(after).toBe(before);
      }
      await server.close();
    },
  );
});

describe('the file', () => {
  test('follows when it is quiet, and the journal is empty then', async () => {
    const path = await newPath();
    const store = await open(path, { create: true, quiet: 0 });
    await store.insertPasskey(newPasskey());
    while (JSON.parse(await readFile(path, 'utf8')).passkeys.length === 0 || linesOf(path).length > 0) await sleep(10);
    await store.renamePasskey(1, 'Phone');
    expect(await (await open(path)).findPasskey(1)).toMatchObject({ label: 'Phone' });
  });

  test('is brought up to date by who opens a store that was killed, once that one ends', async () => {
    const path = await pending();
    await (await openJsonFileStore(path, { create: true })).close();
    expect(JSON.parse(await readFile(path, 'utf8')).passkeys).toHaveLength(4);
    expect(linesOf(path)).toEqual([]);
  });

  test('is left alone by who only reads', async () => {
    const path = await pending();
    const before = await Promise.all([readFile(path), readFile(`${path}.journal`)]);
    const store = await openJsonFileStore(path);
    expect(await idsOf(store)).toEqual([1, 2, 3, 4]);
    await store.close();
    expect(await Promise.all([readFile(path), readFile(`${path}.journal`)])).toEqual(before);
  });

  test('that is edited by hand serves at once, and changes go on from there', async () => {
    const path = await newPath();
    const first = await open(path, { create: true });
    await first.insertPasskey(newPasskey());
    await first.close();
    const store = await open(path);
    expect(await store.findPasskey(1)).toMatchObject({ label: 'iCloud Keychain' });
    await writeFile(path, (await readFile(path, 'utf8')).replace('iCloud Keychain', 'Edited'));
    expect(await store.findPasskey(1)).toMatchObject({ label: 'Edited' });
    await store.insertPasskey(newPasskey());
    await store.close();
    expect(JSON.parse(await readFile(path, 'utf8')).passkeys).toMatchObject([{ label: 'Edited' }, { id: 2 }]);
  });

  test('that was put back from a copy is used, since the journal holds no more than the file that it replaces', async () => {
    const path = await newPath();
    const store = await open(path, { create: true });
    await store.insertPasskey(newPasskey());
    await store.close();
    await copyFile(path, `${path}.copy`);
    const second = await open(path);
    await second.insertPasskey(newPasskey());
    await second.close();
    await rename(`${path}.copy`, path);
    const third = await open(path);
    expect(await idsOf(third)).toEqual([1]);
    await third.insertPasskey(newPasskey());
    expect(await idsOf(await open(await killedCopy(path)))).toEqual([1, 2]);
  });

  test.each([
    ['the file of another store', (path: string) => otherStore(path), 'the journal belongs to another store'],
    ['an older copy', (path: string) => olderCopy(path), 'the journal begins after change 1, and the file ends with change 0'],
  ])('%s beside a journal with changes that it lacks is refused, and nothing is lost', async (_, put, why) => {
    const path = await pending();
    await put(path);
    const before = await readFile(`${path}.journal`, 'utf8');
    await expect(openJsonFileStore(path, { create: true })).rejects.toMatchObject({
      code: 'store_damaged',
      message: `The store ${path} does not fit its journal ${path}.journal, which holds 3 more changes: ${why}. Nothing was changed. If the file is a copy that you want to use as it is, move the journal away; otherwise put the file back that belongs to it.`,
    });
    expect(await readFile(`${path}.journal`, 'utf8')).toBe(before);
    await unlink(`${path}.journal`);
    expect(await (await open(path)).listPasskeys()).toEqual([]);
  });

  test('that is gone beside a journal with changes is not taken for one that never was', async () => {
    const path = await pending();
    await unlink(path);
    await expect(openJsonFileStore(path, { create: true })).rejects.toMatchObject({
      code: 'store_damaged',
      message: expect.stringContaining(`its journal ${path}.journal holds changes`),
    });
    expect(await readdir(join(path, '..'))).toEqual(['passkeys.json.journal']);
  });

  async function otherStore(path: string): Promise<void> {
    const other = await newPath();
    await (await openJsonFileStore(other, { create: true })).close();
    await copyFile(other, path);
  }

  async function olderCopy(path: string): Promise<void> {
    const file = JSON.parse(await readFile(path, 'utf8'));
    await writeFile(path, JSON.stringify({ ...file, sequence: 0, passkeys: [], next_passkey_id: 1 }));
  }
});

describe('what a crash leaves of a line', () => {
  test.each([
    ['its beginning', (line: string) => line.slice(0, line.length / 2)],
    ['all but its end', (line: string) => line],
    ['blocks that were never written', () => '\0'.repeat(4096)],
    ['such blocks within it', (line: string) => `${line.slice(0, 40)}${'\0'.repeat(400)}${line.slice(440)}\n`],
  ])('%s is passed over, and cut by the next change', async (_, torn) => {
    const path = await pending();
    const last = linesOf(path).at(-1) ?? '';
    appendFileSync(`${path}.journal`, torn(last.replace('"n":4', '"n":5')));
    const before = readFileSync(`${path}.journal`);
    const store = await open(path);
    expect(await idsOf(store)).toEqual([1, 2, 3, 4]);
    expect(readFileSync(`${path}.journal`)).toEqual(before);
    expect(await store.insertPasskey(newPasskey())).toMatchObject({ id: 5 });
    expect(linesOf(path).map((line) => JSON.parse(line).n)).toEqual([2, 3, 4, 5]);
    expect(await idsOf(await open(await killedCopy(path)))).toEqual([1, 2, 3, 4, 5]);
  });

  test.each([
    [
      'a changed byte',
      (lines: string[]) => [lines[0], lines[1]?.replace('Keychain', 'Keychaim'), ...lines.slice(2)],
      2,
      'the line does not fit its checksum',
    ],
    ['a line that is missing', (lines: string[]) => [lines[0], ...lines.slice(2)], 2, 'expected change 2, got 3'],
    ['a line twice', (lines: string[]) => [lines[0], lines[2], ...lines.slice(2)], 2, 'expected change 2, got 3'],
    ['a line of something else', (lines: string[]) => [...lines, '{"hello":1}'], 5, 'expected a line that begins with its checksum'],
    ['a head that is missing', (lines: string[]) => lines.slice(1), 1, 'expected the head of a journal'],
    ['nothing', () => [], 1, 'expected the head of a journal'],
  ])('but %s is damage, with its line', async (_, damage, line, reason) => {
    const path = await pending();
    const lines = readFileSync(`${path}.journal`, 'utf8').split('\n').slice(0, -1);
    const damaged = damage(lines)
      .map((each) => `${each}\n`)
      .join('');
    writeFileSync(`${path}.journal`, damaged);
    await expect(openJsonFileStore(path, { create: true })).rejects.toMatchObject({
      code: 'store_damaged',
      message: expect.stringContaining(`The store ${path}.journal:${line} is damaged: ${reason}`),
    });
    expect(readFileSync(`${path}.journal`, 'utf8')).toBe(damaged);
  });

  test('a last newline that is another byte is damage, and repair saves its change', async () => {
    const path = await pending();
    const spoilt = readFileSync(`${path}.journal`);
    spoilt[spoilt.length - 1] = 0x0b;
    writeFileSync(`${path}.journal`, spoilt);
    await expect(openJsonFileStore(path, { create: true })).rejects.toMatchObject({
      code: 'store_damaged',
      message: expect.stringContaining(
        `The store ${path}.journal:4 is damaged: expected a newline at the end of the line, got another byte.`,
      ),
    });
    expect(readFileSync(`${path}.journal`)).toEqual(spoilt);
    const { passkeys, damages } = await repairStore(path, `${path}.repaired`);
    expect([passkeys, damages]).toMatchObject([4, [{ place: '4' }]]);
  });

  test('a journal of a later version is for that one', async () => {
    const path = await pending();
    const head = { journal: 3, store: 'a'.repeat(32), branch: 'b'.repeat(32), after: 0 };
    await writeFile(`${path}.journal`, journalLine(head));
    await expect(openJsonFileStore(path)).rejects.toMatchObject({
      code: 'store_unavailable',
      message: expect.stringContaining(`Expected schema version 2 in the store ${path}.journal; got 3.`),
    });
  });

  test('a journal that is cut while a store is open is read anew, and what is lost is not made up', async () => {
    const path = await pending();
    const store = await open(path);
    expect(await idsOf(store)).toEqual([1, 2, 3, 4]);
    const whole = readFileSync(`${path}.journal`);
    truncateSync(`${path}.journal`, whole.lastIndexOf('\n', whole.length - 2) + 1);
    expect(await idsOf(store)).toEqual([1, 2, 3]);
    await store.renamePasskey(1, 'Phone');
    expect(await idsOf(await open(await killedCopy(path)))).toEqual([1, 2, 3]);
  });
});
