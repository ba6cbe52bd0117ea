import type { Random } from './random.js';

/** What a store is asked to do, as plain data. Owners are of one type; `credential` and `hash` are told apart by one byte. */
export type Operation =
  | { readonly kind: 'insertOwner'; readonly name: string }
  | { readonly kind: 'removeOwner'; readonly id: number }
  | { readonly kind: 'insertPasskey'; readonly owner: number; readonly credential: number }
  | { readonly kind: 'rename'; readonly id: number; readonly label: string }
  | { readonly kind: 'use'; readonly id: number; readonly expected: number; readonly count: number }
  | { readonly kind: 'regress'; readonly id: number }
  | { readonly kind: 'revoke' | 'restore'; readonly ids: readonly number[] }
  | { readonly kind: 'insertAccess'; readonly owner: number; readonly passkey: number | null; readonly hash: number }
  | { readonly kind: 'revokeAccess'; readonly id: number }
  | { readonly kind: 'find'; readonly id: number }
  | { readonly kind: 'findCredential'; readonly credential: number }
  | { readonly kind: 'list'; readonly owner: number | null; readonly revoked: boolean | 'only' }
  | { readonly kind: 'owners' | 'accesses' };

interface ModelPasskey {
  readonly id: number;
  readonly owner: number;
  readonly credential: number;
  label: string;
  count: number;
  revoked: boolean;
  regressions: number;
}

interface ModelAccess {
  readonly id: number;
  readonly owner: number;
  readonly passkey: number | null;
  readonly hash: number;
  revoked: boolean;
}

/** A store as small as its contract: written from the ports, not from the adapters. */
export interface Model {
  owners: { readonly id: number; readonly name: string }[];
  removed: number[];
  /** The highest id that an owner has had, or that owns anything: the next owner has the id behind it. */
  highestOwner: number;
  passkeys: ModelPasskey[];
  accesses: ModelAccess[];
}

export function emptyModel(): Model {
  return { owners: [], removed: [], highestOwner: 0, passkeys: [], accesses: [] };
}

export const showPasskey = (p: ModelPasskey) =>
  `passkey ${p.id} of ${p.owner} c${p.credential} ${p.label} ${p.count} ${p.revoked} ${p.regressions}`;
export const showAccess = (a: ModelAccess) => `access ${a.id} of ${a.owner} p${a.passkey} h${a.hash} ${a.revoked}`;
export const showOwner = ({ id, name }: { readonly id: number; readonly name: string }) => `owner ${id} ${name}`;
const NOTHING = 'nothing';

