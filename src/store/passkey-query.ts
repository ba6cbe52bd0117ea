import type { PasskeyFilter, PasskeyQuery, PasskeySortKey } from '../relying-party/ports.js';
import { type FilterTable, findConditions } from './filters.js';
import { pageOf, type SortValue, sortedBy } from './order.js';
import { foldText, ownerKey, type PasskeyFacts, type State } from './state.js';

/** Ids of the passkeys that a query finds, in its order. */
export function queriedIds(state: State, query: PasskeyQuery): Iterable<number> {
  const { sort, offset, limit, ...filter } = query;
  const page = { offset, limit };
  const ids = idsMatching(state, filter);
  if (sort === undefined || (sort.by === 'id' && sort.descending !== true)) return pageOf(ids, page);
  if (sort.by === 'id') return pageOf([...ids].reverse(), page);
  const valueOf = SORT_VALUES[sort.by];
  const facts = (id: number) => factsOf(state, id);
  return pageOf(
    sortedBy(
      ids,
      (id) => {
        const passkey = facts(id);
        return passkey && valueOf(passkey, state);
      },
      sort.descending,
    ),
    page,
  );
}

const SORT_VALUES: Readonly<Record<Exclude<PasskeySortKey, 'id'>, (passkey: PasskeyFacts, state: State) => SortValue>> = {
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

/** In ascending order. What the indexes tell is looked at first: the rest takes decoding a passkey. */
export function* idsMatching(state: State, filter: PasskeyFilter): Generator<number> {
  const { firstId = 1, lastId = Infinity, revoked = false } = filter;
  const tests = findConditions(filter, testsOf(filter)).filter((test) => test !== undefined);
  for (const id of candidates(state, filter)) {
    if (id < firstId || id > lastId || !state.passkeys.has(id)) continue;
    if (revoked !== true && state.revokedPasskeys.has(id) !== (revoked === 'only')) continue;
    const facts = tests.length === 0 ? undefined : factsOf(state, id);
    if (facts === undefined ? tests.length === 0 : tests.every((test) => test(facts))) yield id;
  }
}

function candidates(state: State, { ids, owner }: PasskeyFilter): Iterable<number> {
  if (ids !== undefined) return [...new Set(ids)].sort((a, b) => a - b);
  return inOrder(owner ? (state.passkeyIdsByOwner.get(ownerKey(owner)) ?? []) : state.passkeys.keys());
}

/** They are, unless an import has added earlier ones. */
function inOrder(ids: Iterable<number>): readonly number[] {
  const list = [...ids];
  return list.every((id, index) => index === 0 || id > (list[index - 1] ?? 0)) ? list : list.sort((a, b) => a - b);
}

const factsOf = ({ passkeys }: State, id: number): PasskeyFacts | undefined => (passkeys.facts ? passkeys.facts(id) : passkeys.get(id));

/** The tests of a passkey itself; undefined for what the indexes tell. */
function testsOf({ ids }: PasskeyFilter): FilterTable<PasskeyFilter, ((passkey: PasskeyFacts) => boolean) | undefined> {
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

/** Whether a text has a part, in any case. */
export function containing(part: string): (text: string) => boolean {
  const folded = foldText(part);
  return (text) => foldText(text).includes(folded);
}
