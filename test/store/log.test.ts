import { appendFileSync, readFileSync, statSync, truncateSync, utimesSync, writeFileSync } from 'node:fs';
import { copyFile, readdir, readFile, rename, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { repairStore } from '../../src/store/inspect.js';
import { type JsonFileStoreOptions, openJsonFileStore } from '../../src/store/json-file.js';
import type { Store } from '../../src/store/store.js';
import { StoreFile } from '../../src/store/store-file.js';
import { temporaryFolder } from '../contract/adapters.js';
import { newAccess, newOwner, newPasskey, START } from '../contract/samples.js';

async function open(path: string, options: JsonFileStoreOptions = {}): Promise<Store> {
  const store = await openJsonFileStore(path, options);
  onTestFinished(() => store.close());
  return store;
}

async function newPath(): Promise<string> {
  return join(await temporaryFolder(), 'passkeys.jsonl');
}

/** The lines behind the head. */
const linesOf = (path: string): string[] => readFileSync(path, 'utf8').split('\n').slice(1, -1);

const parsed = (lines: readonly string[]) => lines.map((line) => JSON.parse(line));

/** The file that a process that is killed now would leave behind. */
async function killedCopy(path: string): Promise<string> {
  const copy = await newPath();
  await copyFile(path, copy);
  return copy;
}

/** A store with one passkey that a rewrite wrote and three more behind it, as a killed process leaves it. */
async function changedFile(): Promise<string> {
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
  test('is a line at the end of the file when it is acknowledged', async () => {
    const path = await newPath();
    const store = await open(path, { create: true });
    const before = await readFile(path, 'utf8');
    await store.insertPasskey(newPasskey());
    await store.renamePasskey(1, 'Phone');
    expect(parsed(linesOf(path))).toMatchObject([{ passkey: { id: 1, label: 'iCloud Keychain' } }, { passkey: { id: 1, label: 'Phone' } }]);
    expect((await readFile(path, 'utf8')).startsWith(before)).toBe(true);
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

  test('of many rows says in each line but the last that more follow', async () => {
    const path = await newPath();
    const store = await open(path, { create: true });
    const owner = await store.insertOwner(newOwner());
    await store.insertPasskey(newPasskey());
    const before = linesOf(path).length;
    await store.removeOwner(owner, { at: START, reason: 'left' });
    const lines = parsed(linesOf(path)).slice(before);
    expect(lines).toMatchObject([{ removed_owner: owner.id === 1 ? { type: 'User', id: 1 } : {}, more: true }, { passkey: { id: 1 } }]);
    expect(lines.at(-1)).not.toHaveProperty('more');
  });

  test('that purges passkeys names their ids; other processes have no such passkeys then', async () => {
    const path = await newPath();
    const store = await open(path, { create: true });
    const [gone, kept] = [await store.insertPasskey(newPasskey()), await store.insertPasskey(newPasskey())];
    await store.revokePasskeys([1], { at: START, reason: undefined });
    const other = await open(path);
    await other.listPasskeys();
    await store.purge({ passkeys: [1], accesses: [] }, { endedBefore: START + 1 });
    expect(parsed(linesOf(path)).at(-1)).toEqual({ gone_passkey: 1 });
    expect(await other.listPasskeys({ revoked: true })).toStrictEqual([kept]);
    const again = await other.insertPasskey(newPasskey({ credential: gone.credential }));
    expect(again.id).toBe(3);
    expect(await (await open(await killedCopy(path))).listPasskeys({ revoked: true })).toStrictEqual([kept, again]);
    await store.close();
    expect(await (await open(path)).listPasskeys({ revoked: true })).toStrictEqual([kept, again]);
  });

  test('leaves ids that are gone unused, even if the file was rewritten without them', async () => {
    const path = await newPath();
    const store = await open(path, { create: true });
    await store.insertPasskey(newPasskey());
    await store.revokePasskeys([1], { at: START, reason: undefined });
    await store.purge({ passkeys: [1], accesses: [] }, { endedBefore: START + 1 });
    await store.close();
    expect(linesOf(path)).toEqual([]);
    expect(await (await open(path)).insertPasskey(newPasskey())).toMatchObject({ id: 2 });
  });

  test('shares one write and one flush with those that wait with it', async () => {
    const path = await newPath();
    const store = await open(path, { create: true });
    await Promise.all(Array.from({ length: 50 }, () => store.insertPasskey(newPasskey())));
    const lines = parsed(linesOf(path));
    expect([lines.length, lines.filter(({ more }) => more === true).length]).toEqual([50, 49]);
  });

  test('by which users exchange their e-mails is read again', async () => {
    const path = await newPath();
    const store = await open(path, { create: true });
    for (const email of ['a@example.com', 'b@example.com']) await store.insertOwner(newOwner({ email }));
    const rename = (id: number, email: string) => store.editOwner({ type: 'User', id }, { email });
    await Promise.all([rename(1, 'c@example.com'), rename(2, 'a@example.com'), rename(1, 'b@example.com')]);
    const copy = await open(await killedCopy(path));
    expect((await copy.listOwners()).map(({ email }) => email)).toEqual(['b@example.com', 'a@example.com']);
  });

  test('takes as many bytes in a large store as in a small one', async () => {
    const path = await newPath();
    const store = await open(path, { create: true });
    const bytes: number[] = [];
    for (const count of [1, 500]) {
      await Promise.all(Array.from({ length: count }, () => store.insertPasskey(newPasskey())));
      const before = statSync(path).size;
      await store.renamePasskey(1, 'Phone');
      bytes.push(statSync(path).size - before);
      await store.renamePasskey(1, 'Other');
    }
    expect(bytes[1]).toBe(bytes[0]);
  });

  test('made by another process is seen at once, even if that one has rewritten the file meanwhile', async () => {
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

  test.runIf(process.platform !== 'win32')('that was cut off for another of the same length is read anew', async () => {
    const path = await newPath();
    const store = await open(path, { create: true });
    await store.insertPasskey(newPasskey());
    await store.renamePasskey(1, 'Phone');
    const server = new StoreFile(path, {});
    expect((await server.read()).state.passkeys.get(1)).toMatchObject({ label: 'Phone' });
    const { mtime, atime } = statSync(path);
    writeFileSync(path, readFileSync(path, 'utf8').replace('"Phone"', '"Spoon"'));
    utimesSync(path, atime, mtime);
    expect((await server.read()).state.passkeys.get(1)).toMatchObject({ label: 'Spoon' });
    server.close();
  });

  test('of another process is read without what was read before', async () => {
    const path = await newPath();
    const store = await open(path, { create: true });
    await store.insertPasskey(newPasskey());
    const server = new StoreFile(path, {});
    const before = await server.read();
    await store.insertPasskey(newPasskey());
    const after = await server.read();
    expect([after.state.passkeys.size, after]).toEqual([2, before]);
    expect(after).toBe(before);
    server.close();
  });
});

describe('the file', () => {
  test('is rewritten without superseded lines when these are more than 1,000 and most of it, while changes go on', async () => {
    const path = await newPath();
    const store = await open(path, { create: true });
    await store.insertPasskey(newPasskey());
    const { ino } = await stat(path);
    for (let round = 0; (await stat(path)).ino === ino; round += 1) {
      expect(round).toBeLessThan(60);
      for (let change = 0; change < 50; change += 1) await store.renamePasskey(1, `${round}-${change}`);
    }
    const last = (await store.findPasskey(1))?.label;
    expect(linesOf(path).length).toBeLessThan(1_000);
    expect(await (await open(await killedCopy(path))).findPasskey(1)).toMatchObject({ label: last });
  });

  test('is rewritten when a store is closed after a change', async () => {
    const path = await changedFile();
    const store = await openJsonFileStore(path);
    await store.renamePasskey(1, 'Phone');
    await store.close();
    expect(parsed(linesOf(path))).toMatchObject([{ passkey: { label: 'Phone' } }, {}, {}, {}]);
    expect(JSON.parse(readFileSync(path, 'utf8').split('\n')[0] ?? '')).toMatchObject({ rows: 4, next_passkey_id: 5, next_access_id: 1 });
  });

  test('of more than a megabyte is left as it is when a store is closed', async () => {
    const path = await newPath();
    const store = await open(path, { create: true });
    await Promise.all(Array.from({ length: 1_000 }, () => store.insertPasskey(newPasskey())));
    const { size, ino } = await stat(path);
    expect(size).toBeGreaterThan(1_000_000);
    await store.close();
    expect(await stat(path)).toMatchObject({ size, ino });
  });

  test('is left alone by a process that only reads', async () => {
    const path = await changedFile();
    const before = await readFile(path);
    const store = await openJsonFileStore(path);
    expect(await idsOf(store)).toEqual([1, 2, 3, 4]);
    await store.close();
    expect(await readFile(path)).toEqual(before);
  });

  test('that is edited by hand serves at once, and changes go on from there', async () => {
    const path = await newPath();
    const store = await open(path, { create: true });
    await store.insertPasskey(newPasskey());
    expect(await store.findPasskey(1)).toMatchObject({ label: 'iCloud Keychain' });
    await writeFile(path, (await readFile(path, 'utf8')).replace('iCloud Keychain', 'Edited'));
    expect(await store.findPasskey(1)).toMatchObject({ label: 'Edited' });
    await store.insertPasskey(newPasskey());
    await store.close();
    expect(parsed(linesOf(path))).toMatchObject([{ passkey: { label: 'Edited' } }, { passkey: { id: 2 } }]);
  });

  test('that was put back from a copy is used', async () => {
    const path = await newPath();
    const store = await open(path, { create: true });
    await store.insertPasskey(newPasskey());
    await copyFile(path, `${path}.copy`);
    await store.insertPasskey(newPasskey());
    await rename(`${path}.copy`, path);
    expect(await idsOf(store)).toEqual([1]);
    expect(await store.insertPasskey(newPasskey())).toMatchObject({ id: 2 });
    expect(await idsOf(await open(await killedCopy(path)))).toEqual([1, 2]);
  });

  test('may be an export: the first change makes it a store in use', async () => {
    const path = await changedFile();
    const out = await newPath();
    await repairStore(path, out);
    const before = await readFile(out, 'utf8');
    expect(parsed(linesOf(out)).at(-1)).toEqual({ end: { sha256: expect.stringMatching(/^[0-9a-f]{64}$/) } });
    const store = await open(out);
    expect(await idsOf(store)).toEqual([1, 2, 3, 4]);
    expect(await readFile(out, 'utf8')).toBe(before);
    expect(await store.insertPasskey(newPasskey())).toMatchObject({ id: 5 });
    expect(await idsOf(await open(await killedCopy(out)))).toEqual([1, 2, 3, 4, 5]);
    expect(parsed(linesOf(out)).filter((line) => 'end' in line)).toEqual([]);
  });
});

describe('of an export that is opened as a store', () => {
  test.each([
    ['a flipped character', (text: string) => text.replace('Keychain', 'Keychaim'), 6, 'the digest is not that of the lines above'],
    ['a missing end mark', (text: string) => text.replace(/\{"end".*\n/, ''), 6, 'the export is cut off: its end mark is missing'],
    ['a missing row', (text: string) => text.replace(/\{"passkey":\{"id":2,.*\n/, ''), 5, 'expected 4 rows above, got 3'],
    ['a line after the end mark', (text: string) => `${text}{"gone_passkey":1}\n`, 7, 'expected nothing after the end mark'],
  ])('%s is damage', async (_, damage, line, reason) => {
    const out = await newPath();
    await repairStore(await changedFile(), out);
    await writeFile(out, damage(await readFile(out, 'utf8')));
    await expect(openJsonFileStore(out)).rejects.toMatchObject({
      code: 'store_damaged',
      message: expect.stringContaining(`The store ${out}:${line} is damaged: ${reason}`),
    });
  });
});

describe('what a crash leaves of a change', () => {
  test.each([
    ['its beginning', (line: string) => line.slice(0, line.length / 2)],
    ['all but its end', (line: string) => line],
    ['its first lines', (line: string) => `${line.slice(0, -1)},"more":true}\n`],
    ['its first lines and a part of the last', (line: string) => `${line.slice(0, -1)},"more":true}\n${line.slice(0, 50)}`],
    ['blocks that were never written', () => '\0'.repeat(4096)],
    ['such blocks within it', (line: string) => `${line.slice(0, 40)}${'\0'.repeat(400)}${line.slice(440)}\n`],
  ])('%s is passed over, and cut off by the next change', async (_, torn) => {
    const path = await changedFile();
    const last = linesOf(path).at(-1) ?? '';
    const before = readFileSync(path);
    appendFileSync(path, torn(last.replace('"id":4', '"id":5')));
    const left = readFileSync(path);
    const store = await open(path);
    expect(await idsOf(store)).toEqual([1, 2, 3, 4]);
    expect(readFileSync(path)).toEqual(left);
    expect(await store.insertPasskey(newPasskey())).toMatchObject({ id: 5 });
    expect(readFileSync(path).subarray(0, before.length)).toEqual(before);
    expect(linesOf(path)).toHaveLength(5);
    expect(await idsOf(await open(await killedCopy(path)))).toEqual([1, 2, 3, 4, 5]);
  });

  test.each([
    ['a line of something else', (lines: string[]) => [...lines, '{"hello":1}'], 6, 'expected an owner, removed_owner, passkey'],
    ['a line that is no JSON', (lines: string[]) => lines.with(2, '{"passkey":'), 3, 'expected JSON'],
    [
      'a line of a member that is missing',
      (lines: string[]) => lines.with(3, lines[3]?.replace('"label"', '"lable"') ?? ''),
      4,
      '/passkey/label is missing',
    ],
    ['a row that is missing', (lines: string[]) => [lines[0] ?? ''], 2, 'the file is cut off: its head says that 1 row'],
    ['zeros in a row that a rewrite wrote', (lines: string[]) => lines.with(1, '\0'.repeat(40)), 2, 'expected JSON'],
    ['zeros before a line', (lines: string[]) => lines.with(2, '\0'.repeat(40)), 3, 'expected JSON'],
    ['a head that is missing', (lines: string[]) => lines.slice(1), 1, 'expected the head of a store'],
    ['nothing', () => [], 1, 'the file is empty'],
  ])('but %s is damage, with its line', async (_, damage, line, reason) => {
    const path = await changedFile();
    const lines = readFileSync(path, 'utf8').split('\n').slice(0, -1);
    const damaged = damage(lines)
      .map((each) => `${each}\n`)
      .join('');
    writeFileSync(path, damaged);
    await expect(openJsonFileStore(path, { create: true })).rejects.toMatchObject({
      code: 'store_damaged',
      message: expect.stringContaining(`The store ${path}:${line} is damaged: ${reason}`),
    });
    expect(readFileSync(path, 'utf8')).toBe(damaged);
  });

  test('a last line feed that is another byte is damage, and repair saves its change', async () => {
    const path = await changedFile();
    const spoilt = readFileSync(path);
    spoilt[spoilt.length - 1] = 0x0b;
    writeFileSync(path, spoilt);
    await expect(openJsonFileStore(path, { create: true })).rejects.toMatchObject({
      code: 'store_damaged',
      message: expect.stringContaining(`The store ${path}:5 is damaged: expected a line feed at the end of the line, got another byte.`),
    });
    expect(readFileSync(path)).toEqual(spoilt);
    const { passkeys, damages } = await repairStore(path, `${path}.repaired`);
    expect([passkeys, damages]).toMatchObject([4, [{ place: '5' }]]);
  });

  test('a file that is cut while a store is open is read anew, and what is lost is not made up', async () => {
    const path = await changedFile();
    const store = await open(path);
    expect(await idsOf(store)).toEqual([1, 2, 3, 4]);
    const whole = readFileSync(path);
    truncateSync(path, whole.lastIndexOf('\n', whole.length - 2) + 1);
    expect(await idsOf(store)).toEqual([1, 2, 3]);
    await store.renamePasskey(1, 'Phone');
    expect(await idsOf(await open(await killedCopy(path)))).toEqual([1, 2, 3]);
  });
});

describe('a file of a build before the first release', () => {
  const OLD = '{\n  "version": 2,\n  "store": "0123456789abcdef0123456789abcdef"\n}\n';

  test.each([
    ['a store', OLD],
    ['an export', '{"passkey_export":1,"exported_at":"2026-01-15T10:30:00.000000Z"}\n'],
  ])('%s is refused and left as it is', async (_, content) => {
    const path = await newPath();
    await writeFile(path, content);
    for (const create of [false, true]) {
      await expect(openJsonFileStore(path, { create })).rejects.toMatchObject({
        code: 'store_unavailable',
        message: `${path} was written by an unreleased build of passkey. Use that build, or choose another --store.`,
      });
    }
    expect([await readFile(path, 'utf8'), await readdir(join(path, '..'))]).toEqual([content, ['passkeys.jsonl']]);
  });

  test('at the former path of the default store is not passed over', async () => {
    const path = await newPath();
    const earlier = path.slice(0, -1);
    await writeFile(earlier, OLD);
    for (const create of [false, true]) {
      await expect(openJsonFileStore(path, { create })).rejects.toMatchObject({
        code: 'store_unavailable',
        message: `${earlier} was written by an unreleased build of passkey. Use that build, or choose another --store.`,
      });
    }
    expect(await readdir(join(path, '..'))).toEqual(['passkeys.json']);
    await (await open(join(path, '..', 'other.jsonl'), { create: true })).insertPasskey(newPasskey());
  });
});
