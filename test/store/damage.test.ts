import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { openJsonFileStore } from '../../src/store/json-file.js';
import { temporaryFolder } from '../contract/adapters.js';
import { newAccess, newOwner, newPasskey, START } from '../contract/samples.js';

/** A whole store with rows of each kind: the good file that every row of the tables below breaks in one line. */
async function goodFile(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'passkey-store-'));
  const path = join(folder, 'good.jsonl');
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
  const path = join(await temporaryFolder(), 'passkeys.jsonl');
  await writeFile(path, content);
  for (const create of [false, true]) {
    await expect(openJsonFileStore(path, { create })).rejects.toMatchObject({
      code,
      message: expect.stringContaining(message.replace('PATH', path)),
    });
  }
  expect(await readFile(path)).toEqual(Buffer.from(content));
  expect(await readdir(join(path, '..'))).toEqual(['passkeys.jsonl']);
}

const ADVICE =
  'Nothing was changed. Correct it, save what can be read with `passkey store repair`, restore a copy, or move it away to start with an empty one.';

describe('a damaged file is refused by name and line, and is not touched', () => {
  let good = '';
  beforeAll(async () => {
    good = await goodFile();
  });

  const bytes = (text: string, at: number, ...other: number[]): Uint8Array => {
    const changed = Buffer.from(text);
    changed.set(other, at);
    return changed;
  };
  const texts: [name: string, damage: (good: string) => string | Uint8Array, line: number, detail: string][] = [
    ['empty', () => '', 1, 'the file is empty'],
    ['only white space', () => ' \n', 1, 'expected JSON'],
    ['a head that is cut off', (text) => text.slice(0, 30), 1, 'expected JSON'],
    ['a head without its line feed', (text) => text.split('\n')[0] ?? '', 1, 'the line is cut off'],
    ['cut off', (text) => text.slice(0, 1_000), 5, 'the file is cut off: its head says that 7 rows follow, and there are 3'],
    ['a conflict marker', (text) => text.replace('{"passkey"', '<<<<<<< HEAD\n{"passkey"'), 5, 'expected JSON'],
    ['two files', (text) => text + text, 9, 'expected an owner, removed_owner, passkey'],
    ['a line that is not UTF-8', (text) => bytes(text, text.indexOf('a@example.com'), 0xff), 2, 'expected UTF-8'],
    ['zero bytes', () => new Uint8Array(64), 1, 'expected JSON'],
    ['a JSON document of another kind', () => '[]\n', 1, 'expected a JSON object'],
    ['null', () => 'null\n', 1, 'expected a JSON object'],
    ['an empty line', (text) => text.replace('{"passkey"', '\n{"passkey"'), 5, 'expected JSON'],
    [
      'an end mark in a store in use',
      (text) => `${text}{"end":{"sha256":"${'0'.repeat(64)}"}}\n`,
      9,
      'expected an end mark only in an export',
    ],
  ];
  test.each(texts)('%s', async (_, damage, line, detail) => {
    await expectRefusal(damage(good), 'store_damaged', `The store PATH:${line} is damaged: ${detail}`);
  });

  // biome-ignore format: one row a line
  const shapes: [line: number, pointer: string, value: unknown, detail: string][] = [
    [1, '/passkey_store', 'one', '/passkey_store must be an integer, it is a string'],
    [1, '/passkey_store', undefined, 'expected the head of a store'],
    [1, '/file', 'mine', '/file has to match the pattern'],
    [1, '/next_passkey_id', 1.5, '/next_passkey_id must be an integer, it is a number'],
    [1, '/rows', undefined, '/rows is missing'],
    [1, '/later', 1, '/later is a member that this version does not know'],
    [2, '/owner/email', 5, '/owner/email must be a string, it is a number'],
    [2, '/owner/note', 'mine', '/owner/note is a member that this version does not know'],
    [3, '/owner/email', 'A@EXAMPLE.com', 'the e-mail of User:2 is taken'],
    [5, '/passkey', null, '/passkey must be an object, it is null'],
    [6, '/passkey/credential_id', undefined, '/passkey/credential_id is missing'],
    [6, '/passkey/sign_count', -1, '/passkey/sign_count must be at least 0, it is -1'],
    [6, '/passkey/transports', ['usb', 1], '/passkey/transports/1 must be a string, it is a number'],
    [6, '/passkey/attestation_trust', 'full', 'must be "none" or "untrusted" or "trusted"'],
    [6, '/passkey/aaguid', 'fbfc3007', 'has to match the pattern'],
    [5, '/passkey/public_key', 'a+b=', 'has to match the pattern ^[A-Za-z0-9_-]*$'],
    [5, '/passkey/public_key', 'abcde', '/passkey/public_key is not base64url'],
    [5, '/passkey/created_at', '2026-01-15T10:30:00Z', 'has to match the pattern'],
    [5, '/passkey/created_at', '2026-13-15T10:30:00.000000Z', '/passkey/created_at is not a time'],
    [6, '/passkey/id', 1, 'passkey 1 has another credential'],
    [5, '/passkey/id', 0, '/passkey/id must be at least 1, it is 0'],
    [8, '/access/kind', 'cookie', 'must be "token" or "session"'],
    [8, '/access/id', 1, 'access 1 has another hash'],
    [8, '/more', false, '/more must be true'],
  ];
  test.each(shapes)('in line %i: %s = %j', async (number, pointer, value, detail) => {
    const lines = good.split('\n');
    const changed = JSON.parse(lines[number - 1] ?? '');
    const path = pointer.slice(1).split('/');
    const last = path.pop() ?? '';
    const holder = path.reduce((at, name) => at[name], changed);
    if (value === undefined) delete holder[last];
    else holder[last] = value;
    await expectRefusal(lines.with(number - 1, JSON.stringify(changed)).join('\n'), 'store_damaged', detail);
  });

  test.each(['credential_id', 'hash'])('a %s that two rows have', async (member) => {
    const value = new RegExp(`"${member}":"([^"]+)"`, 'g');
    const [first = '', second = ''] = [...good.matchAll(value)].map(([, found]) => found);
    const detail = member === 'hash' ? 'the hash of access 2 is that of access 1' : 'the credential of passkey 2 is that of passkey 1';
    await expectRefusal(good.replace(second, first), 'store_damaged', `:${member === 'hash' ? 8 : 6} is damaged: ${detail}. ${ADVICE}`);
  });

  test('a row that is nested 8,000 levels deep; 99 levels are kept', async () => {
    const nested = (levels: number) =>
      good
        .replace('"client_extension_results":{', `"client_extension_results":{"later":${'['.repeat(levels)}${']'.repeat(levels)},`)
        .replace(',}', '}');
    await expectRefusal(nested(8_000), 'store_damaged', '/passkey/client_extension_results is nested more than 100 levels deep');
    const path = join(await temporaryFolder(), 'passkeys.jsonl');
    await writeFile(path, nested(98));
    const store = await openJsonFileStore(path);
    await store.insertOwner(newOwner());
    await store.close();
    expect(await readFile(path, 'utf8')).toContain(`${'['.repeat(98)}${']'.repeat(98)}`);
  });

  test('a file of a newer version is whole but not for this one', async () => {
    await expectRefusal(
      '{"passkey_store":2,"anything":[]}\n',
      'store_unavailable',
      'Expected version 1 of the format in the store PATH; got 2. A newer passkey wrote it: use that version, or name another store with --store.',
    );
  });

  test('line ends of Windows, members and rows in another order, and characters beyond ASCII are no damage', async () => {
    const path = join(await temporaryFolder(), 'passkeys.jsonl');
    const [head = '', ...rows] = good.trimEnd().split('\n');
    const reversed = rows.toReversed().map((line) => {
      const [[kind, row] = []] = Object.entries<object>(JSON.parse(line));
      return JSON.stringify({ [String(kind)]: Object.fromEntries(Object.entries(row ?? {}).reverse()) }).replace('iCloud', 'ïCloud');
    });
    await writeFile(path, [head, ...reversed].map((line) => `${line}\r\n`).join(''));
    const store = await openJsonFileStore(path);
    expect((await store.listPasskeys()).map(({ id, label }) => `${id} ${label}`)).toEqual(['1 ïCloud Keychain', '2 ïCloud Keychain']);
    await store.insertPasskey(newPasskey());
    await store.close();
    const again = await openJsonFileStore(path);
    expect((await again.listPasskeys()).map(({ id }) => id)).toEqual([1, 2, 3]);
    await again.close();
  });
});
