import type { Access, AccessFilter, AccessQuery, AccountStore, Owner, OwnerFilter, OwnerQuery } from '../accounts/ports.js';
import type { OwnerRef } from '../kernel/owner.js';
import { accessesMatching, ownersMatching, queriedAccesses, queriedOwners } from './account-query.js';
import { copyAccess, copyOwner } from './copies.js';
import { countOf } from './order.js';
import { emailTaken, newOwnerId, opensNothing, ownerIdTaken, ownerRemoved, sameSecret } from './refusals.js';
import { dropAccess, emailKey, hashKey, isRemovedOwner, ownerKey, putAccess, putOwner, replaceOwner, type State } from './state.js';

// Every operation checks first and changes afterwards: one that throws has changed nothing.

/** Ended tokens to keep when accesses are pruned, so that a list still shows the latest. Ended sessions are never listed. */
export const KEPT_ENDED_TOKENS = 100;
/** Caps the logins of one passkey that stay open when accesses are pruned: only a script that never logs out has more. */
export const KEPT_LOGINS = 500;
const SMALLEST_PRUNE = 256;

export function insertOwner(state: State, owner: Parameters<AccountStore['insertOwner']>[0]): Owner {
  const { type, email, name, userHandle, createdAt } = owner;
  const id = newOwnerId(type, { asked: owner.id, highest: state.highestOwnerId.get(type) ?? 0 });
  const removed = isRemovedOwner(state, { type, id });
  if (removed || state.owners.has(ownerKey({ type, id }))) throw ownerIdTaken({ type, id }, { removed });
  const holder = state.owners.get(state.ownerKeyByEmail.get(emailKey(type, email)) ?? '');
  if (holder !== undefined) throw emailTaken(email, holder);
  const stored: Owner = { type, id, email, name, userHandle, createdAt };
  putOwner(state, copyOwner(stored));
  return copyOwner(stored);
}

export function findOwner(state: State, ref: OwnerRef): Owner | undefined {
  const owner = state.owners.get(ownerKey(ref));
  return owner && copyOwner(owner);
}

/** By type, then by id, unless the query says otherwise. */
export function listOwners(state: State, query: OwnerQuery = {}): Owner[] {
  return Array.from(queriedOwners(state, query), copyOwner);
}

export function countOwners(state: State, filter: OwnerFilter = {}): number {
  return countOf(ownersMatching(state, filter));
}

export function editOwner(state: State, ref: OwnerRef, { email, name }: Parameters<AccountStore['editOwner']>[1]): Owner | undefined {
  const owner = state.owners.get(ownerKey(ref));
  if (!owner) return undefined;
  const edited = { ...owner, email: email ?? owner.email, name: name ?? owner.name };
  const holder = state.ownerKeyByEmail.get(emailKey(edited.type, edited.email));
  if (holder !== undefined && holder !== ownerKey(owner)) throw emailTaken(edited.email, state.owners.get(holder) ?? owner);
  if (edited.email === owner.email && edited.name === owner.name) return copyOwner(owner);
  replaceOwner(state, owner, copyOwner(edited));
  return copyOwner(edited);
}

export function fixUserHandle(state: State, ref: OwnerRef, userHandle: Uint8Array): Owner | undefined {
  const owner = state.owners.get(ownerKey(ref));
  if (!owner) return undefined;
  if (owner.userHandle === undefined) putOwner(state, copyOwner({ ...owner, userHandle }));
  return findOwner(state, ref);
}

export function insertAccess(state: State, access: Parameters<AccountStore['insertAccess']>[0]): Access {
  // The owner may have been removed, or the passkey revoked, while the login was verified.
  if (isRemovedOwner(state, access.owner)) {
    throw ownerRemoved(access.owner);
  }
  if (access.passkeyId !== undefined && state.passkeys.get(access.passkeyId)?.revokedAt !== undefined) {
    throw opensNothing(access.passkeyId, access.kind);
  }
  if (state.accessIdByHash.has(hashKey(access.kind, access.hash))) {
    throw sameSecret(access.kind);
  }
  pruneAccesses(state, access.createdAt);
  const stored: Access = { ...copyAccess(access), id: state.nextAccessId, lastUsedAt: undefined, revokedAt: undefined };
  state.nextAccessId += 1;
  putAccess(state, stored);
  return copyAccess(stored);
}

export function findAccess(state: State, kind: Access['kind'], hash: Uint8Array): Access | undefined {
  const id = state.accessIdByHash.get(hashKey(kind, hash));
  const access = id === undefined ? undefined : state.accesses.get(id);
  return access && copyAccess(access);
}

export function listAccess(state: State, query: AccessQuery = {}): Access[] {
  return Array.from(queriedAccesses(state, query), copyAccess);
}

export function countAccess(state: State, filter: AccessFilter = {}): number {
  return countOf(accessesMatching(state, filter));
}

export function touchAccess(state: State, id: number, at: number): Access | undefined {
  const access = state.accesses.get(id);
  if (access === undefined || access.revokedAt !== undefined) return undefined;
  if (access.lastUsedAt === undefined || access.lastUsedAt < at) putAccess(state, { ...access, lastUsedAt: at });
  return copyAccess(state.accesses.get(id) ?? access);
}

/** Keeps the table from growing with every login. Runs only when it has doubled since, so that insertions stay cheap. */
function pruneAccesses(state: State, now: number): void {
  if (state.accesses.size < Math.max(SMALLEST_PRUNE, state.pruneAccessesAt)) return;
  const endedTokens: Access[] = [];
  const logins = new Map<number, Access[]>();
  const superfluous: Access[] = [];
  for (const access of state.accesses.values()) {
    const ended = access.revokedAt !== undefined || (access.expiresAt !== undefined && access.expiresAt <= now);
    if (ended) {
      (access.kind === 'token' ? endedTokens : superfluous).push(access);
    } else if (access.passkeyId !== undefined) {
      const ofPasskey = logins.get(access.passkeyId);
      if (ofPasskey) ofPasskey.push(access);
      else logins.set(access.passkeyId, [access]);
    }
  }
  superfluous.push(...allButLast(endedTokens, KEPT_ENDED_TOKENS), ...[...logins.values()].flatMap((each) => allButLast(each, KEPT_LOGINS)));
  for (const access of superfluous) dropAccess(state, access);
  state.pruneAccessesAt = 2 * state.accesses.size;
}

function allButLast<T>(list: readonly T[], count: number): T[] {
  return list.slice(0, Math.max(0, list.length - count));
}
