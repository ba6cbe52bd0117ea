import type { Owner } from '../accounts/ports.js';
import type { Access } from '../kernel/access.js';
import type { OwnerRef } from '../kernel/owner.js';
import type { Passkey } from '../relying-party/credential-record.js';
import { encodeBase64url } from '../webauthn/base64url.js';
import type { Records, Table as TableName } from './records.js';
import { DraftTable, GrowingList, type Table } from './tables.js';

/** All data of a store in memory, with their indexes. Records are never changed in place, only replaced. */
export interface State {
  readonly owners: Table<string, Owner>;
  readonly ownerKeyByEmail: Table<string, string>;
  /** Removed owners by owner key. Their ids are never used again. */
  readonly removedOwners: Table<string, OwnerRef>;
  /**
   * Highest owner id of each type ever used, even in data that have no owner now. New ids are higher, so that no new owner inherits the
   * passkeys of another.
   */
  readonly highestOwnerId: Table<string, number>;
  readonly passkeys: Table<number, Passkey>;
  readonly revokedPasskeys: Table<number, true>;
  readonly passkeyIdByCredential: Table<string, number>;
  readonly passkeyIdsByOwner: Table<string, GrowingList<number>>;
  readonly accesses: Table<number, Access>;
  readonly accessIdByHash: Table<string, number>;
  nextPasskeyId: number;
  nextAccessId: number;
  /** Number of accesses at which the table of accesses is pruned next. */
  pruneAccessesAt: number;
  /** Number that grows with every change. If an operation does not change it, nothing needs to be written. */
  revision: number;
}

/**
 * Creates an empty state.
 *
 * @param passkeys the table in which to keep the passkeys.
 */
export function createState(passkeys: Table<number, Passkey> = new Map()): State {
  return {
    owners: new Map(),
    ownerKeyByEmail: new Map(),
    removedOwners: new Map(),
    highestOwnerId: new Map(),
    passkeys,
    revokedPasskeys: new Map(),
    passkeyIdByCredential: new Map(),
    passkeyIdsByOwner: new Map(),
    accesses: new Map(),
    accessIdByHash: new Map(),
    nextPasskeyId: 1,
    nextAccessId: 1,
    pruneAccessesAt: 0,
    revision: 0,
  };
}

/** Tables of changed records, keyed by the name of the file's table that has their rows. */
type DraftTables = { readonly [T in TableName]: DraftTable<T extends 'passkeys' | 'accesses' ? number : string, Records[T]> };

/** Changes to a state that are not applied yet. Readers keep the original state until `commit`. */
export interface Draft {
  readonly state: State;
  readonly base: State;
  readonly changes: DraftTables;
  /** Applies the changes of the draft to the original state. */
  commit(): void;
}

export function createDraft(base: State): Draft {
  const tables = {
    owners: new DraftTable(base.owners),
    ownerKeyByEmail: new DraftTable(base.ownerKeyByEmail),
    removedOwners: new DraftTable(base.removedOwners),
    highestOwnerId: new DraftTable(base.highestOwnerId),
    passkeys: new DraftTable(base.passkeys),
    revokedPasskeys: new DraftTable(base.revokedPasskeys),
    passkeyIdByCredential: new DraftTable(base.passkeyIdByCredential),
    passkeyIdsByOwner: new DraftTable(base.passkeyIdsByOwner),
    accesses: new DraftTable(base.accesses),
    accessIdByHash: new DraftTable(base.accessIdByHash),
  };
  const state: State = { ...base, ...tables };
  const { owners, removedOwners, passkeys, accesses } = tables;
  return {
    state,
    base,
    changes: { owners, removed_owners: removedOwners, passkeys, accesses },
    commit() {
      for (const table of Object.values(tables)) table.commit();
      const { nextPasskeyId, nextAccessId, pruneAccessesAt, revision } = state;
      Object.assign(base, { nextPasskeyId, nextAccessId, pruneAccessesAt, revision });
    },
  };
}

export function ownerKey(ref: OwnerRef): string {
  return `${ref.id}:${ref.type}`;
}

/** Builds the index key of an e-mail address. Addresses are compared without case, and only within an owner type. */
export function emailKey(type: string, email: string): string {
  return JSON.stringify([type, foldText(email)]);
}

/** Converts a string to the form in which every kind of store compares strings without case. */
export function foldText(text: string): string {
  return text.normalize('NFC').toLowerCase();
}

export function credentialKey(credentialId: Uint8Array): string {
  return encodeBase64url(credentialId);
}

export function hashKey(kind: Access['kind'], hash: Uint8Array): string {
  return `${kind}:${encodeBase64url(hash)}`;
}

export function isRemovedOwner(state: State, ref: OwnerRef): boolean {
  return state.removedOwners.has(ownerKey(ref));
}

