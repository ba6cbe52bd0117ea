import { copyFile, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { seeded } from './seeded-store.js';

test('serve does not start on a store that it could not write', async () => {
  const { cwd, passkey } = await seeded();
  // There is no room for the ending of its lock.
  const path = join(cwd, 'x'.repeat(250));
  await copyFile(join(cwd, '.passkey/passkeys.jsonl'), path);
  expect(await passkey('serve', '--port', '0', '--no-open', '--store', path)).toMatchObject({
    code: 3,
    stderr: expect.stringContaining(`Could not write the store ${path} (ENAMETOOLONG).`),
  });
});

test('store check says what a whole store holds, and exits 3 with the line of what is damaged', async () => {
  const { cwd, passkey } = await seeded();
  const path = join(cwd, '.passkey/passkeys.jsonl');
  expect(await passkey('store', 'check')).toEqual({
    code: 0,
    stdout: `${path} is undamaged: 4 passkeys (1 revoked), 3 users, 0 sessions and tokens.\n`,
    stderr: '',
  });
  const whole = await readFile(path, 'utf8');
  await writeFile(path, whole.replace('"id":2,"label"', '"id":2,label'));
  const line = whole.slice(0, whole.indexOf('"id":2,"label"')).split('\n').length;
  expect(await passkey('store', 'check')).toEqual({
    code: 3,
    stdout: `${path} is damaged. Readable: 3 passkeys (1 revoked), 3 users, 0 sessions and tokens.\n`,
    stderr: `${path}:${line}: expected JSON\nRun \`passkey store repair --out FILE\` to save the readable part to a new file.\n`,
  });
  expect((await passkey('list')).stderr).toContain('save what can be read with `passkey store repair`');
  expect(await passkey('store', 'repair', '--out', 'new.json')).toMatchObject({ code: 0, stdout: `${join(cwd, 'new.json')}\n` });
  expect(JSON.parse((await passkey('list', '--json', '--store', 'new.json')).stdout)).toHaveLength(2);
  expect(await passkey('store', 'repair', '--out', 'new.json')).toMatchObject({ code: 2, stdout: '' });
  expect(await passkey('store', 'repair')).toMatchObject({ code: 2, stderr: expect.stringContaining('Name the new file with --out.') });
});
