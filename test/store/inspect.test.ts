import { appendFileSync, readFileSync, writeFileSync } from 'node:fs';
import { copyFile, readFile, unlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { checkStore, repairStore } from '../../src/store/inspect.js';
import { openJsonFileStore } from '../../src/store/json-file.js';
import { temporaryFolder } from '../contract/adapters.js';
import { newAccess, newOwner, newPasskey, START } from '../contract/samples.js';

/** Two users, three passkeys and a session in the file; two passkeys more in the journal. */
async function storeWithJournal(): Promise<string> {
  const folder = await temporaryFolder();
  const [made, path] = [join(folder, 'made.json'), join(folder, 'passkeys.json')];
  const first = await openJsonFileStore(made, { create: true });
  for (const email of ['a@example.com', 'b@example.com']) await first.insertOwner(newOwner({ email }));
  for (let count = 0; count < 3; count += 1) await first.insertPasskey(newPasskey());
  await first.insertAccess(newAccess());
  await first.close();
  const store = await openJsonFileStore(made, { quiet: 3_600_000 });
  for (let count = 0; count < 2; count += 1) await store.insertPasskey(newPasskey());
  await copyFile(made, path);
  await copyFile(`${made}.journal`, `${path}.journal`);
  await store.close();
  return path;
}

/** What the repaired store holds, and what is said of the damaged one. */
async function repaired(path: string) {
  const out = `${path}.repaired`;
  const before = [readFileSync(path), readFileSync(`${path}.journal`)];
  const report = await repairStore(path, out);
  expect([readFileSync(path), readFileSync(`${path}.journal`)]).toEqual(before);
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
  test('all of one that is whole, its journal included', async () => {
    const path = await storeWithJournal();
    expect(await checkStore(path)).toEqual({ path, owners: 2, passkeys: 5, revoked: 0, accesses: 1, pending: 2, damages: [] });
    expect(await repaired(path)).toEqual({ found: WHOLE, damages: [] });
  });

  test('all but the row that does not fit', async () => {
    const path = await storeWithJournal();
    edit(path, (text) => text.replace('"id":2,"label"', '"id":2,"lable"'));
    expect(await repaired(path)).toEqual({
      found: { ...WHOLE, passkeys: [1, 3, 4, 5] },
      damages: [':/passkeys/1/label is missing'],
    });
  });

  test('all but the lines that are no rows, where the file is no JSON any more', async () => {
    const path = await storeWithJournal();
    edit(path, (text) => text.replace('"b@example.com"', '"b@exam\u0007ple.com').replace('"id":3,"label":', '"id":3,label:'));
    expect(await repaired(path)).toEqual({
      found: { owners: ['a@example.com'], passkeys: [1, 2, 4, 5], accesses: 1, next: 6 },
      damages: [':9 expected a row, as JSON', ':15 expected a row, as JSON'],
    });
  });

  test('the first half of a file that was cut, and its journal', async () => {
    const path = await storeWithJournal();
    edit(path, (text) => text.slice(0, text.indexOf('"id":3,"label"') + 30));
    expect(await repaired(path)).toEqual({
      found: { ...WHOLE, passkeys: [1, 2, 4, 5], accesses: 0 },
      damages: [':15 expected a row, as JSON'],
    });
  });

  test('the lines of a journal that fit their checksums', async () => {
    const path = await storeWithJournal();
    edit(`${path}.journal`, (text) => text.replace('"n":7', '"n":6'));
    appendFileSync(`${path}.journal`, '{"crc":"00');
    expect(await repaired(path)).toEqual({
      found: { ...WHOLE, passkeys: [1, 2, 3, 5] },
      damages: [expect.stringMatching(/^\.journal:2 the line does not fit its checksum/), '.journal:3 expected change 7, got 8'],
    });
  });

  test('a number is not given again, where the next ids are lost and only a damaged row or a login has it', async () => {
    const path = await storeWithJournal();
    await unlink(`${path}.journal`);
    await writeFile(`${path}.journal`, '');
    const lost = (text: string) => text.replace(/"next_passkey_id": \d+/, '"next_passkey_id": 0');
    edit(path, (text) => lost(text).replace('"id":3,"label"', '"id":9,"lable"'));
    expect((await repaired(path)).found).toMatchObject({ passkeys: [1, 2], next: 10 });
    await unlink(`${path}.repaired`);
    edit(path, (text) => text.replace('"passkey_id":null', '"passkey_id":41'));
    expect((await repaired(path)).found).toMatchObject({ passkeys: [1, 2], next: 42 });
    await unlink(`${path}.repaired`);
    edit(path, (text) => text.replace(/ {4}\{"id":9.*\n/, '').replace('"passkey_id":41', '"passkey_id":null'));
    expect((await repaired(path)).found).toMatchObject({ passkeys: [1, 2], next: 3 });
  });

  test('nothing of another file is overwritten', async () => {
    const path = await storeWithJournal();
    const before = await readFile(path);
    await expect(repairStore(path, path)).rejects.toMatchObject({ code: 'usage' });
    expect(await readFile(path)).toEqual(before);
    await expect(checkStore(`${path}.none`)).rejects.toMatchObject({ code: 'store_absent' });
  });
});

test('what a purge in the journal took out is not counted', async () => {
  const path = join(await temporaryFolder(), 'passkeys.json');
  const store = await openJsonFileStore(path, { create: true, quiet: 3_600_000 });
  for (let count = 0; count < 4; count += 1) await store.insertPasskey(newPasskey());
  await store.revokePasskeys([1, 2, 3], { at: START, reason: 'lost' });
  expect(await store.purge({ passkeys: [1], accesses: [] }, { endedBefore: START + 1 })).toMatchObject({ status: 'done' });
  const report = await checkStore(path);
  await store.close();
  expect(report).toMatchObject({ passkeys: 3, revoked: 2, damages: [] });
  expect(report.pending).toBeGreaterThan(0);
});
