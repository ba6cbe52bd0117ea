import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { run } from '../../../src/cli/main.js';
import { fakeIo } from '../fake-io.js';

const FIXTURE = join(import.meta.dirname, '../../../fixtures/recorded/login-synced.json');

async function explainPiped(argv: readonly string[], input: string | Buffer) {
  const { io, written, stdin } = fakeIo();
  stdin.end(input);
  return { code: await run(['explain', ...argv], io), ...written };
}

test('explain without a file reads a pipe, as it does with -', async () => {
  const input = await readFile(FIXTURE);
  const ran = await explainPiped([], input);
  expect(ran).toStrictEqual(await explainPiped(['-'], input));
  expect([ran.code, ran.stderr]).toStrictEqual([0, '']);
  expect(JSON.parse((await explainPiped(['--json'], input)).stdout)).toMatchObject({ ceremony: expect.anything() });
});

test('an empty pipe is exit 2', async () => {
  expect(await explainPiped([], '')).toMatchObject({ code: 2, stdout: '' });
});

test('on a terminal it says what to do', async () => {
  const { io, written } = fakeIo({ terminal: true });
  expect(await run(['explain'], io)).toBe(2);
  expect(written.stderr).toBe(
    'passkey: There is nothing to explain. Name a file, or pipe a response to this command: pbpaste | passkey explain.\n',
  );
});
