import type { OwnerRef } from '../kernel/owner.js';
import type { NewPasskey, Passkey } from '../relying-party/credential-record.js';
import type { PasskeyFilter, PasskeyQuery, PasskeySortKey, Revocation } from '../relying-party/ports.js';
import { copyPasskey } from './copies.js';
import { countAll, type FilterTable, findConditions, type SortValue, sortedBy, takeBehind, takePage } from './queries.js';
import { alreadyRegistered, ownerRemoved, tooManyPasskeys } from './refusals.js';
import { credentialKey, foldText, isRemovedOwner, ownerKey, putPasskey, type State } from './state.js';

/** Finds the ids of the passkeys that match a query, in the order that the query requests. */
export function queriedIds(state: State, query: PasskeyQuery): Iterable<number> {
  const { sort, after, offset, limit, ...filter } = query;
  const found = idsMatching(state, filter);
  if (after === undefined) return takePage(sortIds(state, found, sort), { offset, limit });
  const sorted = sortIds(state, inOrder(new Set([...found, after])), sort);
  return takePage(
    takeBehind(sorted, (id) => id === after),
    { offset, limit },
  );
}

function sortIds(state: State, ids: Iterable<number>, sort: PasskeyQuery['sort']): Iterable<number> {
  if (sort === undefined || (sort.by === 'id' && sort.descending !== true)) return ids;
  if (sort.by === 'id') return [...ids].reverse();
  const valueOf = SORT_VALUES[sort.by];
  return sortedBy(
    ids,
    (id) => {
      const passkey = state.passkeys.get(id);
      return passkey && valueOf(passkey, state);
    },
    sort.descending,
  );
}

const SORT_VALUES: Readonly<Record<Exclude<PasskeySortKey, 'id'>, (passkey: Passkey, state: State) => SortValue>> = {
  label: ({ label }) => label,
  credentialId: ({ credential }) => Buffer.from(credential.id).toString('hex'),
  ownerId: ({ owner }) => owner.id,
  ownerType: ({ owner }) => owner.type,
  email: ({ owner }, state) => {
    const email = state.owners.get(ownerKey(owner))?.email;
    return email === undefined ? undefined : foldText(email);
  },
  rpId: ({ rpId }) => rpId,
  aaguid: ({ aaguid }) => aaguid,
  signCount: ({ credential }) => credential.signCount,
  backupState: ({ credential }) => credential.backupState,
  createdAt: ({ createdAt }) => createdAt,
  lastUsedAt: ({ lastUsedAt }) => lastUsedAt,
  revokedAt: ({ revokedAt }) => revokedAt,
};

/**
 * Finds the ids of the passkeys that match a filter, in ascending order. Uses the indexes first, because all other conditions require
 * decoding the passkey.
 */
export function* idsMatching(state: State, filter: PasskeyFilter): Generator<number> {
  const { firstId = 1, lastId = Infinity, revoked = false } = filter;
  const tests = findConditions(filter, makeTests(filter)).filter((test) => test !== undefined);
  for (const id of candidates(state, filter)) {
    if (id < firstId || id > lastId || !state.passkeys.has(id)) continue;
    if (revoked !== true && state.revokedPasskeys.has(id) !== (revoked === 'only')) continue;
    const passkey = tests.length === 0 ? undefined : state.passkeys.get(id);
    if (passkey === undefined ? tests.length === 0 : tests.every((test) => test(passkey))) yield id;
  }
}

function candidates(state: State, { ids, owner }: PasskeyFilter): Iterable<number> {
  if (ids !== undefined) return [...new Set(ids)].sort((a, b) => a - b);
  return inOrder(owner ? (state.passkeyIdsByOwner.get(ownerKey(owner)) ?? []) : state.passkeys.keys());
}

/** Sorts the ids in ascending order. Usually they already are, unless an import has added earlier ones. */
function inOrder(ids: Iterable<number>): readonly number[] {
  const list = [...ids];
  return list.every((id, index) => index === 0 || id > (list[index - 1] ?? 0)) ? list : list.sort((a, b) => a - b);
}

