import { appendFile, mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join, sep } from 'node:path';
import { describe, expect, test } from 'vitest';
import { backupStore } from '../../src/store/backup.js';
import { openJsonFileStore } from '../../src/store/json-file.js';
import { createMemoryStore } from '../../src/store/memory.js';
import { openPostgresStore } from '../../src/store/postgres/open.js';
import { temporaryFolder } from '../contract/adapters.js';
import { allOf, fill, importInto, linesOf } from '../contract/moved.js';
import { newPasskey, START } from '../contract/samples.js';
import { HAS_POSTGRES, postgresServer } from './postgres-server.js';

const NOW = { now: START };
const COUNTS = { owner: 2, removed_owner: 1, passkey: 3, access: 2 };
const DAY = 86_400_000;

/** A store that is open, with changes behind its first rows: that of a server that goes on. */
async function servedStore() {
  const folder = await temporaryFolder();
  const path = join(folder, 'passkeys.jsonl');
  const store = await openJsonFileStore(path, { create: true });
  await fill(store);
  return { folder, path, store };
}

describe('the backup of a JSON file', () => {
  test('never has a name that Windows takes for a device', async () => {
    const folder = await temporaryFolder();
    const path = join(folder, 'aux.old.jsonl');
    const store = await openJsonFileStore(path, { create: true });
    await fill(store);
    await store.close();
    const report = await backupStore(path, { ...NOW, out: `${folder}${sep}` });
    expect(report.path).toMatch(/[/\\]_aux\.old-[0-9a-f]{8}-20260115T103000Z\.jsonl$/);
    const next = await backupStore(path, { ...NOW, now: START + DAY, out: `${folder}${sep}`, keep: 1 });
    expect(next.removed).toEqual([report.path]);
  });

  test('opens as a store with all changes, and goes on where that one ended', async () => {
    const { folder, path, store } = await servedStore();
    const all = await allOf(store);
    const out = join(folder, 'copy.jsonl');
    const report = await backupStore(path, { ...NOW, out });
    expect(report).toMatchObject({ location: path, path: out, counts: COUNTS, removed: [] });
    expect([report.bytes, (await stat(out)).mode & 0o777]).toEqual([(await readFile(out)).length, 0o600]);
    await store.insertPasskey(newPasskey());
    await store.close();
    const copy = await openJsonFileStore(out);
    expect(await allOf(copy)).toStrictEqual(all);
    expect((await copy.insertPasskey(newPasskey())).id).toBe(4);
    await copy.close();
  });

  test('is put in the place of the store', async () => {
    const { folder, path, store } = await servedStore();
    const all = await allOf(store);
    const { path: copy } = await backupStore(path, { ...NOW, out: folder });
    await store.insertPasskey(newPasskey());
    await store.close();
    await writeFile(path, await readFile(copy));
    const restored = await openJsonFileStore(path);
    expect(await allOf(restored)).toStrictEqual(all);
    expect((await restored.insertPasskey(newPasskey())).id).toBe(4);
    await restored.close();
  });

  test('is, byte by byte, that of another store with the same rows', async () => {
    const { folder, path, store } = await servedStore();
    const { path: one } = await backupStore(path, { ...NOW, out: folder });
    const memory = createMemoryStore();
    await importInto(memory, (await readFile(one, 'utf8')).trimEnd().split('\n'));
    expect(await linesOf(memory)).toEqual((await readFile(one, 'utf8')).trimEnd().split('\n'));
    await store.close();
  });

  test('overwrites nothing, and leaves nothing of one that fails', async () => {
    const { folder, path, store } = await servedStore();
    const out = join(folder, 'taken.jsonl');
    await writeFile(out, 'mine');
    await expect(backupStore(path, { ...NOW, out })).rejects.toMatchObject({
      code: 'usage',
      message: `Expected --out to name a new file; ${out} exists. Name another.`,
    });
    expect(await readFile(out, 'utf8')).toBe('mine');
    await expect(backupStore(path, { ...NOW, out: join(folder, 'none', 'x.jsonl') })).rejects.toMatchObject({ code: 'store_unavailable' });
    const before = await readdir(folder);
    const signal = AbortSignal.abort(new Error('Ctrl-C'));
    await expect(backupStore(path, { ...NOW, out: join(folder, 'new.jsonl'), signal })).rejects.toThrow('Ctrl-C');
    expect(await readdir(folder)).toEqual(before);
    await appendFile(path, 'x\n');
    await expect(backupStore(path, { ...NOW, out: join(folder, 'new.jsonl') })).rejects.toMatchObject({ code: 'store_damaged' });
    await store.close();
  });

  test('is one of several in a folder, of which the oldest go', async () => {
    const { folder, path, store } = await servedStore();
    const out = join(folder, `backups${sep}`);
    const make = async (now: number, keep?: number) => (await backupStore(path, { ...NOW, out, now, keep })).path.slice(out.length);
    const [first, second] = [await make(START), await make(START)];
    const mark = /^passkeys-([0-9a-f]{8})-20260115T103000Z\.jsonl$/.exec(first)?.[1] ?? 'none';
    expect(second).toBe(`passkeys-${mark}-20260115T103000Z-2.jsonl`);
    const third = await make(START + DAY);
    // Files of other names, stores and people.
    const others = [
      'passkeys-00000000-20200115T103000Z.jsonl',
      `passkeys-${mark}-20200115T103000Z.jsonl.bak`,
      `passkeys-${mark}-20200115.jsonl`,
      `passkeys-${mark}-20200115T103000Z.json`,
      `my-passkeys-${mark}-20200115T103000Z.jsonl`,
    ];
    for (const name of others) await writeFile(join(out, name), 'mine');
    const folders = [`passkeys-${mark}-20190115T103000Z.jsonl`];
    for (const name of folders) await mkdir(join(out, name));
    // A clock that was set back makes the newest look like the oldest: it stays all the same.
    const last = await make(START - DAY, 2);
    expect((await readdir(out)).sort()).toEqual([...others, ...folders, third, last].sort());
    await expect(backupStore(path, { ...NOW, out: join(folder, 'one.jsonl'), keep: 2 })).rejects.toMatchObject({ code: 'usage' });
    await store.close();
  });

  test('may go to a folder that is there', async () => {
    const { folder, path, store } = await servedStore();
    await mkdir(join(folder, 'there'));
    const { path: made } = await backupStore(path, { ...NOW, out: join(folder, 'there') });
    expect(await readdir(join(folder, 'there'))).toEqual([made.slice(join(folder, 'there').length + 1)]);
    await store.close();
  });
});

describe.skipIf(!HAS_POSTGRES)('the backup of a PostgreSQL store', () => {
  test('is an export, and names no password', async () => {
    const url = await (await postgresServer()).newDatabase();
    const store = await openPostgresStore(url, { create: true });
    await fill(store);
    const folder = await temporaryFolder();
    const report = await backupStore(url, { ...NOW, out: folder, keep: 1 });
    expect(report).toMatchObject({ counts: COUNTS });
    expect(report.path).toMatch(/[/\\]test_\d+-[0-9a-f]{8}-20260115T103000Z\.jsonl$/);
    expect(JSON.stringify(report)).not.toContain('secret');
    const copy = createMemoryStore();
    const text = await readFile(report.path, 'utf8');
    await importInto(copy, text.trimEnd().split('\n'));
    expect(await allOf(copy)).toStrictEqual(await allOf(store));
    await store.close();
  });
});