// The functions below are the only ones that put records into a state or take them out; reading a file uses them too.

export function putOwner(state: State, owner: Owner): void {
  const key = ownerKey(owner);
  state.owners.set(key, owner);
  state.ownerKeyByEmail.set(emailKey(owner.type, owner.email), key);
  raiseHighestOwnerId(state, owner);
  state.revision += 1;
}

/** Replaces the record of an owner. If the e-mail address changed, removes the old one from the index. */
export function replaceOwner(state: State, before: Owner, owner: Owner): void {
  state.ownerKeyByEmail.delete(emailKey(before.type, before.email));
  putOwner(state, owner);
}

export function putRemovedOwner(state: State, ref: OwnerRef): void {
  state.removedOwners.set(ownerKey(ref), ref);
  raiseHighestOwnerId(state, ref);
  state.revision += 1;
}

export function dropOwner(state: State, owner: Owner): void {
  state.owners.delete(ownerKey(owner));
  state.ownerKeyByEmail.delete(emailKey(owner.type, owner.email));
  state.revision += 1;
}

/** Members of a passkey from which the indexes are made. */
interface PasskeyKeys {
  readonly id: number;
  readonly owner: OwnerRef;
  /** Key of the passkey's credential, as `credentialKey` makes it. */
  readonly key: string;
  readonly revoked: boolean;
}

export function putPasskey(state: State, passkey: Passkey): void {
  const { id, owner, credential, revokedAt } = passkey;
  indexPasskey(state, { id, owner, key: credentialKey(credential.id), revoked: revokedAt !== undefined });
  state.passkeys.set(id, passkey);
}

/**
 * Adds a passkey to the indexes, if its table keeps encoded rows. Call this before adding the row, because it checks whether the id is new.
 */
export function indexPasskey(state: State, { id, owner, key, revoked }: PasskeyKeys): void {
  if (!state.passkeys.has(id)) {
    state.passkeyIdByCredential.set(key, id);
    const whose = ownerKey(owner);
    state.passkeyIdsByOwner.set(whose, (state.passkeyIdsByOwner.get(whose) ?? new GrowingList()).with(id));
    raiseHighestOwnerId(state, owner);
  }
  if (revoked) state.revokedPasskeys.set(id, true);
  else if (state.revokedPasskeys.has(id)) state.revokedPasskeys.delete(id);
  state.revision += 1;
}

/** Removes passkeys for good. Removes those of the same owner together, so that the owner's list is written only once. */
export function dropPasskeys(
  state: State,
  passkeys: Iterable<{ readonly id: number; readonly owner: OwnerRef; readonly credential: { readonly id: Uint8Array } }>,
): void {
  const byOwner = new Map<string, Set<number>>();
  for (const { id, owner, credential } of passkeys) {
    state.passkeys.delete(id);
    state.revokedPasskeys.delete(id);
    state.passkeyIdByCredential.delete(credentialKey(credential.id));
    const key = ownerKey(owner);
    byOwner.set(key, (byOwner.get(key) ?? new Set()).add(id));
    state.revision += 1;
  }
  for (const [key, gone] of byOwner) {
    const left = [...(state.passkeyIdsByOwner.get(key) ?? [])].filter((id) => !gone.has(id));
    if (left.length > 0) state.passkeyIdsByOwner.set(key, new GrowingList(left));
    else state.passkeyIdsByOwner.delete(key);
  }
}

export function putAccess(state: State, access: Access): void {
  state.accesses.set(access.id, access);
  state.accessIdByHash.set(hashKey(access.kind, access.hash), access.id);
  raiseHighestOwnerId(state, access.owner);
  state.revision += 1;
}

export function dropAccess(state: State, { id, kind, hash }: Access): void {
  state.accesses.delete(id);
  state.accessIdByHash.delete(hashKey(kind, hash));
  state.revision += 1;
}

/** Raises the ids for the next passkey and access to the given values, unless they are already as high. */
export function raiseNextIds(state: State, { passkey, access }: { readonly passkey: number; readonly access: number }): void {
  if (passkey <= state.nextPasskeyId && access <= state.nextAccessId) return;
  state.nextPasskeyId = Math.max(passkey, state.nextPasskeyId);
  state.nextAccessId = Math.max(access, state.nextAccessId);
  state.revision += 1;
}

/** Compares users by type, then by id, for sorting. */
export function compareRefs(a: OwnerRef, b: OwnerRef): number {
  return a.type === b.type ? a.id - b.id : a.type < b.type ? -1 : 1;
}

function raiseHighestOwnerId({ highestOwnerId }: State, { type, id }: OwnerRef): void {
  if (id > (highestOwnerId.get(type) ?? 0)) highestOwnerId.set(type, id);
}
