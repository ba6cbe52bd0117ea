import type {
  Access,
  AccessFilter,
  AccessQuery,
  AccessSortKey,
  Owner,
  OwnerFilter,
  OwnerQuery,
  OwnerSortKey,
  PasskeyTraits,
} from '../accounts/ports.js';
import type { OwnerRef } from '../kernel/owner.js';
import type { PasskeyFilter } from '../relying-party/ports.js';
import { type FilterTable, findConditions } from './filters.js';
import { compareText, pageOf, type SortValue, sortedBy } from './order.js';
import { containing, idsMatching } from './passkey-query.js';
import { emailKey, foldText, ownerKey, type State } from './state.js';

// What queries for owners, tokens and sessions find.

/** By type, then by id, unless the query says otherwise. */
export function queriedOwners(state: State, query: OwnerQuery): Iterable<Owner> {
  const { sort, offset, limit, ...filter } = query;
  const found = [...ownersMatching(state, filter)].sort((a, b) => compareText(a.type, b.type) || a.id - b.id);
  const sorted = sort === undefined ? found : sortedBy(found, (owner) => OWNER_VALUES[sort.by](owner, state), sort.descending);
  return pageOf(sorted, { offset, limit });
}

const OWNER_VALUES: Readonly<Record<OwnerSortKey, (owner: Owner, state: State) => SortValue>> = {
  id: ({ id }) => id,
  type: ({ type }) => type,
  email: ({ email }) => foldText(email),
  name: ({ name }) => name,
  createdAt: ({ createdAt }) => createdAt,
  passkeys: (owner, state) => livePasskeysOf(state, owner),
};

export function livePasskeysOf(state: State, owner: OwnerRef): number {
  let live = 0;
  for (const id of state.passkeyIdsByOwner.get(ownerKey(owner)) ?? []) live += Number(!state.revokedPasskeys.has(id));
  return live;
}

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
    type: (type) => (owner) => owner.type === type,
    email(text) {
      const folded = foldText(text);
      return ({ email }) => foldText(email) === folded;
    },
    label(part) {
      const has = containing(part);
      return ({ name, email }) => has(name) || has(email);
    },
    createdBefore: (time) => (owner) => owner.createdAt < time,
    unusedSince: (time) => (owner) => lastUseOf(state, owner) < time,
    owning: (traits) => (owner) => hasAny(state, { ...traits, owner }),
  };
}

function candidates(state: State, { owner, type, email }: OwnerFilter): Iterable<Owner> {
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

/** An owner who never used a passkey counts from when it was added. */
function lastUseOf(state: State, owner: Owner): number {
  let last: number | undefined;
  for (const id of state.passkeyIdsByOwner.get(ownerKey(owner)) ?? []) {
    const { lastUsedAt } = (state.passkeys.facts ? state.passkeys.facts(id) : state.passkeys.get(id)) ?? {};
    if (lastUsedAt !== undefined) last = Math.max(lastUsedAt, last ?? lastUsedAt);
  }
  return last ?? owner.createdAt;
}

const hasAny = (state: State, filter: PasskeyFilter): boolean => idsMatching(state, filter).next().done !== true;

/** In ascending order of id, unless the query says otherwise. */
export function queriedAccesses(state: State, query: AccessQuery): Iterable<Access> {
  const { sort, offset, limit, ...filter } = query;
  const found = accessesMatching(state, filter);
  const sorted = sort === undefined ? found : sortedBy(found, (access) => ACCESS_VALUES[sort.by](access, state), sort.descending);
  return pageOf(sorted, { offset, limit });
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
    createdBefore: (time) => (access) => access.createdAt < time,
    unusedSince: (time) => (access) => (access.lastUsedAt ?? access.createdAt) < time,
    passkeyId: (id) => (access) => access.passkeyId === id,
    openedWith: (traits) => (access) => isOpenedWith(state, access, traits),
  };
}

function isOpenedWith(state: State, { passkeyId }: Access, traits: PasskeyTraits): boolean {
  return passkeyId !== undefined && hasAny(state, { ...traits, ids: [passkeyId] });
}
