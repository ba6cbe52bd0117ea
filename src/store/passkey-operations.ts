import type { Access, AccountStore, Owner } from '../accounts/ports.js';
import type { NewPasskey, Passkey } from '../relying-party/credential-record.js';
import type { PasskeyFilter, PasskeyQuery, PasskeysChange, PasskeyUse } from '../relying-party/ports.js';
import type { OwnerRef } from '../webauthn/user-handle.js';
import { endAccesses, findOwner, insertAccess } from './account-operations.js';
import { livePasskeysOf } from './account-query.js';
import { copyPasskey } from './copies.js';
import { countOf } from './order.js';
import { idsMatching, queriedIds } from './passkey-query.js';
import { alreadyRegistered, notRestorable, ownerRemoved, tooManyPasskeys } from './refusals.js';
import { credentialKey, dropOwner, isRemovedOwner, ownerKey, putPasskey, putRemovedOwner, type State } from './state.js';

// Every operation checks first and changes afterwards: one that throws has changed nothing.

export function insertPasskey(state: State, passkey: NewPasskey, { maxLive = Infinity }: { readonly maxLive?: number } = {}): Passkey {
  if (state.passkeyIdByCredential.has(credentialKey(passkey.credential.id))) {
    throw alreadyRegistered();
  }
  // The owner may have been removed while the registration was verified.
  if (isRemovedOwner(state, passkey.owner)) {
    throw ownerRemoved(passkey.owner);
  }
  if (maxLive !== Infinity && livePasskeysOf(state, passkey.owner) >= maxLive) throw tooManyPasskeys(passkey.owner, maxLive);
  const stored: Passkey = {
    ...copyPasskey(passkey),
    id: state.nextPasskeyId,
    lastUsedAt: undefined,
    revokedAt: undefined,
    revokedReason: undefined,
    counterRegressions: 0,
    counterRegressedAt: undefined,
  };
  state.nextPasskeyId += 1;
  putPasskey(state, stored);
  return copyPasskey(stored);
}

export function findPasskey(state: State, id: number): Passkey | undefined {
  const passkey = state.passkeys.get(id);
  return passkey && copyPasskey(passkey);
}

export function findPasskeyByCredentialId(state: State, credentialId: Uint8Array): Passkey | undefined {
  const id = state.passkeyIdByCredential.get(credentialKey(credentialId));
  return id === undefined ? undefined : findPasskey(state, id);
}

export function listPasskeys(state: State, query: PasskeyQuery = {}): Passkey[] {
  const found: Passkey[] = [];
  for (const id of queriedIds(state, query)) {
    const passkey = state.passkeys.get(id);
    if (passkey) found.push(copyPasskey(passkey));
  }
  return found;
}

export function countPasskeys(state: State, filter: PasskeyFilter = {}): number {
  return countOf(idsMatching(state, filter));
}

export function updatePasskey(state: State, id: number, use: PasskeyUse): Passkey | undefined {
  const passkey = usable(state, id, use);
  if (!passkey) return undefined;
  const { signCount, backupState, uvInitialized, lastUsedAt } = use;
  return replace(state, passkey, { credential: { ...passkey.credential, signCount, backupState, uvInitialized }, lastUsedAt });
}

/** Undefined when it is gone, revoked, or was used by another assertion meanwhile. */
function usable(state: State, id: number, { expectedSignCount }: PasskeyUse): Passkey | undefined {
  const passkey = state.passkeys.get(id);
  return passkey?.revokedAt === undefined && passkey?.credential.signCount === expectedSignCount ? passkey : undefined;
}

export function insertLogin(state: State, access: Parameters<AccountStore['insertLogin']>[0], use: PasskeyUse): Access | undefined {
  if (!usable(state, access.passkeyId, use)) return undefined;
  const stored = insertAccess(state, access);
  updatePasskey(state, access.passkeyId, use);
  return stored;
}

export function recordCounterRegression(state: State, id: number, at: number): void {
  const passkey = state.passkeys.get(id);
  if (!passkey) return;
  // Two of a race may be written in either order.
  const last = Math.max(at, passkey.counterRegressedAt ?? at);
  replace(state, passkey, { counterRegressions: passkey.counterRegressions + 1, counterRegressedAt: last });
}

export function renamePasskey(state: State, id: number, label: string): Passkey | undefined {
  const passkey = state.passkeys.get(id);
  return passkey && (passkey.label === label ? copyPasskey(passkey) : replace(state, passkey, { label }));
}

export function revokePasskeys(
  state: State,
  ids: readonly number[],
  change: { readonly at: number; readonly reason: string | undefined; readonly signal?: AbortSignal | undefined },
): PasskeysChange {
  change.signal?.throwIfAborted();
  const { found, missing } = findAll(state, ids);
  if (missing.length > 0) return { status: 'missing', ids: missing };
  const live = found.filter(({ revokedAt }) => revokedAt === undefined);
  const changed = new Map(live.map(({ id, revokedReason }) => [id, revokedReason]));
  endAccesses(
    state,
    [...state.accesses.values()].filter(({ passkeyId }) => passkeyId !== undefined && changed.has(passkeyId)),
    change.at,
  );
  for (const passkey of live) putPasskey(state, { ...passkey, revokedAt: change.at, revokedReason: change.reason });
  return { status: 'done', passkeys: findAll(state, ids).found.map(copyPasskey), changed };
}

export function restorePasskeys(
  state: State,
  ids: readonly number[],
  options: { readonly signal?: AbortSignal | undefined } = {},
): PasskeysChange {
  options.signal?.throwIfAborted();
  const { found, missing } = findAll(state, ids);
  if (missing.length > 0) return { status: 'missing', ids: missing };
  const revoked = found.filter(({ revokedAt }) => revokedAt !== undefined);
  for (const { id, owner } of revoked) {
    if (isRemovedOwner(state, owner)) {
      throw notRestorable(id, owner);
    }
  }
  for (const passkey of revoked) putPasskey(state, { ...passkey, revokedAt: undefined, revokedReason: undefined });
  const changed = new Map(revoked.map(({ id, revokedReason }) => [id, revokedReason]));
  return { status: 'done', passkeys: findAll(state, ids).found.map(copyPasskey), changed };
}

function findAll(state: State, ids: readonly number[]): { readonly found: readonly Passkey[]; readonly missing: readonly number[] } {
  const found = ids.map((id) => state.passkeys.get(id)).filter((passkey) => passkey !== undefined);
  return { found, missing: ids.filter((id) => !state.passkeys.has(id)) };
}

/** Removes an owner for good: its passkeys are revoked, its tokens and sessions end, and its open ceremonies are no longer found. */
export function removeOwner(
  state: State,
  ref: OwnerRef,
  change: { readonly at: number; readonly reason: string },
): { owner: Owner; revokedPasskeys: number[] } | undefined {
  const owner = findOwner(state, ref);
  if (!owner) return undefined;
  const live = listPasskeys(state, { owner: ref });
  revokePasskeys(
    state,
    live.map(({ id }) => id),
    change,
  );
  endAccesses(
    state,
    [...state.accesses.values()].filter((access) => ownerKey(access.owner) === ownerKey(ref)),
    change.at,
  );
  dropOwner(state, owner);
  putRemovedOwner(state, ref);
  return { owner, revokedPasskeys: live.map(({ id }) => id) };
}

function replace(state: State, passkey: Passkey, change: Partial<Passkey>): Passkey {
  const changed = { ...passkey, ...change };
  putPasskey(state, changed);
  return copyPasskey(changed);
}
