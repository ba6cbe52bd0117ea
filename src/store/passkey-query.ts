import type { PasskeyFilter, PasskeyQuery, PasskeySortKey } from '../relying-party/ports.js';
import { pageOf, type SortValue, sortedBy } from './order.js';
import { foldText, ownerKey, type PasskeyFacts, type State } from './state.js';

/** Ids of the passkeys that a query finds, in its order. */
export function queriedIds(state: State, query: PasskeyQuery): Iterable<number> {
  const { sort } = query;
  const ids = idsMatching(state, query);
  if (sort === undefined || (sort.by === 'id' && sort.descending !== true)) return pageOf(ids, query);
  if (sort.by === 'id') return pageOf([...ids].reverse(), query);
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
    query,
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
  const matches = testOf(filter);
  for (const id of candidates(state, filter)) {
    if (id < firstId || id > lastId || !state.passkeys.has(id)) continue;
    if (revoked !== true && state.revokedPasskeys.has(id) !== (revoked === 'only')) continue;
    if (matches === undefined) {
      yield id;
      continue;
    }
    const facts = factsOf(state, id);
    if (facts && matches(facts)) yield id;
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

/** Undefined where nothing of the passkey itself is asked for. */
function testOf(filter: PasskeyFilter): ((passkey: PasskeyFacts) => boolean) | undefined {
  const { ids, owner, type, rpId, label, unusedSince, createdBefore, backedUp, revokedSince, revokedChange } = filter;
  const aaguids = filter.aaguids && new Set(filter.aaguids);
  const labelled = label === undefined ? undefined : containing(label);
  const hasReason = filter.revokedReason === undefined ? undefined : containing(filter.revokedReason);
  const tests: ((passkey: PasskeyFacts) => boolean)[] = [];
  // The index has been asked, unless there were ids.
  if (owner !== undefined && ids !== undefined) tests.push((passkey) => ownerKey(passkey.owner) === ownerKey(owner));
  if (type !== undefined) tests.push((passkey) => passkey.owner.type === type);
  if (rpId !== undefined) tests.push((passkey) => passkey.rpId === rpId);
  if (labelled !== undefined) tests.push((passkey) => labelled(passkey.label));
  if (aaguids !== undefined) tests.push((passkey) => aaguids.has(passkey.aaguid));
  if (backedUp !== undefined) tests.push((passkey) => passkey.credential.backupState === backedUp);
  if (revokedSince !== undefined) tests.push((passkey) => (passkey.revokedAt ?? -Infinity) >= revokedSince);
  if (hasReason !== undefined) tests.push(({ revokedReason }) => revokedReason !== undefined && hasReason(revokedReason));
  if (revokedChange !== undefined) tests.push((passkey) => passkey.revokedChange === revokedChange);
  if (createdBefore !== undefined) tests.push((passkey) => passkey.createdAt < createdBefore);
  if (unusedSince !== undefined) tests.push((passkey) => (passkey.lastUsedAt ?? passkey.createdAt) < unusedSince);
  return tests.length === 0 ? undefined : (passkey) => tests.every((test) => test(passkey));
}

/** Whether a text has a part, in any case. */
export function containing(part: string): (text: string) => boolean {
  const folded = foldText(part);
  return (text) => foldText(text).includes(folded);
}
