import {
  appendFileSync,
  chownSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { basename, join } from 'node:path';
import { describe, expect, test, vi } from 'vitest';
import type { AuditDamage, AuditEntry, AuditReader } from '../../src/store/audit/entry.js';
import { createFileAudit } from '../../src/store/audit/file-log.js';
import { auditLockPath } from '../../src/store/audit/file-reader.js';
import { acquireFileLock } from '../../src/store/file-lock.js';
import { temporaryFolder } from '../contract/adapters.js';
import { newAuditEntry } from '../contract/samples.js';
import { buildWorker, startWorker } from './processes.js';

async function world(options: Parameters<typeof createFileAudit>[1] = {}) {
  const folder = await temporaryFolder();
  const store = join(folder, 'passkeys.jsonl');
  const failures: string[] = [];
  const open = () => createFileAudit(store, { onFailure: (reason) => failures.push(reason), ...options });
  return { folder, store, file: `${store}.audit.jsonl`, failures, open, log: open(), names: () => readdirSync(folder).sort() };
}

async function read(reader: AuditReader): Promise<{ entries: AuditEntry[]; damages: AuditDamage[] }> {
  const entries: AuditEntry[] = [];
  const damages: AuditDamage[] = [];
  for await (const entry of reader.readOn((damage) => damages.push(damage))) entries.push(entry);
  return { entries, damages };
}

const reasonsOf = async (reader: AuditReader) => (await read(reader)).entries.map(({ reason }) => reason);

async function append(log: ReturnType<typeof createFileAudit>, ...reasons: readonly string[]) {
  for (const reason of reasons) log.append(newAuditEntry({ reason }));
  await log.settled();
}

const SIZE_OF_ONE = JSON.stringify(newAuditEntry({ reason: '1' })).length;

describe('the file', () => {
  test('is made with the first entry, for its owner alone; the logs of two stores in a folder do not mix', async () => {
    const { folder, file, log, names } = await world();
    const other = createFileAudit(join(folder, 'passkeys.jsonl.copy'));
    expect(await reasonsOf(log.read())).toEqual([]);
    expect(names()).toEqual([]);
    await append(log, 'a');
    await append(other, 'b');
    expect(names()).toEqual(['passkeys.jsonl.audit.jsonl', 'passkeys.jsonl.copy.audit.jsonl']);
    if (process.platform !== 'win32') expect((statSync(file).mode & 0o777).toString(8)).toBe('600');
    expect(await reasonsOf(log.read())).toEqual(['a']);
    expect(await reasonsOf(other.read())).toEqual(['b']);
  });

  test.skipIf(process.getuid?.() !== 0)('that a command of root makes belongs to whom the store belongs', async () => {
    const { store, file, log } = await world();
    writeFileSync(store, '{}');
    chownSync(store, 65_534, 65_534);
    await append(log, '1');
    expect(statSync(file)).toMatchObject({ uid: 65_534, gid: 65_534 });
  });

  test('holds an entry before those who wait for the change go on, also while it is put aside', async () => {
    const { store, file, log, names } = await world({ size: 1 });
    writeFileSync(store, '{}');
    const change = async (reason: string) => log.append(newAuditEntry({ reason }));
    const lock = await acquireFileLock(auditLockPath(realpathSync(store)));
    for (const [count, reason] of ['1', '2', '3'].entries()) {
      await change(reason);
      expect(readFileSync(file, 'utf8').split('\n')).toHaveLength(count + 2);
    }
    await lock.release();
    await log.settled();
    expect(names()).toContain('passkeys.jsonl.audit.1.jsonl');
    expect(await reasonsOf(log.read())).toEqual(['1', '2', '3']);
  });

  test('is put aside when it is full; the oldest go', async () => {
    const { log, names } = await world({ size: 2 * SIZE_OF_ONE, keep: 3 });
    for (const reason of ['1', '2', '3', '4', '5', '6', '7', '8', '9']) await append(log, reason);
    expect(names()).toEqual(['passkeys.jsonl.audit.3.jsonl', 'passkeys.jsonl.audit.4.jsonl', 'passkeys.jsonl.audit.jsonl']);
    expect(await reasonsOf(log.read())).toEqual(['5', '6', '7', '8', '9']);
  });

  test('is read on across being put aside, each entry once', async () => {
    const { store, file, log } = await world({ size: 3 * SIZE_OF_ONE });
    const reader = log.read();
    await append(log, '1', '2');
    expect(await reasonsOf(reader)).toEqual(['1', '2']);
    await append(log, '3');
    await append(log, '4');
    expect(await reasonsOf(reader)).toEqual(['3', '4']);
    // A process that had opened the file before it was put aside writes into it all the same.
    appendFileSync(`${store}.audit.1.jsonl`, `${JSON.stringify(newAuditEntry({ reason: 'late' }))}\n`);
    await append(log, '5', '6');
    await append(log, '7');
    expect(await reasonsOf(reader)).toEqual(['late', '5', '6', '7']);
    renameSync(file, `${store}.audit.3.jsonl`);
    expect(await reasonsOf(reader)).toEqual([]);
    await append(log, '8');
    expect(await reasonsOf(reader)).toEqual(['8']);
  });

  test('is read from its beginning where it was removed and begun anew, also at the same length', async () => {
    const { file, log } = await world();
    await append(log, '1');
    const [reader, skipped] = [log.read(), log.read()];
    expect(await reasonsOf(reader)).toEqual(['1']);
    await skipped.skip();
    const { size } = statSync(file);
    rmSync(file);
    await append(log, '2');
    expect(statSync(file).size).toBe(size);
    for (const each of [reader, skipped]) expect([await reasonsOf(each), await reasonsOf(each)]).toEqual([['2'], []]);
  });

  test('of a killed process ends in a torn line: it is told of, and swallows no other', async () => {
    const { file, log, open } = await world();
    const reader = log.read();
    await append(log, '1');
    appendFileSync(file, JSON.stringify(newAuditEntry({ reason: 'torn' })).slice(0, 40));
    // It might be going on.
    expect(await read(reader)).toMatchObject({ entries: [{ reason: '1' }], damages: [] });
    await append(open(), '2');
    expect(await read(reader)).toMatchObject({ entries: [{ reason: '2' }], damages: [{ file, line: 2 }] });
    expect(await read(log.read())).toMatchObject({ entries: [{ reason: '1' }, { reason: '2' }], damages: [{ file, line: 2 }] });
  });

  test('keeps entries of later versions, with members that are unknown; what is no entry is told of', async () => {
    const { file, log } = await world();
    const lines = [{ ...newAuditEntry({ reason: 'later' }), added: 1 }, { ...newAuditEntry(), at: 'yesterday' }, [1], null];
    writeFileSync(file, `${lines.map((line) => JSON.stringify(line)).join('\n')}\nno JSON\n\n`);
    const { entries, damages } = await read(log.read());
    expect(entries).toEqual([lines[0]]);
    expect(damages.map(({ line }) => line)).toEqual([2, 3, 4, 5]);
  });

  test('keeps entries of earlier versions, which have no counts', async () => {
    const { file, log } = await world();
    const { counts, ...earlier } = newAuditEntry();
    writeFileSync(file, `${JSON.stringify(earlier)}\n`);
    expect(await read(log.read())).toMatchObject({ entries: [{ ...earlier, counts }], damages: [] });
  });

  test('may be longer than what is read at once', async () => {
    const { log } = await world();
    const ids = Array.from({ length: 80_000 }, (_, index) => index + 1);
    log.append(newAuditEntry({ action: 'user-remove', revoked_passkeys: ids }));
    await append(log, ...Array.from({ length: 1000 }, (_, index) => String(index)));
    const { entries } = await read(log.read());
    expect(entries).toHaveLength(1001);
    expect(entries[0]?.revoked_passkeys).toEqual(ids);
    expect(entries.at(-1)?.reason).toBe('999');
  });

  test('is read at the cost of its length, whatever lies in it without an end of a line', async () => {
    const { file, log } = await world();
    const size = 4_000_000;
    writeFileSync(file, 'x'.repeat(size));
    const reader = log.read({ via: 'command' });
    const concat = vi.spyOn(Buffer, 'concat');
    const copied = () => concat.mock.results.reduce((sum, { value }) => sum + Number(value?.length), 0);
    try {
      expect(await reasonsOf(reader)).toEqual([]);
      await append(log, 'after');
      expect(await reasonsOf(reader)).toEqual(['after']);
      expect(copied()).toBeGreaterThan(size);
      expect(copied()).toBeLessThan(2 * size);
    } finally {
      concat.mockRestore();
    }
  });
});

describe('what cannot be written', () => {
  test.skipIf(process.platform === 'win32')('into a link is lost: it is not followed, and warned of once', async () => {
    const { folder, file, log, failures } = await world();
    writeFileSync(join(folder, 'elsewhere'), 'kept');
    symlinkSync(join(folder, 'elsewhere'), file);
    await append(log, '1');
    await append(log, '2');
    expect(readFileSync(join(folder, 'elsewhere'), 'utf8')).toBe('kept');
    expect(lstatSync(file).isSymbolicLink()).toBe(true);
    expect(failures).toEqual([
      `Some entries of the audit log are lost; nothing else is affected. Expected a file as audit log; ${file} is something else, such as a symbolic link. Move it away.`,
    ]);
    await expect(read(log.read())).rejects.toMatchObject({ code: 'store_unavailable' });
  });

  test('because a folder has the name is warned of, and what comes after it is gone is written', async () => {
    const { file, log, failures, folder } = await world();
    mkdirSync(file);
    await append(log, '1');
    renameSync(file, join(folder, 'folder'));
    await append(log, '2');
    expect(failures).toHaveLength(1);
    expect(await reasonsOf(log.read())).toEqual(['2']);
  });
});

test('several processes that append and put aside lose nothing, and tear nothing', async () => {
  const { folder, store, log, names } = await world();
  const bundle = await buildWorker(folder, './audit-worker.ts');
  const count = 120;
  const workers = ['a', 'b', 'c'].map((name) => startWorker(bundle, [store, name, String(count), String(20 * SIZE_OF_ONE)]));
  // Beside them one that reads all the while.
  const reader = log.read();
  const followed: AuditEntry[] = [];
  const damages: AuditDamage[] = [];
  const readOn = async () => {
    const found = await read(reader);
    followed.push(...found.entries);
    damages.push(...found.damages);
  };
  let running = workers.length;
  for (const worker of workers) void worker.ended.then(() => (running -= 1));
  while (running > 0) await readOn();
  await readOn();
  for (const worker of workers) {
    expect(await worker.ended).toEqual({ code: 0, stderr: '' });
    expect(worker.lines).toEqual(['ready', 'failures ']);
  }
  const stored = await read(log.read());
  expect([...damages, ...stored.damages]).toEqual([]);
  const expected = Array.from({ length: count }, (_, index) => index + 1);
  for (const entries of [stored.entries, followed]) {
    for (const name of ['a', 'b', 'c']) {
      const numbers = entries.filter(({ label }) => label === name).map(({ token_id: n }) => n ?? 0);
      expect(numbers.sort((x, y) => x - y)).toEqual(expected);
    }
  }
  expect(names().filter((name) => /^passkeys\.jsonl\.audit\.\d+\.jsonl$/.test(name)).length).toBeGreaterThan(3);
  expect(names().filter((name) => name.includes('.lock'))).toEqual([]);
  expect(names()).toContain(basename(store) + '.audit.jsonl');
});
