import type {
  AccessFilter,
  AccessQuery,
  AccessSortKey,
  AccountStore,
  Owner,
  OwnerFilter,
  OwnerQuery,
  OwnerSortKey,
  PasskeyTraits,
} from '../accounts/ports.js';
import { type Access, findEnd } from '../kernel/access.js';
import { equalBytes } from '../kernel/bytes.js';
import type { OwnerRef } from '../kernel/owner.js';
import type { Login, LoginOutcome, PasskeyFilter } from '../relying-party/ports.js';
import { copyAccess, copyOwner, copyPasskey } from './copies.js';
import { containing, countLivePasskeys, idsMatching, replacePasskey } from './passkeys.js';
import { compareText, countAll, type FilterTable, findConditions, type SortValue, sortedBy, takeBehind, takePage } from './queries.js';
import { emailTaken, newOwnerId, opensNothing, ownerGone, ownerIdTaken, ownerRemoved, sameSecret } from './refusals.js';
import {
  dropAccess,
  emailKey,
  foldText,
  hashKey,
  isRemovedOwner,
  ownerKey,
  putAccess,
  putOwner,
  replaceOwner,
  type State,
} from './state.js';

// What queries for owners, tokens and sessions find.

/** Finds the owners that match a query. Sorts them by type, then by id, unless the query has another order. */
export function queriedOwners(state: State, query: OwnerQuery): Iterable<Owner> {
  const { sort, after, offset, limit, ...filter } = query;
  const last = after && state.owners.get(ownerKey(after));
  const found = [...new Set([...ownersMatching(state, filter), ...(last ? [last] : [])])];
  found.sort((a, b) => compareText(a.type, b.type) || a.id - b.id);
  const sorted = sort === undefined ? found : sortedBy(found, (owner) => OWNER_VALUES[sort.by](owner, state), sort.descending);
  return takePage(after === undefined ? sorted : takeBehind(sorted, (owner) => owner === last), { offset, limit });
}

const OWNER_VALUES: Readonly<Record<OwnerSortKey, (owner: Owner, state: State) => SortValue>> = {
  id: ({ id }) => id,
  type: ({ type }) => type,
  email: ({ email }) => foldText(email),
  name: ({ name }) => name,
  createdAt: ({ createdAt }) => createdAt,
  passkeys: (owner, state) => countLivePasskeys(state, owner),
};

export function* ownersMatching(state: State, filter: OwnerFilter): Generator<Owner> {
  const tests = findConditions(filter, ownerTests(state));
  for (const owner of candidates(state, filter)) if (tests.every((test) => test(owner))) yield owner;
}

function ownerTests(state: State): FilterTable<OwnerFilter, (owner: Owner) => boolean> {
  return {
    owner(ref) {
      const key = ownerKey(ref);
      return (owner) => ownerKey(owner) === key;
    },
    owners(refs) {
      const keys = new Set(refs.map(ownerKey));
      return (owner) => keys.has(ownerKey(owner));
    },
    type: (type) => (owner) => owner.type === type,
    email(text) {
      const folded = foldText(text);
      return ({ email }) => foldText(email) === folded;
    },
    userHandle: (handle) => (owner) => owner.userHandle !== undefined && equalBytes(owner.userHandle, handle),
    label(part) {
      const has = containing(part);
      return ({ name, email }) => has(name) || has(email);
    },
    createdBefore: (time) => (owner) => owner.createdAt < time,
    unusedSince: (time) => (owner) => findLastUse(state, owner) < time,
    owning: (traits) => (owner) => hasAny(state, { ...traits, owner }),
    lacking: (traits) => (owner) => !hasAny(state, { ...traits, owner }),
  };
}

function candidates(state: State, { owner, owners, type, email }: OwnerFilter): Iterable<Owner> {
  if (owners !== undefined) return new Set(owners.flatMap((each) => state.owners.get(ownerKey(each)) ?? []));
  const key =
    owner !== undefined
      ? ownerKey(owner)
      : type !== undefined && email !== undefined
        ? (state.ownerKeyByEmail.get(emailKey(type, email)) ?? '')
        : undefined;
  if (key === undefined) return state.owners.values();
  const found = state.owners.get(key);
  return found ? [found] : [];
}

/** Finds the time of an owner's last use of a passkey. If the owner never used one, it is the time when the owner was added. */
function findLastUse(state: State, owner: Owner): number {
  let last: number | undefined;
  for (const id of state.passkeyIdsByOwner.get(ownerKey(owner)) ?? []) {
    const { lastUsedAt } = state.passkeys.get(id) ?? {};
    if (lastUsedAt !== undefined) last = Math.max(lastUsedAt, last ?? lastUsedAt);
  }
  return last ?? owner.createdAt;
}

const hasAny = (state: State, filter: PasskeyFilter): boolean => idsMatching(state, filter).next().done !== true;

