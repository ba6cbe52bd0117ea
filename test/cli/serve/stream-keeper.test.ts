import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { streamKeeper } from '../../../src/cli/serve/stream-keeper.js';

let cwd: string;
beforeEach(() => {
  cwd = mkdtempSync(join(tmpdir(), 'stream-keeper-'));
});
afterEach(() => rmSync(cwd, { recursive: true, force: true }));

const onFailure = (reason: string): never => {
  throw new Error(reason);
};

test.each([
  ['beside the file of the store', (folder: string) => join(folder, 'data', 'passkeys.json'), ['data', 'stream.jsonl']],
  ['of a database under the working directory', () => 'postgres://localhost/passkeys', ['.passkey', 'stream.jsonl']],
])('%s', async (_, storeIn, path) => {
  const keeper = streamKeeper({ store: storeIn(cwd), production: false, cwd, onFailure });
  keeper?.append(['{}']);
  await keeper?.settled();
  expect(readFileSync(join(cwd, ...path), 'utf8')).toBe('{}\n');
});

test('there is none for a store in memory, and none in production', () => {
  expect(streamKeeper({ store: 'memory:', production: false, cwd, onFailure })).toBeUndefined();
  expect(streamKeeper({ store: join(cwd, 'passkeys.json'), production: true, cwd, onFailure })).toBeUndefined();
  expect(existsSync(join(cwd, 'stream.jsonl'))).toBe(false);
});