/** Changes the model, and says what the operation answers. */
export function apply(model: Model, operation: Operation): string {
  const passkeyOf = (id: number) => model.passkeys.find((passkey) => passkey.id === id);
  const all = (ids: readonly number[]) => ids.map(passkeyOf).filter((passkey) => passkey !== undefined);
  switch (operation.kind) {
    case 'insertOwner': {
      if (model.owners.some(({ name }) => name === operation.name)) return 'owner_already_exists';
      model.highestOwner += 1;
      model.owners.push({ id: model.highestOwner, name: operation.name });
      return showOwner({ id: model.highestOwner, name: operation.name });
    }
    case 'removeOwner': {
      const owner = model.owners.find(({ id }) => id === operation.id);
      if (owner === undefined) return NOTHING;
      const live = model.passkeys.filter((passkey) => passkey.owner === owner.id && !passkey.revoked);
      revoke(model, live);
      for (const access of model.accesses) if (access.owner === owner.id) access.revoked = true;
      model.owners = model.owners.filter(({ id }) => id !== owner.id);
      model.removed.push(owner.id);
      return `${showOwner(owner)}, revoked ${live.map(({ id }) => id).join()}`;
    }
    case 'insertPasskey': {
      if (model.passkeys.some(({ credential }) => credential === operation.credential)) return 'credential_already_registered';
      if (model.removed.includes(operation.owner)) return 'owner_not_found';
      const { owner, credential } = operation;
      const passkey = { id: model.passkeys.length + 1, owner, credential, label: 'new', count: 0, revoked: false, regressions: 0 };
      model.passkeys.push(passkey);
      model.highestOwner = Math.max(model.highestOwner, owner);
      return showPasskey(passkey);
    }
    case 'rename': {
      const passkey = passkeyOf(operation.id);
      if (passkey === undefined) return NOTHING;
      passkey.label = operation.label;
      return showPasskey(passkey);
    }
    case 'use': {
      const passkey = passkeyOf(operation.id);
      if (passkey === undefined || passkey.revoked || passkey.count !== operation.expected) return NOTHING;
      passkey.count = operation.count;
      return showPasskey(passkey);
    }
    case 'regress': {
      const passkey = passkeyOf(operation.id);
      if (passkey !== undefined) passkey.regressions += 1;
      return NOTHING;
    }
    case 'revoke':
    case 'restore': {
      const { kind, ids } = operation;
      const found = all(ids);
      if (found.length < ids.length) return `missing ${ids.filter((id) => passkeyOf(id) === undefined).join()}`;
      const changed = found.filter(({ revoked }) => revoked === (kind === 'restore'));
      if (kind === 'restore' && changed.some(({ owner }) => model.removed.includes(owner))) return 'passkey_not_restorable';
      if (kind === 'revoke') revoke(model, changed);
      else for (const passkey of changed) passkey.revoked = false;
      return [...found.map(showPasskey), `changed ${[...new Set(changed.map(({ id }) => id))].toSorted((a, b) => a - b).join()}`].join(
        '; ',
      );
    }
    case 'insertAccess': {
      const { owner, passkey, hash } = operation;
      if (model.removed.includes(owner)) return 'owner_not_found';
      if (passkey !== null && passkeyOf(passkey)?.revoked === true) return 'passkey_not_found';
      if (model.accesses.some((access) => access.hash === hash)) return 'internal_error';
      const access = { id: model.accesses.length + 1, owner, passkey, hash, revoked: false };
      model.accesses.push(access);
      model.highestOwner = Math.max(model.highestOwner, owner);
      return showAccess(access);
    }
    case 'revokeAccess': {
      const access = model.accesses.find(({ id }) => id === operation.id);
      if (access === undefined) return NOTHING;
      access.revoked = true;
      return showAccess(access);
    }
    case 'find':
      return all([operation.id]).map(showPasskey).join() || NOTHING;
    case 'findCredential':
      return (
        model.passkeys
          .filter(({ credential }) => credential === operation.credential)
          .map(showPasskey)
          .join() || NOTHING
      );
    case 'list': {
      const { owner, revoked } = operation;
      const fits = (passkey: ModelPasskey) =>
        (owner === null || passkey.owner === owner) && (revoked === true || passkey.revoked === (revoked === 'only'));
      return model.passkeys.filter(fits).map(showPasskey).join('; ');
    }
    case 'owners':
      return model.owners.map(showOwner).join('; ');
    case 'accesses':
      return model.accesses.map(showAccess).join('; ');
  }
}

function revoke(model: Model, passkeys: readonly ModelPasskey[]): void {
  for (const passkey of passkeys) {
    passkey.revoked = true;
    for (const access of model.accesses) if (access.passkey === passkey.id) access.revoked = true;
  }
}

/** Few names and ids, so that operations meet. */
export function makeOperation(random: Random): Operation {
  const id = () => 1 + random.below(8);
  const owner = () => 1 + random.below(5);
  const some = () => [...new Set(Array.from({ length: 1 + random.below(3) }, id))];
  const makers: readonly (() => Operation)[] = [
    () => ({ kind: 'insertOwner', name: random.pick(['ada', 'bob', 'cy', 'dan', 'eve', 'flo']) }),
    () => ({ kind: 'removeOwner', id: owner() }),
    () => ({ kind: 'insertPasskey', owner: owner(), credential: random.below(40) }),
    () => ({ kind: 'insertPasskey', owner: owner(), credential: random.below(40) }),
    () => ({ kind: 'rename', id: id(), label: random.pick(['a', 'b', 'ü']) }),
    () => ({ kind: 'use', id: id(), expected: random.below(3), count: random.below(3) }),
    () => ({ kind: 'use', id: id(), expected: random.below(3), count: random.below(3) }),
    () => ({ kind: 'regress', id: id() }),
    () => ({ kind: 'revoke', ids: some() }),
    () => ({ kind: 'restore', ids: some() }),
    () => ({ kind: 'insertAccess', owner: owner(), passkey: random.oneIn(3) ? null : id(), hash: random.below(60) }),
    () => ({ kind: 'revokeAccess', id: id() }),
    () => ({ kind: 'find', id: id() }),
    () => ({ kind: 'findCredential', credential: random.below(40) }),
    () => ({ kind: 'list', owner: random.oneIn(2) ? null : owner(), revoked: random.pick([true, false, 'only'] as const) }),
    () => ({ kind: random.pick(['owners', 'accesses'] as const) }),
  ];
  // Owners seldom go, or hardly anything would remain.
  const operation = random.pick(makers)();
  return operation.kind === 'removeOwner' && !random.oneIn(4) ? { kind: 'insertOwner', name: 'ada' } : operation;
}
