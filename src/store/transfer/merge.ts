import { isDeepStrictEqual } from 'node:util';
import type { Owner } from '../../accounts/ports.js';
import type { Access } from '../../kernel/access.js';
import type { OwnerRef } from '../../kernel/owner.js';
import type { Passkey } from '../../relying-party/credential-record.js';
import { credentialKey, ownerKey } from '../state.js';
import type { KnownRows, StoredRow } from '../transfer-port.js';
import { nameRow } from './format.js';
import type { Conflict, Outcome } from './keep-ids.js';

/** A user or a passkey that got a new id. */
export type NewId =
  | { readonly kind: 'owner'; readonly from: OwnerRef; readonly to: OwnerRef }
  | { readonly kind: 'passkey'; readonly from: number; readonly to: number };

/** Decisions about one batch of the merge, to be accepted together. */
interface Step {
  /** Owners of the export, each with the owner that stands for it in the store, existing or to be added. */
  readonly owners: Map<string, OwnerRef>;
  /** User handles of the owners that will be added. */
  readonly handles: Set<string>;
  readonly passkeys: Map<number, number>;
  /** Highest owner ids that the merge assigned, by type. */
  readonly highest: Map<string, number>;
  readonly given: { passkey: number; access: number };
  readonly newIds: NewId[];
}

interface Described {
  hasOwner(ref: OwnerRef): boolean;
  wasRemoved(ref: OwnerRef): boolean;
}

const emptyStep = (): Step => ({
  owners: new Map(),
  handles: new Set(),
  passkeys: new Map(),
  highest: new Map(),
  given: { passkey: 0, access: 0 },
  newIds: [],
});

/**
 * Merges rows of another store into a store. Does not change users with the same type and e-mail, or passkeys with the same credential ID.
 * All other rows get new ids. Adds removed users only if they own passkeys. Does not add accesses of removed users and of purged passkeys.
 */
export class Merge {
  readonly #all = emptyStep();
  #step = emptyStep();

  get newIds(): readonly NewId[] {
    return this.#all.newIds;
  }

  /** Decides about a batch of rows. May be called several times for the same rows, until `accept` is called. */
  decide(rows: readonly StoredRow[], known: KnownRows, described: Described): Outcome {
    this.#step = { ...emptyStep(), given: { ...this.#all.given } };
    const add: StoredRow[] = [];
    const same: StoredRow[] = [];
    const conflicts: Conflict[] = [];
    for (const row of rows) {
      const found = this.#decide(row, known, described);
      if (found === 'same') same.push(row);
      else if (typeof found === 'string') conflicts.push(found);
      else add.push(...found);
    }
    return { add, same, conflicts, reused: [] };
  }

  /** Accepts the results of the last call of `decide`. */
  accept(): void {
    const { owners, handles, passkeys, highest, given, newIds } = this.#step;
    for (const [key, ref] of owners) this.#all.owners.set(key, ref);
    for (const handle of handles) this.#all.handles.add(handle);
    for (const [from, to] of passkeys) this.#all.passkeys.set(from, to);
    for (const [type, id] of highest) this.#all.highest.set(type, id);
    Object.assign(this.#all.given, given);
    this.#all.newIds.push(...newIds);
    this.#step = emptyStep();
  }

  /** Decides about one row. Returns the rows to add, the string `same`, or a conflict. */
  #decide(row: StoredRow, known: KnownRows, described: Described): readonly StoredRow[] | string {
    if (row.kind === 'owner') return this.#owner(row.record, known);
    if (row.kind === 'removed_owner') return [];
    if (row.kind === 'passkey') return this.#passkey(row, known, described);
    return this.#access(row.record, known, described);
  }

