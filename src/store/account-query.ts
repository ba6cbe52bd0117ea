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
import { compareText, pageOf, type SortValue, sortedBy } from './order.js';
import { containing, idsMatching } from './passkey-query.js';
import { emailKey, foldText, ownerKey, type State } from './state.js';

// What queries for owners, tokens and sessions find.

/** By type, then by id, unless the query says otherwise. */
export function queriedOwners(state: State, query: OwnerQuery): Iterable<Owner> {
  const { sort } = query;
  const found = [...ownersMatching(state, query)].sort((a, b) => compareText(a.type, b.type) || a.id - b.id);
  return pageOf(sort === undefined ? found : sortedBy(found, (owner) => OWNER_VALUES[sort.by](owner, state), sort.descending), query);
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
  const { owner: ref, type, email, label, createdBefore, unusedSince, owning } = filter;
  const folded = email === undefined ? undefined : foldText(email);
  const labelled = label === undefined ? undefined : containing(label);
  for (const owner of candidates(state, filter)) {
    if (ref !== undefined && ownerKey(ref) !== ownerKey(owner)) continue;
    if (type !== undefined && owner.type !== type) continue;
    if (folded !== undefined && foldText(owner.email) !== folded) continue;
    if (labelled !== undefined && !labelled(owner.name) && !labelled(owner.email)) continue;
    if (createdBefore !== undefined && owner.createdAt >= createdBefore) continue;
    if (unusedSince !== undefined && lastUseOf(state, owner) >= unusedSince) continue;
    if (owning !== undefined && !hasAny(state, { ...owning, owner })) continue;
    yield owner;
  }
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
  const { sort } = query;
  const found = accessesMatching(state, query);
  return pageOf(sort === undefined ? found : sortedBy(found, (access) => ACCESS_VALUES[sort.by](access, state), sort.descending), query);
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
  const { kind, owner, type, label, revoked = true, liveAt, createdBefore, unusedSince, passkeyId, openedWith } = filter;
  const ids = filter.ids && new Set(filter.ids);
  const labelled = label === undefined ? undefined : containing(label);
  for (const access of state.accesses.values()) {
    const { expiresAt, revokedAt, createdAt, lastUsedAt } = access;
    if (ids !== undefined && !ids.has(access.id)) continue;
    if (kind !== undefined && access.kind !== kind) continue;
    if (owner !== undefined && ownerKey(access.owner) !== ownerKey(owner)) continue;
    if (type !== undefined && access.owner.type !== type) continue;
    if (labelled !== undefined && (access.label === undefined || !labelled(access.label))) continue;
    if (revoked !== true && (revokedAt !== undefined) !== (revoked === 'only')) continue;
    if (liveAt !== undefined && (revokedAt !== undefined || (expiresAt !== undefined && expiresAt <= liveAt))) continue;
    if (createdBefore !== undefined && createdAt >= createdBefore) continue;
    if (unusedSince !== undefined && (lastUsedAt ?? createdAt) >= unusedSince) continue;
    if (passkeyId !== undefined && access.passkeyId !== passkeyId) continue;
    if (openedWith !== undefined && !isOpenedWith(state, access, openedWith)) continue;
    yield access;
  }
}

function isOpenedWith(state: State, { passkeyId }: Access, traits: PasskeyTraits): boolean {
  return passkeyId !== undefined && hasAny(state, { ...traits, ids: [passkeyId] });
}
