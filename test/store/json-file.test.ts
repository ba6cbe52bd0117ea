import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { chmod, lstat, mkdir, readdir, readFile, readlink, rename, rm, stat, symlink, unlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { checkStore } from '../../src/store/inspect.js';
import { type JsonFileStoreOptions, openJsonFileStore } from '../../src/store/json-file.js';
import type { Store } from '../../src/store/store.js';
import { temporaryFolder } from '../contract/adapters.js';
import { newAccess, newCeremony, newOwner, newPasskey, START } from '../contract/samples.js';
import { deadProcess } from './dead-process.js';

const POSIX = process.platform !== 'win32';

async function open(path: string, options: JsonFileStoreOptions = {}): Promise<Store> {
  const store = await openJsonFileStore(path, options);
  onTestFinished(() => store.close());
  return store;
}

const mode = async (path: string): Promise<number> => (await stat(path)).mode & 0o777;

describe('where a store is made', () => {
  test('an absent one is store_absent with its path, and nothing is made', async () => {
    const folder = await temporaryFolder();
    const path = join(folder, '.passkey', 'passkeys.jsonl');
    await expect(openJsonFileStore(path)).rejects.toMatchObject({
      code: 'store_absent',
      message: `There is no store at ${path}. Create one with \`passkey serve\` or \`passkey user add\`, or name another with --store or PASSKEY_STORE.`,
    });
    expect(await readdir(folder)).toEqual([]);
  });

  test('the default folder is private and keeps itself out of git', async () => {
    const folder = join(await temporaryFolder(), '.passkey');
    await open(join(folder, 'passkeys.jsonl'), { create: true });
    expect((await readdir(folder)).toSorted()).toEqual(['.gitignore', 'passkeys.jsonl']);
    expect(await readFile(join(folder, '.gitignore'), 'utf8')).toBe('*\n');
    if (!POSIX) return;
    expect(await mode(folder)).toBe(0o700);
    expect(await mode(join(folder, 'passkeys.jsonl'))).toBe(0o600);
  });

  test('a folder that was there, or has another name, is left as it is', async () => {
    const folder = await temporaryFolder();
    await mkdir(join(folder, '.passkey'), { mode: 0o755 });
    await open(join(folder, '.passkey', 'passkeys.jsonl'), { create: true });
    await open(join(folder, 'a', 'b', 'passkeys.jsonl'), { create: true });
    expect(await readdir(join(folder, '.passkey'))).toEqual(['passkeys.jsonl']);
    expect(await readdir(join(folder, 'a', 'b'))).toEqual(['passkeys.jsonl']);
    if (POSIX) expect([await mode(join(folder, '.passkey')), await mode(join(folder, 'a'))]).toEqual([0o755, 0o700]);
  });

  test('create leaves a store that is there alone', async () => {
    const path = join(await temporaryFolder(), 'passkeys.jsonl');
    await (await open(path, { create: true })).insertPasskey(newPasskey());
    const before = await stat(path, { bigint: true });
    expect(await (await open(path, { create: true })).listPasskeys()).toHaveLength(1);
    expect((await stat(path, { bigint: true })).ino).toBe(before.ino);
  });

  test.runIf(POSIX)('a store is private after a change, whatever it was before', async () => {
    const path = join(await temporaryFolder(), 'passkeys.jsonl');
    const store = await open(path, { create: true });
    await chmod(path, 0o644);
    await store.insertPasskey(newPasskey());
    await store.close();
    expect(await mode(path)).toBe(0o600);
  });

  test.runIf(POSIX)('a symbolic link stays, and what it points at is replaced', async () => {
    const folder = await temporaryFolder();
    await mkdir(join(folder, 'real'));
    await (await openJsonFileStore(join(folder, 'real', 'passkeys.jsonl'), { create: true })).close();
    await symlink('real/passkeys.jsonl', join(folder, 'one.json'));
    await symlink(join(folder, 'one.json'), join(folder, 'two.json'));
    const store = await open(join(folder, 'two.json'), { create: true });
    await store.insertPasskey(newPasskey());
    expect(await readlink(join(folder, 'one.json'))).toBe('real/passkeys.jsonl');
    expect((await lstat(join(folder, 'two.json'))).isSymbolicLink()).toBe(true);
    expect(await (await open(join(folder, 'real', 'passkeys.jsonl'))).listPasskeys()).toHaveLength(1);
    await store.close();
    expect(await readdir(join(folder, 'real'))).toEqual(['passkeys.jsonl']);
  });

  test.runIf(POSIX)('a symbolic link to nothing is refused, and nothing is made where it points', async () => {
    const folder = await temporaryFolder();
    const path = join(folder, 'passkeys.jsonl');
    await symlink(join(folder, 'elsewhere.json'), path);
    for (const create of [true, false]) {
      await expect(openJsonFileStore(path, { create })).rejects.toMatchObject({
        code: 'store_unavailable',
        message: `The store ${path} is a symbolic link to a file that does not exist. Nothing was made. Remove the link, or put that file there.`,
      });
    }
    expect(await readdir(folder)).toEqual(['passkeys.jsonl']);
  });

  test.runIf(POSIX)('one that is a FIFO is refused without waiting for its other end', async () => {
    const path = join(await temporaryFolder(), 'passkeys.jsonl');
    execFileSync('mkfifo', [path]);
    for (const attempt of [() => openJsonFileStore(path), () => openJsonFileStore(path, { create: true }), () => checkStore(path)]) {
      await expect(attempt()).rejects.toMatchObject({
        code: 'store_unavailable',
        message: expect.stringContaining(`${path} to be a file; it is a FIFO (a named pipe).`),
      });
    }
  });

  test.each([
    ['below a file', async (path: string) => writeFile(join(path, '..'), ''), 'ENOTDIR'],
    ['a link to itself', async (path: string) => symlink(path, path), 'ELOOP'],
  ])('%s is store_unavailable', async (_, prepare, systemCode) => {
    const path = join(await temporaryFolder(), 'x', 'passkeys.jsonl');
    if (systemCode !== 'ENOTDIR') await mkdir(join(path, '..'));
    await prepare(path);
    await expect(openJsonFileStore(path, { create: true })).rejects.toMatchObject({
      code: 'store_unavailable',
      message: expect.stringContaining(`${path} (${systemCode}).`),
      cause: { code: systemCode },
    });
  });
});

describe.runIf(POSIX)('a file that is moved while it is open, with a link in its place,', () => {
  /** A store that is open, and moved. */
  async function moved() {
    const folder = await temporaryFolder();
    const [path, target] = [join(folder, 'passkeys.jsonl'), join(folder, 'moved.jsonl')];
    const store = await open(path, { create: true });
    await store.insertPasskey(newPasskey());
    await rename(path, target);
    await symlink(target, path);
    return { path, target, store };
  }

  const passkeysIn = async (path: string) => (await readFile(path, 'utf8')).split('\n').filter((line) => line.startsWith('{"passkey":'));

  test('is written where it is now, and the link stays', async () => {
    const { path, target, store } = await moved();
    expect(await store.listPasskeys()).toHaveLength(1);
    await store.close();
    expect(await readlink(path)).toBe(target);
    expect(await passkeysIn(target)).toHaveLength(1);
  });

  test('is changed there, by this process and others', async () => {
    const { path, target, store } = await moved();
    await store.insertPasskey(newPasskey());
    const other = await open(path);
    expect(await other.listPasskeys()).toHaveLength(2);
    await other.insertPasskey(newPasskey());
    expect(await store.listPasskeys()).toHaveLength(3);
    await Promise.all([store.close(), other.close()]);
    expect(await readlink(path)).toBe(target);
    expect(await passkeysIn(target)).toHaveLength(3);
  });
});

describe('what others do to the file', () => {
  test('a change made elsewhere shows in the next read', async () => {
    const path = join(await temporaryFolder(), 'passkeys.jsonl');
    const [here, there] = [await open(path, { create: true }), await open(path)];
    const passkey = await here.insertPasskey(newPasskey());
    await here.insertAccess(newAccess({ passkeyId: 1 }));
    expect(await there.findPasskeyByCredentialId(passkey.credential.id)).toMatchObject({ revokedAt: undefined });
    for (let round = 0; round < 25; round += 1) {
      await there.revokePasskeys([1], { at: START + round, reason: 'lost' });
      expect(await here.findPasskeyByCredentialId(passkey.credential.id)).toMatchObject({ revokedAt: START + round });
      await there.restorePasskeys([1]);
      expect(await here.findPasskey(1)).toMatchObject({ revokedAt: undefined });
    }
    expect(await here.listAccess()).toMatchObject([{ revokedAt: START }]);
  });

  test('an owner removed elsewhere loses the ceremonies begun here', async () => {
    const path = join(await temporaryFolder(), 'passkeys.jsonl');
    const [here, there] = [await open(path, { create: true }), await open(path)];
    const owner = await here.insertOwner(newOwner());
    const ceremony = newCeremony({ owner: { type: owner.type, id: owner.id } });
    await here.saveCeremony(ceremony);
    await there.removeOwner(owner, { at: START, reason: 'left' });
    expect(await here.takeCeremony(ceremony.challenge, START)).toEqual({ status: 'unknown' });
  });

  test('a file that goes away is store_absent and is not made again; one that comes back serves', async () => {
    const path = join(await temporaryFolder(), 'passkeys.jsonl');
    const store = await open(path, { create: true });
    await store.insertPasskey(newPasskey());
    await rename(path, `${path}.away`);
    for (const attempt of [() => store.listPasskeys(), () => store.check(), () => store.insertPasskey(newPasskey())]) {
      await expect(attempt()).rejects.toMatchObject({ code: 'store_absent' });
    }
    expect(existsSync(path)).toBe(false);
    await rename(`${path}.away`, path);
    expect(await store.insertPasskey(newPasskey())).toMatchObject({ id: 2 });
  });

  test('a file that is damaged while it is used is refused until it is mended', async () => {
    const path = join(await temporaryFolder(), 'passkeys.jsonl');
    const store = await open(path, { create: true });
    await store.insertPasskey(newPasskey());
    const whole = await readFile(path, 'utf8');
    const half = `${whole.slice(0, whole.length / 2)}\n`;
    await writeFile(path, half);
    for (const attempt of [() => store.findPasskey(1), () => store.check(), () => store.insertPasskey(newPasskey())]) {
      await expect(attempt()).rejects.toMatchObject({ code: 'store_damaged' });
    }
    expect(await readFile(path, 'utf8')).toBe(half);
    await writeFile(path, whole);
    expect(await store.findPasskey(1)).toMatchObject({ id: 1 });
  });
});

describe('a change that cannot be written', () => {
  test('is refused, and memory stays as the disk is', async () => {
    const folder = await temporaryFolder();
    const small = join(folder, 'passkeys.jsonl');
    const first = await open(small, { create: true });
    await first.insertPasskey(newPasskey());
    await first.close();
    // A file that can be read, while the name of its lock would be too long.
    const path = join(folder, `${'x'.repeat(251)}`);
    await rename(small, path);
    const before = await readFile(path, 'utf8');
    const store = await open(path);
    const outcomes = await Promise.allSettled([
      store.insertPasskey(newPasskey()),
      store.renamePasskey(1, 'New'),
      store.insertOwner(newOwner()),
    ]);
    for (const outcome of outcomes) {
      expect(outcome).toMatchObject({ status: 'rejected', reason: { code: 'store_unavailable', cause: { code: 'ENAMETOOLONG' } } });
    }
    expect(await store.listPasskeys()).toMatchObject([{ id: 1, label: 'iCloud Keychain' }]);
    expect(await store.listOwners()).toEqual([]);
    expect(await readFile(path, 'utf8')).toBe(before);
    await rename(path, small);
    expect(await (await open(small)).insertPasskey(newPasskey())).toMatchObject({ id: 2 });
  });

  test('a refused change beside it in the same write does no harm', async () => {
    const store = await open(join(await temporaryFolder(), 'passkeys.jsonl'), { create: true });
    const same = newPasskey();
    const outcomes = await Promise.allSettled([store.insertPasskey(same), store.insertPasskey(same), store.insertPasskey(newPasskey())]);
    expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
    expect((await store.listPasskeys()).map(({ id }) => id)).toEqual([1, 2]);
  });

  test('a record that could not be read again is not written', async () => {
    const path = join(await temporaryFolder(), 'passkeys.jsonl');
    const store = await open(path, { create: true });
    const before = await readFile(path, 'utf8');
    const { credential } = newPasskey();
    await expect(store.insertPasskey(newPasskey({ credential: { ...credential, signCount: Number.NaN } }))).rejects.toThrow(TypeError);
    expect(await readFile(path, 'utf8')).toBe(before);
    expect(await store.insertPasskey(newPasskey())).toMatchObject({ id: 1 });
  });
});

describe('what a crash leaves', () => {
  test('temporary files are never read, and go with the first change; files of others stay', async () => {
    const folder = await temporaryFolder();
    const path = join(folder, 'passkeys.jsonl');
    const first = await open(path, { create: true });
    await first.insertPasskey(newPasskey());
    await first.close();
    const others = ['.other.json.1.abc.tmp', 'passkeys.jsonl.bak', '.passkeys.jsonl.notes'];
    const left = await deadProcess();
    for (const name of [`.passkeys.jsonl.${left}.0123456789ab.tmp`, ...others]) await writeFile(join(folder, name), '{"passkey_store":1');
    const store = await open(path);
    expect(await store.listPasskeys()).toHaveLength(1);
    await store.insertPasskey(newPasskey());
    await store.close();
    expect((await readdir(folder)).toSorted()).toEqual([...others, 'passkeys.jsonl'].toSorted());
  });

  test('a closed store refuses, and closing waits for changes under way', async () => {
    const path = join(await temporaryFolder(), 'passkeys.jsonl');
    const store = await openJsonFileStore(path, { create: true });
    const inserted = store.insertPasskey(newPasskey());
    await store.close();
    expect(await inserted).toMatchObject({ id: 1 });
    expect(await (await open(path)).listPasskeys()).toHaveLength(1);
    await expect(store.listPasskeys()).rejects.toMatchObject({ code: 'store_unavailable' });
    await expect(store.insertPasskey(newPasskey())).rejects.toMatchObject({ code: 'store_unavailable' });
    await expect(store.check()).rejects.toMatchObject({ code: 'store_unavailable' });
    await store.close();
  });
});

describe('the file', () => {
  test('has bytes as base64url, times as UTC with six fraction digits, and one row a line', async () => {
    const path = join(await temporaryFolder(), 'passkeys.jsonl');
    const store = await open(path, { create: true });
    await store.insertOwner(newOwner({ type: 'App\\Models\\User', email: 'ada@example.com' }));
    await store.insertAccess(newAccess({ hash: new Uint8Array([251, 255]), createdAt: START + 0.5 }));
    await store.close();
    expect((await readFile(path, 'utf8')).split('\n')).toEqual([
      expect.stringMatching(/^\{"passkey_store":1,"file":"[0-9a-f]{32}","next_passkey_id":1,"next_access_id":2,"rows":2\}$/),
      '{"owner":{"type":"App\\\\Models\\\\User","id":1,"email":"ada@example.com","name":"Ada","user_handle":null,"created_at":"2026-01-15T10:30:00.000000Z"}}',
      '{"access":{"id":1,"kind":"session","owner_type":"User","owner_id":1,"hash":"-_8","passkey_id":null,"label":null,"created_at":"2026-01-15T10:30:00.000500Z","expires_at":"2026-01-15T11:30:00.000000Z","revoked_at":null}}',
      '',
    ]);
  });

  test('is the same store under NODE_ENV=test and elsewhere, and is not rewritten by a change that changes nothing', async () => {
    expect(process.env.NODE_ENV).toBe('test');
    const path = join(await temporaryFolder(), 'passkeys.jsonl');
    const store = await open(path, { create: true });
    await store.insertPasskey(newPasskey());
    const before = await readFile(path, 'utf8');
    await store.renamePasskey(2, 'x');
    await store.revokePasskeys([2], { at: START, reason: undefined });
    expect(await readFile(path, 'utf8')).toBe(before);
    await unlink(path);
    await rm(join(path, '..'), { recursive: true });
    await expect(store.insertPasskey(newPasskey())).rejects.toMatchObject({ code: 'store_unavailable' });
  });
});
