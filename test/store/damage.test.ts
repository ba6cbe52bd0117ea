import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { openJsonFileStore } from '../../src/store/json-file.js';
import { temporaryFolder } from '../contract/adapters.js';
import { newAccess, newOwner, newPasskey, START } from '../contract/samples.js';

/** A whole store with something in each table: the good file that every row of the tables below breaks in one place. */
async function goodFile(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'passkey-store-'));
  const path = join(folder, 'good.json');
  const store = await openJsonFileStore(path, { create: true });
  await store.insertOwner(newOwner({ email: 'a@example.com' }));
  await store.insertOwner(newOwner({ email: 'b@example.com' }));
  await store.insertOwner(newOwner());
  await store.removeOwner({ type: 'User', id: 3 }, { at: START, reason: 'left' });
  await store.insertPasskey(newPasskey());
  await store.insertPasskey(newPasskey());
  await store.insertAccess(newAccess());
  await store.insertAccess(newAccess());
  await store.close();
  const text = await readFile(path, 'utf8');
  await rm(folder, { recursive: true });
  return text;
}

async function expectRefusal(content: string | Uint8Array, code: string, message: string): Promise<void> {
  const path = join(await temporaryFolder(), 'passkeys.json');
  await writeFile(path, content);
  for (const create of [false, true]) {
    await expect(openJsonFileStore(path, { create })).rejects.toMatchObject({ code, message: message.replace('PATH', path) });
  }
  expect(await readFile(path)).toEqual(Buffer.from(content));
  expect(await readdir(join(path, '..'))).toEqual(['passkeys.json']);
}

const ADVICE =
  'Nothing was changed. Correct it, save what can be read with `passkey store repair`, restore a copy, or move it away to start with an empty one.';

