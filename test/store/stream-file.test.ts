import {
  appendFileSync,
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmdirSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createStreamFile } from '../../src/store/stream-file.js';
import { buildWorker, startWorker } from './processes.js';

const NAMES = ['.gitignore', 'stream.1.jsonl', 'stream.jsonl'];

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
      const bytes = readdirSync(dirname(path)).map((name) => statSync(join(dirname(path), name)).size);
      expect(bytes.reduce((sum, size) => sum + size, 0)).toBeLessThanOrEqual(1_102);
    }
    const kept = await file.read();
    expect(kept.length).toBeGreaterThanOrEqual(9);
    expect(kept).toEqual(lines.slice(-kept.length));
    expect(readdirSync(dirname(path)).filter((name) => !NAMES.includes(name))).toEqual([]);
    if (process.platform !== 'win32') expect(statSync(join(dirname(path), 'stream.1.jsonl')).mode & 0o777).toBe(0o600);
    await file.clear();
    expect(readdirSync(dirname(path))).toEqual(['.gitignore']);
  });

  test.skipIf(process.platform === 'win32')('that was there already becomes private when something is written', async () => {
    const plain = join(folder, 'stream.jsonl');
    writeFileSync(plain, 'one\n', { mode: 0o644 });
    chmodSync(plain, 0o644);
    const file = createStreamFile(plain);
    file.append(['two']);
    expect(await file.read()).toEqual(['one', 'two']);
    expect(statSync(plain).mode & 0o777).toBe(0o600);
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

  test.skipIf(process.platform === 'win32')('what cannot be written is lost, and what is wrong is said once', async () => {
    const failures: string[] = [];
    const file = createStreamFile(join(folder, 'stream.jsonl'), { onFailure: (reason) => failures.push(reason) });
    symlinkSync(join(folder, 'elsewhere'), join(folder, 'stream.jsonl'));
    file.append(['one']);
    await file.settled();
    file.append(['two']);
    await file.settled();
    expect(existsSync(join(folder, 'elsewhere'))).toBe(false);
    expect(await file.read()).toEqual([]);
    expect(failures).toHaveLength(1);
    expect(failures[0]).toMatch(
      /^What cannot be written of the stream of the test page ends with this start of the server; nothing else is affected\. Expected a file as stream of the test page; .* Move it away\.$/,
    );
  });

  test('a folder of its name is no file: that is said once, and there is nothing to remove', async () => {
    const failures: string[] = [];
    const plain = join(folder, 'stream.jsonl');
    mkdirSync(plain);
    const file = createStreamFile(plain, { onFailure: (reason) => failures.push(reason) });
    file.append(['one']);
    expect(await file.read()).toEqual([]);
    await file.clear();
    expect(existsSync(plain)).toBe(true);
    expect(failures).toHaveLength(1);
    expect(failures[0]).toContain('stream.jsonl');
    expect(failures[0]).toMatch(/ [Mm]ove it away\.$/);
    rmdirSync(plain);
    // Once it is away, what comes is kept.
    file.append(['two']);
    expect(await file.read()).toEqual(['two']);
  });

  test.each([
    ['in use', 'stream.jsonl', 'stream.1.jsonl'],
    ['put aside', 'stream.1.jsonl', 'stream.jsonl'],
  ])('a folder in the place of the one %s is said once, and hides nothing of the other', async (_, folderName, fileName) => {
    const failures: string[] = [];
    mkdirSync(join(folder, folderName));
    writeFileSync(join(folder, fileName), 'one\n');
    const file = createStreamFile(join(folder, 'stream.jsonl'), { onFailure: (reason) => failures.push(reason) });
    expect(await file.read()).toEqual(['one']);
    expect(await file.read()).toEqual(['one']);
    expect(failures).toHaveLength(1);
    expect(failures[0]).toMatch(/^What the stream of the test page had before this start of the server is left out; .* [Mm]ove it away\.$/);
    expect(failures[0]).toContain(join(folder, folderName));
  });

  test.skipIf(process.platform === 'win32' || process.getuid?.() === 0)('says why it cannot be read, once', async () => {
    const failures: string[] = [];
    const plain = join(folder, 'stream.jsonl');
    writeFileSync(plain, 'one\n');
    chmodSync(plain, 0o000);
    const file = createStreamFile(plain, { onFailure: (reason) => failures.push(reason) });
    expect(await file.read()).toEqual([]);
    file.append(['two']);
    await file.settled();
    expect(failures).toEqual([
      `What the stream of the test page had before this start of the server is left out; nothing else is affected. Could not read the stream file ${plain} (EACCES). Permission denied: check who owns the file and its folder.`,
    ]);
  });

  test.skipIf(process.platform === 'win32' || process.getuid?.() === 0)(
    'that cannot be removed is emptied, or it is said why not',
    async () => {
      const plain = join(folder, 'stream.jsonl');
      writeFileSync(plain, 'one\n');
      const file = createStreamFile(plain);
      try {
        chmodSync(folder, 0o500);
        await file.clear();
        expect(readFileSync(plain, 'utf8')).toBe('');
        chmodSync(plain, 0o400);
        await expect(file.clear()).rejects.toMatchObject({
          code: 'store_unavailable',
          message: `Could not empty the stream file ${plain} (EACCES). Permission denied: check who owns the file and its folder.`,
        });
      } finally {
        chmodSync(folder, 0o700);
      }
    },
  );

  test('that lies aside under a name of something else is said, and kept on being written', async () => {
    const failures: string[] = [];
    const file = createStreamFile(join(folder, 'stream.jsonl'), { size: 100, onFailure: (reason) => failures.push(reason) });
    mkdirSync(join(folder, 'stream.1.jsonl', 'within'), { recursive: true });
    file.append(['x'.repeat(60)]);
    await file.settled();
    file.append(['y']);
    await file.settled();
    expect(readFileSync(join(folder, 'stream.jsonl'), 'utf8')).toBe(`${'x'.repeat(60)}\ny\n`);
    expect(failures).toHaveLength(1);
    expect(failures[0]).toMatch(/^The older half of the stream of the test page cannot be put aside; nothing else is affected\. /);
  });
});

test('two processes that append to it and put it aside lose no line, and write none twice', async () => {
  const bundle = await buildWorker(folder, './stream-worker.ts');
  const count = 200;
  const size = 2_000;
  const workers = ['a', 'b'].map((name) => startWorker(bundle, [path, name, String(count), String(size)]));
  const file = createStreamFile(path, { size });
  let running = workers.length;
  for (const worker of workers) void worker.ended.then(() => (running -= 1));
  for (;;) {
    const last = running === 0;
    const lines = await file.read();
    for (const name of ['a', 'b']) {
      const numbers = lines.filter((line) => line.startsWith(`${name} `)).map((line) => Number(line.slice(2, 6)));
      // The oldest go; of the others there is each one, once, in its order.
      expect(numbers).toEqual(numbers.map((_, index) => (numbers[0] ?? 0) + index));
    }
    if (last) {
      expect(lines.join('\n').length).toBeGreaterThanOrEqual(size / 2 - 50);
      expect(lines.some((line) => Number(line.slice(2, 6)) === count)).toBe(true);
      break;
    }
  }
  for (const worker of workers) {
    expect(await worker.ended).toEqual({ code: 0, stderr: '' });
    expect(worker.lines).toEqual(['failures ']);
  }
  expect(readdirSync(dirname(path)).filter((name) => !NAMES.includes(name))).toEqual([]);
});
