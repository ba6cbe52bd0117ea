import { describe, expect, test } from 'vitest';
import { adapters, sharedJsonFile } from './adapters.js';
import { NEVER_USED, newAccess, newOwner, newPasskey, START } from './samples.js';

describe.each(adapters(sharedJsonFile))('PasskeyStore: $name', ({ open }) => {
  const use = { expectedSignCount: 0, signCount: 1, backupState: true, uvInitialized: true, lastUsedAt: START + 5 };

  test('an inserted passkey comes back whole, with ascending ids', async () => {
    const store = await open();
    const given = newPasskey();
    const bare = newPasskey({ authenticatorAttachment: undefined, clientExtensionResults: {}, label: '', createdAt: START + 0.25 });
    const first = await store.insertPasskey(given);
    const second = await store.insertPasskey(bare);
    const plain = (passkey: typeof given) => ({
      ...passkey,
      userHandle: new Uint8Array(passkey.userHandle),
      challenge: new Uint8Array(passkey.challenge),
      credential: {
        ...passkey.credential,
        id: new Uint8Array(passkey.credential.id),
        publicKey: new Uint8Array(passkey.credential.publicKey),
        attestationObject: new Uint8Array(passkey.credential.attestationObject),
        attestationClientDataJSON: new Uint8Array(passkey.credential.attestationClientDataJSON),
      },
    });
    expect(first).toStrictEqual({ ...plain(given), ...NEVER_USED, id: 1 });
    expect(second).toStrictEqual({ ...plain(bare), ...NEVER_USED, id: 2 });
    expect(await store.findPasskey(1)).toStrictEqual(first);
    expect(await store.findPasskeyByCredentialId(bare.credential.id)).toStrictEqual(second);
    expect(first.credential.publicKey.buffer.byteLength).toBe(77);
  });

  test('what is not there is undefined or empty', async () => {
    const store = await open();
    expect(await store.findPasskey(1)).toBeUndefined();
    expect(await store.findPasskeyByCredentialId(new Uint8Array([1]))).toBeUndefined();
    expect(await store.listPasskeys()).toEqual([]);
    expect(await store.recordLogin({ passkeyId: 1, use })).toEqual({ status: 'changed', passkey: undefined });
    expect(await store.recordCounterRegression(1, START)).toBeUndefined();
    expect(await store.renamePasskey(1, 'x')).toBeUndefined();
    expect(await store.revokePasskeys([1], { at: START, reason: undefined })).toEqual({ status: 'missing', ids: [1] });
    expect(await store.restorePasskeys([1])).toEqual({ status: 'missing', ids: [1] });
  });

  test('what goes in and what comes out is a copy', async () => {
    const store = await open();
    const given = newPasskey();
    const id = new Uint8Array(given.credential.id);
    const inserted = await store.insertPasskey(given);
    const before = structuredClone(inserted);
    given.credential.id.fill(0);
    inserted.credential.publicKey.fill(0);
    Object.assign(inserted.clientExtensionResults, { changed: true });
    (await store.listPasskeys())[0]?.userHandle.fill(0);
    expect(await store.findPasskeyByCredentialId(id)).toStrictEqual(before);
  });

  test('a credential id is registered once, also when its passkey is revoked', async () => {
    const store = await open();
    const given = newPasskey();
    await store.insertPasskey(given);
    const again = () => store.insertPasskey(newPasskey({ credential: given.credential, rpId: 'other.example' }));
    await expect(again()).rejects.toMatchObject({ code: 'credential_already_registered' });
    await store.revokePasskeys([1], { at: START, reason: undefined });
    await expect(again()).rejects.toMatchObject({ code: 'credential_already_registered' });
    expect(await store.insertPasskey(newPasskey())).toMatchObject({ id: 2 });
  });

  test('of many insertions of one credential at once exactly one is taken; the others each get an id', async () => {
    const store = await open();
    const same = newPasskey();
    const outcomes = await Promise.allSettled([
      ...Array.from({ length: 5 }, () => store.insertPasskey(same)),
      ...Array.from({ length: 10 }, () => store.insertPasskey(newPasskey())),
    ]);
    expect(outcomes.filter(({ status }) => status === 'rejected')).toHaveLength(4);
    expect((await store.listPasskeys()).map(({ id }) => id)).toEqual(Array.from({ length: 11 }, (_, index) => index + 1));
  });

  test('of many insertions of one owner at once no more are taken than it may have live; revoked ones and others’ do not count', async () => {
    const store = await open();
    const insert = (change = {}) => store.insertPasskey(newPasskey(change), { maxLive: 3 });
    await insert({ owner: { type: 'User', id: 2 } });
    await insert({ owner: { type: 'App\\Models\\User', id: 1 } });
    const outcomes = await Promise.allSettled(Array.from({ length: 8 }, () => insert()));
    const refused = outcomes.flatMap((outcome) => (outcome.status === 'rejected' ? [outcome.reason] : []));
    expect(refused).toHaveLength(5);
    for (const error of refused) {
      expect(error).toMatchObject({
        code: 'too_many_passkeys',
        message: 'The user User:1 has 3 live passkeys, the most allowed (--max-passkeys). Revoke one, then register again.',
      });
    }
    const [mine] = await store.listPasskeys({ owner: { type: 'User', id: 1 } });
    await store.revokePasskeys([mine?.id ?? 0], { at: START, reason: undefined });
    await expect(insert()).resolves.toMatchObject({ owner: { type: 'User', id: 1 } });
    await expect(insert()).rejects.toMatchObject({ code: 'too_many_passkeys' });
    await expect(store.insertPasskey(newPasskey())).resolves.toBeDefined();
  });

  test('a known credential is told before the number is', async () => {
    const store = await open();
    const given = newPasskey();
    await store.insertPasskey(given, { maxLive: 1 });
    await expect(store.insertPasskey(given, { maxLive: 1 })).rejects.toMatchObject({ code: 'credential_already_registered' });
  });

  test('an update compares the sign count, and answers the passkey after it', async () => {
    const store = await open();
    const passkey = await store.insertPasskey(newPasskey());
    const after = { ...passkey, lastUsedAt: START + 5, credential: { ...passkey.credential, signCount: 1, backupState: true } };
    const stale = { passkeyId: 1, use: { ...use, expectedSignCount: 7 } };
    expect(await store.recordLogin(stale)).toStrictEqual({ status: 'changed', passkey });
    expect(await store.recordLogin({ passkeyId: 1, use })).toStrictEqual({ status: 'recorded', passkey: after, opened: undefined });
    expect(await store.recordLogin({ passkeyId: 1, use })).toStrictEqual({ status: 'changed', passkey: after });
    expect(await store.findPasskey(1)).toStrictEqual(after);
  });

  test('of racing updates exactly one is applied', async () => {
    const store = await open();
    await store.insertPasskey(newPasskey());
    const logins = Array.from({ length: 8 }, (_, index) => ({ passkeyId: 1, use: { ...use, signCount: 10 + index } }));
    const outcomes = await Promise.all(logins.map((login) => store.recordLogin(login)));
    expect(outcomes.filter(({ status }) => status === 'recorded')).toHaveLength(1);
    // Those that came too late see what the first one left.
    const stored = await store.findPasskey(1);
    expect(outcomes.map(({ passkey }) => passkey)).toStrictEqual(outcomes.map(() => stored));
  });

  test('a revoked passkey takes no update', async () => {
    const store = await open();
    await store.insertPasskey(newPasskey());
    await store.revokePasskeys([1], { at: START, reason: undefined });
    const changed = { status: 'changed', passkey: await store.findPasskey(1) };
    expect(await store.recordLogin({ passkeyId: 1, use })).toStrictEqual(changed);
  });

  test('counter regressions are counted, all of them', async () => {
    const store = await open();
    await store.insertPasskey(newPasskey());
    await Promise.all([1, 2, 3].map((at) => store.recordCounterRegression(1, START + at)));
    expect(await store.findPasskey(1)).toMatchObject({ counterRegressions: 3, counterRegressedAt: START + 3 });
  });

  test('renames', async () => {
    const store = await open();
    const passkey = await store.insertPasskey(newPasskey());
    expect(await store.renamePasskey(1, 'Büro 🔑')).toStrictEqual({ ...passkey, label: 'Büro 🔑' });
    expect(await store.renamePasskey(1, 'Büro 🔑')).toStrictEqual(await store.findPasskey(1));
  });

  test('revoking ends what the passkey opened, once, and restoring does not bring it back', async () => {
    const store = await open();
    const passkey = await store.insertPasskey(newPasskey());
    await store.insertPasskey(newPasskey());
    const opened = await store.insertAccess(newAccess({ passkeyId: 1 }));
    const other = await store.insertAccess(newAccess({ passkeyId: 2, kind: 'token', expiresAt: undefined }));
    const none = await store.insertAccess(newAccess());
    const revoked = { ...passkey, revokedAt: START + 10, revokedReason: 'lost' };
    const done = (after: typeof passkey, ...changed: [number, string | undefined][]) => ({
      status: 'done',
      passkeys: [after],
      changed: new Map(changed),
    });
    expect(await store.revokePasskeys([1], { at: START + 10, reason: 'lost' })).toStrictEqual(done(revoked, [1, undefined]));
    expect(await store.revokePasskeys([1], { at: START + 99, reason: 'again' })).toStrictEqual(done(revoked));
    expect(await store.findPasskeyByCredentialId(passkey.credential.id)).toStrictEqual(revoked);
    const ended = [{ ...opened, revokedAt: START + 10 }, other, none];
    expect(await store.listAccess()).toStrictEqual(ended);
    expect(await store.restorePasskeys([1])).toStrictEqual(done(passkey, [1, 'lost']));
    expect(await store.restorePasskeys([1])).toStrictEqual(done(passkey));
    expect(await store.listAccess()).toStrictEqual(ended);
  });

  test('revokes and restores many in one change, in the order of the ids', async () => {
    const store = await open();
    const before = [];
    for (let n = 0; n < 3; n += 1) before.push(await store.insertPasskey(newPasskey()));
    const opened = await store.insertAccess(newAccess({ passkeyId: 2 }));
    await store.revokePasskeys([3], { at: START, reason: 'first' });
    const revoked = await store.revokePasskeys([3, 2, 1], { at: START + 10, reason: 'lost' });
    expect(revoked).toMatchObject({
      status: 'done',
      changed: new Map([
        [2, undefined],
        [1, undefined],
      ]),
    });
    expect(revoked).toHaveProperty('passkeys', [
      { ...before[2], revokedAt: START, revokedReason: 'first' },
      { ...before[1], revokedAt: START + 10, revokedReason: 'lost' },
      { ...before[0], revokedAt: START + 10, revokedReason: 'lost' },
    ]);
    expect(await store.listPasskeys()).toEqual([]);
    expect(await store.listAccess()).toEqual([{ ...opened, revokedAt: START + 10 }]);
    const changed = new Map([
      [1, 'lost'],
      [3, 'first'],
    ]);
    expect(await store.restorePasskeys([1, 3])).toEqual({ status: 'done', passkeys: [before[0], before[2]], changed });
    expect((await store.listPasskeys()).map(({ id }) => id)).toEqual([1, 3]);
  });

  test('a removed owner gets no passkey, neither a new one nor one back', async () => {
    const store = await open();
    const owner = await store.insertOwner(newOwner());
    await store.insertPasskey(newPasskey({ owner: { type: owner.type, id: owner.id } }));
    await store.removeOwner(owner, { at: START, reason: 'left' });
    await expect(store.insertPasskey(newPasskey({ owner: { type: owner.type, id: owner.id } }))).rejects.toMatchObject({
      code: 'owner_not_found',
      message: 'The user User:1 has been removed.',
    });
    await expect(store.restorePasskeys([1])).rejects.toMatchObject({ code: 'passkey_not_restorable' });
    expect(await store.findPasskey(1)).toMatchObject({ revokedAt: START, revokedReason: 'left' });
  });
});