describe('a damaged file is refused by name and place, and is not touched', () => {
  let good = '';
  beforeAll(async () => {
    good = await goodFile();
  });

  const texts: [name: string, damage: (good: string) => string | Uint8Array, place: string, detail: string][] = [
    ['empty', () => '', ':1:1', 'the file is empty'],
    ['only white space', () => ' \n', ':2:1', 'expected a JSON object, got the end'],
    ['cut off', () => '{\n  "version": 1,\n  "own', ':3:7', 'expected the closing quote of a string, got the end'],
    ['a comma too many', (good) => good.replace(/\n\}\n$/, ',\n}\n'), ':22:1', 'expected a member name in double quotes, got "}"'],
    [
      'a conflict marker',
      (good) => good.replace('  "owners"', '<<<<<<< HEAD\n  "owners"'),
      ':7:1',
      'expected a member name in double quotes, got "<"',
    ],
    ['two documents', (good) => good + good, ':23:1', 'expected the end, got "{"'],
    ['not UTF-8', () => new Uint8Array([0x7b, 0x0a, 0x20, 0xff, 0x7d]), ':2:2', 'expected UTF-8, got 0xff'],
    ['cut off within a character', () => new Uint8Array([0x7b, 0x22, 0xc3]), ':1:3', 'expected UTF-8, got the end'],
    ['zero bytes', () => new Uint8Array(64), ':1:1', 'expected a JSON object, got 0x00'],
    ['another document', () => '[]', '', 'must be an object, it is an array'],
    ['null', () => 'null', '', 'must be an object, it is null'],
  ];
  test.each(texts)('%s', async (_, damage, place, detail) => {
    await expectRefusal(damage(good), 'store_damaged', `The store PATH${place} is damaged: ${detail}. ${ADVICE}`);
  });

  // biome-ignore format: one row a line
  const shapes: [pointer: string, value: unknown, detail: string][] = [
    ['/version', 1, 'must be 2'],
    ['/store', undefined, 'is missing'],
    ['/store', 'mine', 'has to match the pattern'],
    ['/sequence', undefined, 'is missing'],
    ['/version', undefined, 'is missing'],
    ['/next_passkey_id', 1.5, 'must be an integer, it is a number'],
    ['/passkeys', {}, 'must be an array, it is an object'],
    ['/passkeys', undefined, 'is missing'],
    ['/passkeys/0', null, 'must be an object, it is null'],
    ['/passkeys/1/credential_id', undefined, 'is missing'],
    ['/passkeys/1/sign_count', -1, 'must be at least 0, it is -1'],
    ['/passkeys/1/transports', ['usb', 1], 'must be a string, it is a number'],
    ['/passkeys/1/attestation_trust', 'full', 'must be "none" or "untrusted" or "trusted"'],
    ['/passkeys/1/aaguid', 'fbfc3007', 'has to match the pattern'],
    ['/passkeys/0/public_key', 'a+b=', 'has to match the pattern ^[A-Za-z0-9_-]*$'],
    ['/passkeys/0/public_key', 'abcde', 'is not base64url'],
    ['/passkeys/0/created_at', '2026-01-15T10:30:00Z', 'has to match the pattern'],
    ['/passkeys/0/created_at', '2026-13-15T10:30:00.000000Z', 'is not a time'],
    ['/passkeys/1/id', 1, 'appears twice'],
    ['/passkeys/0/id', 0, 'must be at least 1, it is 0'],
    ['/passkeys/1/id', 3, 'is not below next_passkey_id, 3'],
    ['/owners/1/id', 1, 'appears twice within its type'],
    ['/owners/1/email', 'A@EXAMPLE.com', 'appears twice within its type'],
    ['/removed_owners/0/id', 2, 'belongs to an owner who still exists'],
    ['/accesses/1/kind', 'cookie', 'must be "token" or "session"'],
    ['/accesses/1/id', 1, 'appears twice'],
    ['/accesses/1/id', 9, 'is not below next_access_id, 3'],
  ];
  test.each(shapes)('%s = %j', async (pointer, value, detail) => {
    const file = JSON.parse(good);
    const path = pointer.slice(1).split('/');
    const last = path.pop() ?? '';
    const holder = path.reduce((at, name) => at[name], file);
    if (value === undefined) delete holder[last];
    else holder[last] = value;
    const folder = await temporaryFolder();
    const damaged = join(folder, 'passkeys.json');
    const content = JSON.stringify(file);
    await writeFile(damaged, content);
    await expect(openJsonFileStore(damaged, { create: true })).rejects.toMatchObject({
      code: 'store_damaged',
      message: expect.stringMatching(new RegExp(`^The store ${damaged.replaceAll('\\', '\\\\')} at ${pointer}[^ ]* is damaged: `)),
    });
    await expect(openJsonFileStore(damaged)).rejects.toThrow(detail);
    expect(await readFile(damaged, 'utf8')).toBe(content);
  });

  test.each([
    ['{', '/later'],
    ['"owners": [\n    {', '/owners/0/later'],
    ['"removed_owners": [\n    {', '/removed_owners/0/later'],
    ['"passkeys": [\n    {', '/passkeys/0/later'],
    ['"client_extension_results":{', '/passkeys/0/client_extension_results'],
    ['"accesses": [\n    {', '/accesses/0/later'],
  ])('a member after %j that is nested 8,000 levels deep; 99 levels are kept', async (anchor, pointer) => {
    const withMember = (levels: number) => good.replace(anchor, `${anchor}"later":${'['.repeat(levels)}${']'.repeat(levels)},`);
    await expectRefusal(
      withMember(8_000),
      'store_damaged',
      `The store PATH at ${pointer} is damaged: is nested more than 100 levels deep. ${ADVICE}`,
    );
    const path = join(await temporaryFolder(), 'passkeys.json');
    await writeFile(path, withMember(99));
    const store = await openJsonFileStore(path);
    await store.insertOwner(newOwner());
    await store.close();
    expect(await readFile(path, 'utf8')).toContain(`${'['.repeat(99)}${']'.repeat(99)}`);
  });

  test.each(['credential_id', 'hash'])('a %s that appears twice', async (member) => {
    const file = JSON.parse(good);
    const table = member === 'hash' ? 'accesses' : 'passkeys';
    file[table][1][member] = file[table][0][member];
    const detail = member === 'hash' ? 'appears twice within its kind' : 'appears twice';
    await expectRefusal(JSON.stringify(file), 'store_damaged', `The store PATH at /${table}/1/${member} is damaged: ${detail}. ${ADVICE}`);
  });

  test('a file of a newer version is whole but not for this one', async () => {
    await expectRefusal(
      '{ "version": 3, "anything": [] }',
      'store_unavailable',
      'Expected schema version 2 in the store PATH; got 3. A newer passkey wrote it: use that version, or name another store with --store.',
    );
  });

  test('a byte order mark and rows in another order are no damage', async () => {
    const path = join(await temporaryFolder(), 'passkeys.json');
    const file = JSON.parse(good);
    file.passkeys.reverse();
    await writeFile(path, `\uFEFF${JSON.stringify(file, null, '\t').replaceAll('\n', '\r\n')}`);
    const store = await openJsonFileStore(path);
    expect((await store.listPasskeys()).map(({ id }) => id)).toEqual([1, 2]);
    await store.close();
  });
});