/** Builds the tests that need the passkey itself; undefined for conditions that the indexes decide. */
function makeTests({ ids }: PasskeyFilter): FilterTable<PasskeyFilter, ((passkey: Passkey) => boolean) | undefined> {
  return {
    ids: () => undefined,
    firstId: () => undefined,
    lastId: () => undefined,
    revoked: () => undefined,
    owner: (owner) => (ids === undefined ? undefined : (passkey) => ownerKey(passkey.owner) === ownerKey(owner)),
    type: (type) => (passkey) => passkey.owner.type === type,
    rpId: (rpId) => (passkey) => passkey.rpId === rpId,
    label(part) {
      const has = containing(part);
      return ({ label }) => has(label);
    },
    aaguids(list) {
      const aaguids = new Set(list);
      return ({ aaguid }) => aaguids.has(aaguid);
    },
    revokedSince: (time) => (passkey) => (passkey.revokedAt ?? -Infinity) >= time,
    revokedBefore: (time) => (passkey) => (passkey.revokedAt ?? Infinity) < time,
    revokedReason(part) {
      const has = containing(part);
      return ({ revokedReason }) => revokedReason !== undefined && has(revokedReason);
    },
    revokedChange: (id) => (passkey) => passkey.revokedChange === id,
    unusedSince: (time) => (passkey) => (passkey.lastUsedAt ?? passkey.createdAt) < time,
    createdBefore: (time) => (passkey) => passkey.createdAt < time,
    backedUp: (backedUp) => (passkey) => passkey.credential.backupState === backedUp,
  };
}

export const isLive = ({ revokedAt }: Passkey): boolean => revokedAt === undefined;

export const revokedPasskey = (passkey: Passkey, { at, reason, change }: Revocation): Passkey => ({
  ...passkey,
  revokedAt: at,
  revokedReason: reason,
  revokedChange: change,
});

export const restoredPasskey = (passkey: Passkey): Passkey => ({
  ...passkey,
  revokedAt: undefined,
  revokedReason: undefined,
  revokedChange: undefined,
});

/** Builds a test whether a string contains `part`, ignoring case. */
export function containing(part: string): (text: string) => boolean {
  const folded = foldText(part);
  return (text) => foldText(text).includes(folded);
}

// Every operation checks first and changes afterwards: one that throws has changed nothing.

export function insertPasskey(state: State, passkey: NewPasskey, { maxLive = Infinity }: { readonly maxLive?: number } = {}): Passkey {
  if (state.passkeyIdByCredential.has(credentialKey(passkey.credential.id))) {
    throw alreadyRegistered();
  }
  // The owner may have been removed while the registration was verified.
  if (isRemovedOwner(state, passkey.owner)) {
    throw ownerRemoved(passkey.owner);
  }
  if (maxLive !== Infinity && countLivePasskeys(state, passkey.owner) >= maxLive) throw tooManyPasskeys(passkey.owner, maxLive);
  const stored: Passkey = {
    ...copyPasskey(passkey),
    id: state.nextPasskeyId,
    lastUsedAt: undefined,
    revokedAt: undefined,
    revokedReason: undefined,
    revokedChange: undefined,
    counterRegressions: 0,
    counterRegressedAt: undefined,
  };
  state.nextPasskeyId += 1;
  putPasskey(state, stored);
  return copyPasskey(stored);
}

export function findPasskey({ passkeys }: State, id: number): Passkey | undefined {
  const passkey = passkeys.get(id);
  return passkey && copyPasskey(passkey);
}

export function findPasskeyByCredentialId(state: State, credentialId: Uint8Array): Passkey | undefined {
  const id = state.passkeyIdByCredential.get(credentialKey(credentialId));
  return id === undefined ? undefined : findPasskey(state, id);
}

export function listPasskeys(state: State, query: PasskeyQuery = {}): Passkey[] {
  const found: Passkey[] = [];
  for (const id of queriedIds(state, query)) {
    const passkey = findPasskey(state, id);
    if (passkey) found.push(passkey);
  }
  return found;
}

export function countPasskeys(state: State, filter: PasskeyFilter = {}): number {
  return countAll(idsMatching(state, filter));
}

export function countLivePasskeys(state: State, owner: OwnerRef): number {
  let live = 0;
  for (const id of state.passkeyIdsByOwner.get(ownerKey(owner)) ?? []) live += Number(!state.revokedPasskeys.has(id));
  return live;
}

export function recordCounterRegression(state: State, id: number, at: number): void {
  const passkey = state.passkeys.get(id);
  if (!passkey) return;
  // Two of a race may be written in either order.
  const last = Math.max(at, passkey.counterRegressedAt ?? at);
  replacePasskey(state, passkey, { counterRegressions: passkey.counterRegressions + 1, counterRegressedAt: last });
}

export function renamePasskey(state: State, id: number, label: string): Passkey | undefined {
  const passkey = state.passkeys.get(id);
  return passkey && copyPasskey(passkey.label === label ? passkey : replacePasskey(state, passkey, { label }));
}

/** Stores a passkey with some of its members changed, and returns it. */
export function replacePasskey(state: State, passkey: Passkey, change: Partial<Passkey>): Passkey {
  const changed = { ...passkey, ...change };
  putPasskey(state, changed);
  return changed;
}