  #owner(owner: Owner, known: KnownRows): readonly StoredRow[] | 'same' {
    const there = known.ownerByEmail(owner.type, owner.email);
    if (there !== undefined) {
      this.#assign(owner, there);
      return 'same';
    }
    const { type, id } = this.#newOwner(owner, known);
    return [{ kind: 'owner', record: { ...owner, type, id, userHandle: this.#freeHandle(owner, known) } }];
  }

  /**
   * Returns the user handle of an owner if it is free. Authenticators keep one passkey for each user handle, so passkeys of two users with
   * the same handle would overwrite each other.
   */
  #freeHandle({ userHandle }: Owner, known: KnownRows): Uint8Array | undefined {
    if (userHandle === undefined || known.ownerByHandle(userHandle) !== undefined) return undefined;
    const key = credentialKey(userHandle);
    if (this.#step.handles.has(key) || this.#all.handles.has(key)) return undefined;
    this.#step.handles.add(key);
    return userHandle;
  }

  #passkey(row: Extract<StoredRow, { kind: 'passkey' }>, known: KnownRows, described: Described): readonly StoredRow[] | string {
    const passkey = row.record;
    const ref = passkey.owner;
    const there = known.passkeyByCredentialId(passkey.credential.id);
    const owner = this.#ownerOf(ref) ?? (there && described.wasRemoved(ref) && known.isRemoved(there.owner) ? there.owner : undefined);
    if (there !== undefined) {
      if (!isSamePasskey(passkey, there) || owner === undefined || ownerKey(owner) !== ownerKey(there.owner)) {
        return `the credential ID of ${nameRow(row)} is that of passkey ${there.id} in the store, which is another user's or has another key`;
      }
      this.#assign(ref, owner);
      this.#assignPasskey(passkey.id, there.id);
      return 'same';
    }
    if (owner === undefined && !described.wasRemoved(ref)) return notDescribed(row, ref);
    const add: StoredRow[] = [];
    const newOwner = owner ?? this.#newOwner(ref, known);
    if (owner === undefined) add.push({ kind: 'removed_owner', record: { type: newOwner.type, id: newOwner.id } });
    const id = Math.max(known.next.passkey, this.#step.given.passkey + 1);
    this.#step.given.passkey = id;
    this.#assignPasskey(passkey.id, id);
    add.push({ kind: 'passkey', record: { ...passkey, id, owner: { type: newOwner.type, id: newOwner.id } } });
    return add;
  }

  #access(access: Access, known: KnownRows, described: Described): readonly StoredRow[] | string {
    const owner = this.#ownerOf(access.owner);
    const there = known.accessByHash(access.kind, access.hash);
    const name = nameRow({ kind: 'access', record: access });
    if (there !== undefined) {
      return owner && ownerKey(owner) === ownerKey(there.owner)
        ? 'same'
        : `the secret of ${name} is that of ${there.kind} ${there.id} in the store, which is another user's`;
    }
    if (described.wasRemoved(access.owner)) return [];
    if (owner === undefined) return notDescribed({ kind: 'access', record: access }, access.owner);
    const passkeyId =
      access.passkeyId === undefined ? undefined : (this.#step.passkeys.get(access.passkeyId) ?? this.#all.passkeys.get(access.passkeyId));
    if (access.passkeyId !== undefined && passkeyId === undefined) return [];
    const id = Math.max(known.next.access, this.#step.given.access + 1);
    this.#step.given.access = id;
    return [{ kind: 'access', record: { ...access, id, owner: { type: owner.type, id: owner.id }, passkeyId } }];
  }

  #ownerOf(ref: OwnerRef): OwnerRef | undefined {
    return this.#step.owners.get(ownerKey(ref)) ?? this.#all.owners.get(ownerKey(ref));
  }

  /** Chooses the id of an owner to add: its own id if that is higher than every id used for its type, or else the next id. */
  #newOwner(ref: OwnerRef, known: KnownRows): OwnerRef {
    const { type } = ref;
    const highest = Math.max(known.highestOwnerId(type), this.#step.highest.get(type) ?? 0, this.#all.highest.get(type) ?? 0);
    const id = Math.max(ref.id, highest + 1);
    this.#step.highest.set(type, id);
    this.#assign(ref, { type, id });
    return { type, id };
  }

  #assign(from: OwnerRef, { type, id }: OwnerRef): void {
    if (this.#ownerOf(from) !== undefined) return;
    this.#step.owners.set(ownerKey(from), { type, id });
    if (id !== from.id) this.#step.newIds.push({ kind: 'owner', from: { type: from.type, id: from.id }, to: { type, id } });
  }

  #assignPasskey(from: number, to: number): void {
    this.#step.passkeys.set(from, to);
    if (from !== to) this.#step.newIds.push({ kind: 'passkey', from, to });
  }
}

function notDescribed(row: StoredRow, { type, id }: OwnerRef): Conflict {
  return `${nameRow(row)} is that of a user ${type}:${id} who is not described`;
}

function isSamePasskey(one: Passkey, other: Passkey): boolean {
  return one.rpId === other.rpId && isDeepStrictEqual(new Uint8Array(one.credential.publicKey), new Uint8Array(other.credential.publicKey));
}
