import type { AccessesChange, AccountStore, OwnerRemoval, OwnersChange, Removal } from '../accounts/ports.js';
import { type Access, findEnd } from '../kernel/access.js';
import { type BulkOptions, inSteps } from '../kernel/bulk-change.js';
import type { OwnerRef } from '../kernel/owner.js';
import type { Passkey } from '../relying-party/credential-record.js';
import type { PasskeyStore, PasskeysChange, Purge, PurgeOutcome, RestoreOptions, Revocation } from '../relying-party/ports.js';
import { findOwner } from './accounts.js';
import { copyAccess, copyPasskey } from './copies.js';
import { isLive, restoredPasskey, revokedPasskey } from './passkeys.js';
import { notRestorable } from './refusals.js';
import {
  dropAccess,
  dropOwner,
  dropPasskeys,
  isRemovedOwner,
  ownerKey,
  putAccess,
  putPasskey,
  putRemovedOwner,
  type State,
} from './state.js';

// Changes of many records at once. Each looks at all of them first, step by step, and then changes them all: one that throws, or that is
// stopped, has changed nothing.

export function revokePasskeys(state: State, ids: readonly number[], revocation: BulkOptions & Revocation): PasskeysChange {
  return changePasskeys(state, ids, revocation, {
    differs: isLive,
    changed: (passkey) => revokedPasskey(passkey, revocation),
    before: (live) => endAccesses(state, ({ passkeyId }) => passkeyId !== undefined && live.has(passkeyId), revocation.at),
  });
}

export function restorePasskeys(state: State, ids: readonly number[], options: RestoreOptions = {}): PasskeysChange {
  const removed: Passkey[] = [];
  return changePasskeys(state, ids, options, {
    differs(passkey) {
      if (isLive(passkey)) return false;
      const stays = isRemovedOwner(state, passkey.owner);
      if (stays) removed.push(passkey);
      return !stays;
    },
    changed: restoredPasskey,
    before() {
      if (removed.length > 0 && options.skipRemovedOwners !== true) throw notRestorable(removed, ids.length);
    },
  });
}

interface Change {
  /** Tests whether the change affects a passkey. */
  readonly differs: (passkey: Passkey) => boolean;
  readonly changed: (passkey: Passkey) => Passkey;
  /** Called before the passkeys change. Changes records that depend on the passkeys, or throws to prevent the change. */
  readonly before: (changed: ReadonlyMap<number, unknown>) => void;
}

function changePasskeys(state: State, ids: readonly number[], options: BulkOptions, change: Change): PasskeysChange {
  const missing = ids.filter((id) => !state.passkeys.has(id));
  if (missing.length > 0) return { status: 'missing', ids: missing };
  const passkeys: Passkey[] = [];
  const changed = new Map<number, string | undefined>();
  for (const step of inSteps(ids, options)) {
    for (const passkey of step.flatMap((id) => state.passkeys.get(id) ?? [])) {
      const differs = change.differs(passkey);
      if (differs) changed.set(passkey.id, passkey.revokedReason);
      passkeys.push(differs ? change.changed(passkey) : passkey);
    }
  }
  change.before(changed);
  for (const passkey of passkeys) if (changed.has(passkey.id)) putPasskey(state, passkey);
  return { status: 'done', passkeys: passkeys.map(copyPasskey), changed };
}

export function removeOwner(state: State, ref: OwnerRef, change: Parameters<AccountStore['removeOwner']>[1]): OwnerRemoval | undefined {
  const done = removeOwners(state, [ref], change);
  return done.status === 'done' ? done.removed[0] : undefined;
}

/** Removes owners for good. Their passkeys are revoked, their tokens and sessions end, and their open ceremonies are no longer found. */
export function removeOwners(
  state: State,
  refs: readonly OwnerRef[],
  { at, reason, change, ...options }: BulkOptions & Removal,
): OwnersChange {
  const removed: OwnerRemoval[] = [];
  const missing: OwnerRef[] = [];
  for (const step of inSteps(refs, options)) {
    for (const ref of step) {
      const owner = findOwner(state, ref);
      const passkeys = state.passkeyIdsByOwner.get(ownerKey(ref)) ?? [];
      if (owner === undefined) missing.push(ref);
      else removed.push({ owner, revokedPasskeys: [...passkeys].filter((id) => !state.revokedPasskeys.has(id)) });
    }
  }
  if (missing.length > 0) return { status: 'missing', owners: missing };
  const passkeys = removed.flatMap(({ revokedPasskeys }) => revokedPasskeys);
  revokePasskeys(state, passkeys, { at, reason, change });
  const keys = new Set(refs.map(ownerKey));
  endAccesses(state, ({ owner }) => keys.has(ownerKey(owner)), at);
  for (const { owner } of removed) {
    dropOwner(state, owner);
    putRemovedOwner(state, { type: owner.type, id: owner.id });
  }
  return { status: 'done', removed };
}

/** Revokes an access (session or token). Does not change an access that is already revoked. */
export function revokeAccess(state: State, id: number, at: number): Access | undefined {
  const kind = state.accesses.get(id)?.kind;
  const done = kind && revokeAccesses(state, [id], { at, kind });
  return done?.status === 'done' ? done.accesses[0] : undefined;
}

export function revokeAccesses(
  state: State,
  ids: readonly number[],
  { at, kind, ...options }: Parameters<AccountStore['revokeAccesses']>[1],
): AccessesChange {
  const accesses: Access[] = [];
  const missing: number[] = [];
  const changed = new Set<number>();
  for (const step of inSteps(ids, options)) {
    for (const id of step) {
      const access = state.accesses.get(id);
      if (access === undefined || access.kind !== kind) {
        missing.push(id);
        continue;
      }
      if (access.revokedAt === undefined) changed.add(id);
      accesses.push({ ...access, revokedAt: access.revokedAt ?? at });
    }
  }
  if (missing.length > 0) return { status: 'missing', ids: missing };
  for (const access of accesses) if (changed.has(access.id)) putAccess(state, access);
  return { status: 'done', accesses: accesses.map(copyAccess), changed };
}

/**
 * Ends the tokens and sessions that a change concerns. Looks at every token and session only once, however many passkeys or owners change.
 */
function endAccesses(state: State, concerned: (access: Access) => boolean, at: number): void {
  const ended = [...state.accesses.values()].filter((access) => access.revokedAt === undefined && concerned(access));
  for (const access of ended) putAccess(state, { ...access, revokedAt: at });
}

export function purge(state: State, what: Purge, { endedBefore, ...options }: Parameters<PasskeyStore['purge']>[1]): PurgeOutcome {
  const passkeys: Passkey[] = [];
  const keptPasskeys: number[] = [];
  for (const step of inSteps(what.passkeys, options)) {
    for (const id of step) {
      const passkey = state.passkeys.get(id);
      if (passkey?.revokedAt === undefined || passkey.revokedAt >= endedBefore) keptPasskeys.push(id);
      else passkeys.push(passkey);
    }
  }
  const accesses = what.accesses.map((id) => state.accesses.get(id)).filter((access) => access !== undefined);
  const keptAccesses = accesses.filter((access) => findEnd(access) >= endedBefore).map(({ id }) => id);
  if (keptPasskeys.length + keptAccesses.length > 0) return { status: 'kept', passkeys: keptPasskeys, accesses: keptAccesses };
  dropPasskeys(state, passkeys);
  for (const access of accesses) dropAccess(state, access);
  return { status: 'done', passkeys: passkeys.map(copyPasskey), accesses: accesses.map(({ id }) => id) };
}
