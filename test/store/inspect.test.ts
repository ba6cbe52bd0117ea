import { appendFileSync, readFileSync, writeFileSync } from 'node:fs';
import { copyFile, readFile, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { checkStore, repairStore } from '../../src/store/inspect.js';
import { openJsonFileStore } from '../../src/store/json-file.js';
import { temporaryFolder } from '../contract/adapters.js';
import { newAccess, newOwner, newPasskey, START } from '../contract/samples.js';

/** Two users, three passkeys and a session that a rewrite wrote; two passkeys more behind them. */
async function changedStore(): Promise<string> {
  const folder = await temporaryFolder();
  const [made, path] = [join(folder, 'made.jsonl'), join(folder, 'passkeys.jsonl')];
  const first = await openJsonFileStore(made, { create: true });
  for (const email of ['a@example.com', 'b@example.com']) await first.insertOwner(newOwner({ email }));
  for (let count = 0; count < 3; count += 1) await first.insertPasskey(newPasskey());
  await first.insertAccess(newAccess());
  await first.close();
  const store = await openJsonFileStore(made);
  for (let count = 0; count < 2; count += 1) await store.insertPasskey(newPasskey());
  await copyFile(made, path);
  await store.close();
  return path;
}

/** The rows of the repaired store, and the damages of the other. */
async function repaired(path: string) {
  const out = `${path}.repaired`;
  const before = readFileSync(path);
  const report = await repairStore(path, out);
  expect(readFileSync(path)).toEqual(before);
  expect(await checkStore(path)).toEqual(report);
  const store = await openJsonFileStore(out);
  const found = {
    owners: (await store.listOwners()).map(({ email }) => email),
    passkeys: (await store.listPasskeys({ revoked: true })).map(({ id }) => id),
    accesses: (await store.listAccess()).length,
    next: (await store.insertPasskey(newPasskey())).id,
  };
  await store.close();
  return { found, damages: report.damages.map(({ file, place, reason }) => `${file.slice(path.length)}:${place} ${reason}`) };
}

const WHOLE = { owners: ['a@example.com', 'b@example.com'], passkeys: [1, 2, 3, 4, 5], accesses: 1, next: 6 };

function edit(path: string, change: (text: string) => string): void {
  const text = readFileSync(path, 'utf8');
  const changed = change(text);
  expect(changed).not.toBe(text);
  writeFileSync(path, changed);
}

describe('what can be saved of a store', () => {
  test('all of one that is whole', async () => {
    const path = await changedStore();
    expect(await checkStore(path)).toEqual({ path, owners: 2, passkeys: 5, revoked: 0, accesses: 1, damages: [] });
    expect(await repaired(path)).toEqual({ found: WHOLE, damages: [] });
  });

  test('all but the row that does not fit', async () => {
    const path = await changedStore();
    edit(path, (text) => text.replace('"id":2,"label"', '"id":2,"lable"'));
    expect(await repaired(path)).toEqual({
      found: { ...WHOLE, passkeys: [1, 3, 4, 5] },
      damages: [':5 /passkey/label is missing'],
    });
  });

  test('all but the lines that are no JSON', async () => {
    const path = await changedStore();
    edit(path, (text) => text.replace('"b@example.com"', '"b@exam\u0007ple.com').replace('"id":3,"label":', '"id":3,label:'));
    expect(await repaired(path)).toEqual({
      found: { owners: ['a@example.com'], passkeys: [1, 2, 4, 5], accesses: 1, next: 6 },
      damages: [':3 expected JSON', ':6 expected JSON'],
    });
  });

  test('all but a row that contradicts an earlier one', async () => {
    const path = await changedStore();
    edit(path, (text) => text.replace('"email":"b@example.com"', '"email":"a@example.com"'));
    expect(await repaired(path)).toEqual({ found: { ...WHOLE, owners: ['a@example.com'] }, damages: [':3 the e-mail of User:2 is taken'] });
  });

  test('the first half of a file that was cut', async () => {
    const path = await changedStore();
    edit(path, (text) => text.slice(0, text.indexOf('"id":3,"label"') + 30));
    expect(await repaired(path)).toEqual({
      found: { ...WHOLE, passkeys: [1, 2], accesses: 0, next: 4 },
      damages: [':6 the file is cut off: its head says that 6 rows follow, and there are 4'],
    });
  });

  test('all rows of a file whose head is lost', async () => {
    const path = await changedStore();
    edit(path, (text) => text.replace('"passkey_store":1', '"passkey_store":one'));
    expect(await repaired(path)).toEqual({ found: WHOLE, damages: [':1 expected JSON'] });
  });

  test('all changes that are whole, without the beginning of one that a crash left', async () => {
    const path = await changedStore();
    edit(path, (text) => text.replace('"id":4,"label"', '"id":4,"lable"'));
    const last = readFileSync(path, 'utf8').trimEnd().split('\n').at(-1) ?? '';
    appendFileSync(path, `${last.replace('"id":5', '"id":6').slice(0, -1)},"more":true}\n${last.slice(0, 40)}`);
    expect((await repaired(path)).found).toEqual({ ...WHOLE, passkeys: [1, 2, 3, 5], next: 7 });
  });

  test('a number is not given again, where the next ids are lost and only a damaged row or a login has it', async () => {
    const path = await changedStore();
    const lost = (text: string) => text.replace(/"next_passkey_id":\d+/, '"next_passkey_id":0');
    edit(path, (text) =>
      lost(text)
        .replace(/\{"passkey":\{"id":[45],.*\n/g, '')
        .replace('"id":3,"label"', '"id":9,"lable"'),
    );
    expect((await repaired(path)).found).toMatchObject({ passkeys: [1, 2], next: 10 });
    await unlink(`${path}.repaired`);
    edit(path, (text) => text.replace('"passkey_id":null', '"passkey_id":41'));
    expect((await repaired(path)).found).toMatchObject({ passkeys: [1, 2], next: 42 });
    await unlink(`${path}.repaired`);
    edit(path, (text) => text.replace(/\{"passkey":\{"id":9.*\n/, '').replace('"passkey_id":41', '"passkey_id":null'));
    expect((await repaired(path)).found).toMatchObject({ passkeys: [1, 2], next: 3 });
  });

  test('nothing of another file is overwritten', async () => {
    const path = await changedStore();
    const before = await readFile(path);
    await expect(repairStore(path, path)).rejects.toMatchObject({ code: 'usage' });
    expect(await readFile(path)).toEqual(before);
    await expect(checkStore(`${path}.none`)).rejects.toMatchObject({ code: 'store_absent' });
  });
});

test('passkeys that were purged are not counted', async () => {
  const path = join(await temporaryFolder(), 'passkeys.jsonl');
  const store = await openJsonFileStore(path, { create: true });
  for (let count = 0; count < 4; count += 1) await store.insertPasskey(newPasskey());
  await store.revokePasskeys([1, 2, 3], { at: START, reason: 'lost' });
  expect(await store.purge({ passkeys: [1], accesses: [] }, { endedBefore: START + 1 })).toMatchObject({ status: 'done' });
  expect(await checkStore(path)).toMatchObject({ passkeys: 3, revoked: 2, damages: [] });
  await store.close();
});
