import { appendFileSync, chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createStreamFile } from '../../src/store/stream-file.js';

let folder: string;
let path: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'stream-'));
  path = join(folder, '.passkey', 'stream.jsonl');
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

describe('the file of a stream', () => {
  test('is made with its folder when something is to be kept, for its owner alone', async () => {
    const file = createStreamFile(path);
    expect(await file.read()).toEqual([]);
    expect(existsSync(path)).toBe(false);
    file.append(['{"a":1}', '{"b":2}']);
    expect(await file.read()).toEqual(['{"a":1}', '{"b":2}']);
    expect(readFileSync(path, 'utf8')).toBe('{"a":1}\n{"b":2}\n');
    if (process.platform !== 'win32') expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(readFileSync(join(folder, '.passkey', '.gitignore'), 'utf8')).toBe('*\n');
  });

  test('what a killed process left of a line swallows no other', async () => {
    const file = createStreamFile(path);
    file.append(['one']);
    await file.settled();
    appendFileSync(path, '{"torn');
    expect(await file.read()).toEqual(['one']);
    file.append(['two']);
    expect(await file.read()).toEqual(['one', '{"torn', 'two']);
  });

  test('loses its older half when it is full, and never a newer line', async () => {
    const file = createStreamFile(path, { size: 1_000 });
    const lines = Array.from({ length: 200 }, (_, n) => `line ${n}`.padEnd(50, '.'));
    for (const line of lines) {
      file.append([line]);
      await file.settled();
      expect(statSync(path).size).toBeLessThanOrEqual(1_051);
    }
    const kept = await file.read();
    expect(kept.length).toBeGreaterThanOrEqual(9);
    expect(kept).toEqual(lines.slice(-kept.length));
    if (process.platform !== 'win32') expect(statSync(path).mode & 0o777).toBe(0o600);
  });

  test('a line that is larger than all of it goes with the next', async () => {
    const file = createStreamFile(path, { size: 100 });
    file.append(['x'.repeat(500)]);
    await file.settled();
    file.append(['next']);
    expect(await file.read()).toEqual(['next']);
  });

  test('is removed when it is cleared, with what was on its way', async () => {
    const file = createStreamFile(path);
    await file.clear();
    file.append(['one']);
    await file.clear();
    expect(existsSync(path)).toBe(false);
    file.append(['two']);
    expect(await file.read()).toEqual(['two']);
  });

  test.skipIf(process.platform === 'win32')('what cannot be written is lost, and warned of once', async () => {
    const failures: string[] = [];
    const file = createStreamFile(join(folder, 'stream.jsonl'), { onFailure: (reason) => failures.push(reason) });
    symlinkSync(join(folder, 'elsewhere'), join(folder, 'stream.jsonl'));
    file.append(['one']);
    await file.settled();
    file.append(['two']);
    await file.settled();
    expect(existsSync(join(folder, 'elsewhere'))).toBe(false);
    expect(failures).toHaveLength(1);
    expect(failures[0]).toMatch(/^Some entries of the stream of the test page are lost; nothing else is affected\. Expected a file/);
    await expect(file.read()).rejects.toMatchObject({ code: 'store_unavailable' });
  });

  test.skipIf(process.platform === 'win32' || process.getuid?.() === 0)('says why it cannot be read', async () => {
    const plain = join(folder, 'stream.jsonl');
    writeFileSync(plain, 'one\n');
    chmodSync(plain, 0o000);
    await expect(createStreamFile(plain).read()).rejects.toThrow(/Could not read the stream file .*stream\.jsonl \(EACCES\)/);
  });
});