/** Finds the accesses (sessions and tokens) that match a query. Sorts them by ascending id, unless the query has another order. */
export function queriedAccesses(state: State, query: AccessQuery): Iterable<Access> {
  const { sort, after, offset, limit, ...filter } = query;
  const last = after === undefined ? undefined : state.accesses.get(after);
  const found = new Set(accessesMatching(state, filter));
  const all = last === undefined || found.has(last) ? found : [...found, last].sort((a, b) => a.id - b.id);
  const sorted = sort === undefined ? all : sortedBy(all, (access) => ACCESS_VALUES[sort.by](access, state), sort.descending);
  return takePage(after === undefined ? sorted : takeBehind(sorted, (access) => access === last), { offset, limit });
}

const ACCESS_VALUES: Readonly<Record<AccessSortKey, (access: Access, state: State) => SortValue>> = {
  id: ({ id }) => id,
  label: ({ label }) => label,
  ownerId: ({ owner }) => owner.id,
  ownerType: ({ owner }) => owner.type,
  email: ({ owner }, state) => {
    const email = state.owners.get(ownerKey(owner))?.email;
    return email === undefined ? undefined : foldText(email);
  },
  passkeyId: ({ passkeyId }) => passkeyId,
  createdAt: ({ createdAt }) => createdAt,
  expiresAt: ({ expiresAt }) => expiresAt,
  lastUsedAt: ({ lastUsedAt }) => lastUsedAt,
  revokedAt: ({ revokedAt }) => revokedAt,
};

export function* accessesMatching(state: State, filter: AccessFilter): Generator<Access> {
  const tests = findConditions(filter, accessTests(state));
  for (const access of state.accesses.values()) if (tests.every((test) => test(access))) yield access;
}

function accessTests(state: State): FilterTable<AccessFilter, (access: Access) => boolean> {
  return {
    ids(list) {
      const ids = new Set(list);
      return ({ id }) => ids.has(id);
    },
    firstId:
      (first) =>
      ({ id }) =>
        id >= first,
    lastId:
      (last) =>
      ({ id }) =>
        id <= last,
    kind: (kind) => (access) => access.kind === kind,
    owner(ref) {
      const key = ownerKey(ref);
      return ({ owner }) => ownerKey(owner) === key;
    },
    type: (type) => (access) => access.owner.type === type,
    label(part) {
      const has = containing(part);
      return ({ label }) => label !== undefined && has(label);
    },
    revoked: (revoked) => (access) => revoked === true || (access.revokedAt !== undefined) === (revoked === 'only'),
    liveAt: (time) => (access) => access.revokedAt === undefined && (access.expiresAt === undefined || access.expiresAt > time),
    endedBefore: (time) => (access) => findEnd(access) < time,
    createdBefore: (time) => (access) => access.createdAt < time,
    unusedSince: (time) => (access) => (access.lastUsedAt ?? access.createdAt) < time,
    passkeyId: (id) => (access) => access.passkeyId === id,
    openedWith: (traits) => (access) => isOpenedWith(state, access, traits),
  };
}

function isOpenedWith(state: State, { passkeyId }: Access, traits: PasskeyTraits): boolean {
  return passkeyId !== undefined && hasAny(state, { ...traits, ids: [passkeyId] });
}

// Every operation checks first and changes afterwards: one that throws has changed nothing.

/**
 * Number of ended tokens to keep when accesses are pruned, so that a list still shows the latest ones. Ended sessions are never listed and
 * therefore not kept.
 */
export const KEPT_ENDED_TOKENS = 100;
/** Maximum number of open logins of one passkey to keep when accesses are pruned. Only a script that never logs out has more. */
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

/** Lists the owners that match a query. Sorts them by type, then by id, unless the query has another order. */
export function listOwners(state: State, query: OwnerQuery = {}): Owner[] {
  return Array.from(queriedOwners(state, query), copyOwner);
}

export function countOwners(state: State, filter: OwnerFilter = {}): number {
  return countAll(ownersMatching(state, filter));
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
  if (access.passkeyId !== undefined && state.revokedPasskeys.has(access.passkeyId)) {
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

export function recordLogin(state: State, { passkeyId, use, opens }: Login): LoginOutcome {
  const passkey = state.passkeys.get(passkeyId);
  const { expectedSignCount, lastUsedAt, ...credential } = use;
  if (passkey === undefined || passkey.revokedAt !== undefined || passkey.credential.signCount !== expectedSignCount) {
    return { status: 'changed', passkey: passkey && copyPasskey(passkey) };
  }
  const { owner } = passkey;
  if (opens !== undefined && !state.owners.has(ownerKey(owner))) throw ownerGone();
  const opened = opens && insertAccess(state, { ...opens, owner, passkeyId });
  const used = replacePasskey(state, passkey, { credential: { ...passkey.credential, ...credential }, lastUsedAt });
  return { status: 'recorded', passkey: copyPasskey(used), opened };
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
  return countAll(accessesMatching(state, filter));
}

export function touchAccess(state: State, id: number, at: number): Access | undefined {
  const access = state.accesses.get(id);
  if (access === undefined || access.revokedAt !== undefined) return undefined;
  if (access.lastUsedAt === undefined || access.lastUsedAt < at) putAccess(state, { ...access, lastUsedAt: at });
  return copyAccess(state.accesses.get(id) ?? access);
}

/**
 * Removes accesses that are no longer needed, so that the table does not grow with every login. Runs only when the table has doubled since
 * the last time, so that insertions stay fast.
 */
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
