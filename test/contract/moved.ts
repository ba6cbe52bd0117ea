import { onTestFinished } from 'vitest';
import type { Store } from '../../src/store/store.js';
import { exportLines } from '../../src/store/transfer/export-lines.js';
import { importLines } from '../../src/store/transfer/import-lines.js';
import type { StoredRow } from '../../src/store/transfer-port.js';
import { NEVER_USED, newAccess, newLogin, newOwner, newPasskey, START } from './samples.js';

/** Lines that can be read again, as those of a file. */
export const again = (lines: readonly string[]) =>
  async function* () {
    yield* lines;
  };

export async function linesOf(store: Store): Promise<string[]> {
  const lines: string[] = [];
  for await (const line of exportLines(store)) lines.push(line);
  return lines;
}

export const importInto = (store: Store, lines: readonly string[], options?: Parameters<typeof importLines>[2]) =>
  importLines(store, again(lines), options);

/** All that a store holds, and the ids that come next. */
export async function allOf(store: Store) {
  const picture = await store.transfer.picture();
  onTestFinished(() => picture.close());
  const rows: StoredRow[] = [];
  for await (const batch of picture.rows()) rows.push(...batch);
  const { counts, next } = picture;
  await picture.close();
  return { rows, counts, next };
}

/** Three users, one of them removed; four passkeys, used, revoked and with every member; sessions and tokens, and ids that are gone. */
export async function fill(store: Store): Promise<void> {
  const ada = await store.insertOwner(
    newOwner({ email: 'ada@example.com', name: 'Ada “✓” \u{1f511}', userHandle: new Uint8Array([1, 2]) }),
  );
  const bob = await store.insertOwner(newOwner({ email: 'bob@example.com' }));
  const eve = await store.insertOwner(newOwner({ type: 'Admin', id: 7, email: 'eve@example.com' }));
  const first = await store.insertPasskey(newPasskey({ owner: ada }));
  await store.insertPasskey(newPasskey({ owner: bob, authenticatorAttachment: undefined, createdAt: START + 0.25 }));
  await store.insertPasskey(newPasskey({ owner: eve, clientExtensionResults: {} }));
  const use = { expectedSignCount: 0, signCount: 5, backupState: true, uvInitialized: true, lastUsedAt: START + 7 };
  await store.recordLogin({ passkeyId: first.id, use, opens: newLogin() });
  await store.recordCounterRegression(first.id, START + 8);
  const token = await store.insertAccess(newAccess({ kind: 'token', owner: bob, label: 'CI', expiresAt: undefined }));
  await store.touchAccess(1, START + 9);
  await store.revokeAccess(token.id, START + 10);
  await store.revokePasskeys([2], { at: START + 11, reason: 'lost', change: 'c1' });
  await store.removeOwner(eve, { at: START + 12, reason: 'gone' });
}

/** Passkeys of User:1, in one change. */
export async function addMany(store: Store, count: number): Promise<void> {
  await store.transfer.add([], ({ next }) => ({
    add: Array.from({ length: count }, (_, index) => ({
      kind: 'passkey',
      record: {
        ...newPasskey({ owner: { type: 'User', id: 1 } }),
        id: next.passkey + index,
        ...NEVER_USED,
      },
    })),
    result: undefined,
  }));
}
