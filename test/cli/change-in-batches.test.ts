import { describe, expect, test } from 'vitest';
import { changeInBatches, inBatches, printInBatches, readBatches } from '../../src/cli/change-in-batches.js';
import { PasskeyError } from '../../src/errors.js';
import { fakeIo } from './fake-io.js';

const numbers = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, index) => from + index);

/** Reads the numbers up to a last one, and notes which pages were read. */
function pagesOf(last: number) {
  const pages: unknown[] = [];
  const read = async ({ after = 0, limit = 0 }: { readonly after?: number | undefined; readonly limit?: number }) => {
    pages.push([after, limit]);
    return numbers(after + 1, Math.min(last, after + limit));
  };
  return { pages, read };
}

describe('a selection', () => {
  test.each([
    [0, [], [[0, 20_000]]],
    [1_000, [[1, 1_000]], [[0, 20_000]]],
    [
      1_001,
      [
        [1, 1_000],
        [1_001, 1_001],
      ],
      [[0, 20_000]],
    ],
  ])('of %i is read in one page and split into batches of 1,000', async (last, batches, pages) => {
    const selection = pagesOf(last);
    const found: unknown[] = [];
    for await (const batch of readBatches(selection.read)) found.push([batch[0], batch.at(-1)]);
    expect(found).toEqual(batches);
    expect(selection.pages).toEqual(pages);
  });

  test('of 20,000 or more is read page by page, the next before the batches of the one before', async () => {
    const selection = pagesOf(20_001);
    const found: number[] = [];
    const readBefore: unknown[] = [];
    for await (const batch of readBatches(selection.read)) {
      found.push(batch.length);
      readBefore.push(selection.pages.length);
    }
    expect(found).toEqual([...Array.from({ length: 20 }, () => 1_000), 1]);
    expect(readBefore).toEqual([...Array.from({ length: 20 }, () => 2), 2]);
    expect(selection.pages).toEqual([
      [0, 20_000],
      [20_000, 20_000],
    ]);
    const exact = pagesOf(20_000);
    for await (const batch of readBatches(exact.read)) expect(batch).toHaveLength(1_000);
    expect(exact.pages).toHaveLength(2);
  });
});

describe('a change in batches', () => {
  const settled: number[] = [];
  const store = { audit: { settled: async () => void settled.push(1) } };

  /** Changes 1,001 things, and fails at the second batch. */
  async function change(failure?: { readonly at: number; readonly error: unknown }) {
    const { io, written } = fakeIo({ terminal: true, columns: 80 });
    settled.length = 0;
    const calls: unknown[] = [];
    let made = 0;
    const changing = changeInBatches(io, store, {
      noun: 'passkey',
      verb: ['revoke', 'Revoking', 'Revoked'],
      batches: inBatches(numbers(1, 1_001)),
      total: 1_001,
      change: 'c0ffee',
      hint: 'Run it again.',
      async make(batch, onProgress) {
        made += 1;
        calls.push(batch.length);
        if (failure?.at === made) throw failure.error;
        onProgress(batch.length);
      },
      async end() {
        calls.push('end');
      },
    });
    const outcome = await changing.catch((error: unknown) => error);
    return { outcome, calls, stderr: written.stderr, settled: settled.length };
  }

  test('shows how far it is, and waits for the audit after each', async () => {
    const { outcome, calls, stderr, settled: waits } = await change();
    expect({ outcome, calls, waits }).toEqual({ outcome: 1_001, calls: [1_000, 1, 'end'], waits: 2 });
    for (const text of ['Revoking 1,001 passkeys …', 'Revoking passkeys … 1,000 of 1,001', 'Revoking passkeys … 1,001 of 1,001']) {
      expect(stderr).toContain(text);
    }
    expect(stderr.endsWith('\r\u001b[K')).toBe(true);
  });

  const full = new PasskeyError('store_unavailable', 'The disk is full.');
  const interrupted = new PasskeyError('interrupted', 'Interrupted; nothing was changed.');
  const bug = new TypeError('no such method');
  test.each([
    [1, full, full],
    [2, bug, bug],
    [
      2,
      full,
      { code: full.code, cause: full, message: 'The disk is full. 1,000 of 1,001 passkeys were revoked (change c0ffee). Run it again.' },
    ],
    [
      2,
      interrupted,
      {
        code: 'interrupted',
        cause: interrupted,
        message: 'Interrupted; 1,000 of 1,001 passkeys were revoked (change c0ffee). Run it again.',
      },
    ],
  ])('that fails at batch %i with %s', async (at, error, expected) => {
    const { outcome, calls, settled: waits } = await change({ at, error });
    if (expected === error) expect(outcome).toBe(error);
    else expect(outcome).toMatchObject(expected);
    expect({ calls, waits }).toEqual({ calls: [...[1_000, 1].slice(0, at), 'end'], waits: at - 1 });
  });
});

test('a document is printed batch by batch, its lists of ids at the end', async () => {
  const { io, written } = fakeIo();
  const document = printInBatches(io, { dry_run: false, change: null });
  await document.end();
  expect(written.stdout).toBe('');
  await document.add({ passkeys: [], tokens: [7] });
  await document.add({ passkeys: [{ id: 1 }, { id: 2 }], tokens: [] });
  await document.add({ passkeys: [{ id: 3 }], tokens: [8, 9] });
  await document.end();
  expect(written.stdout).toBe(`{
  "dry_run": false,
  "change": null,
  "passkeys": [
    {
      "id": 1
    },
    {
      "id": 2
    },
    {
      "id": 3
    }
  ],
  "tokens": [7,8,9]
}
`);
});
