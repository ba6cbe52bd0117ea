import type { Access, Owner } from '../accounts/ports.js';
import type { Passkey } from '../relying-party/credential-record.js';
import { encodeBase64url } from '../webauthn/base64url.js';
import type { OwnerRef } from '../webauthn/user-handle.js';

/** Everything a store keeps, with its indexes, in memory. Records are never changed in place, only replaced, so a fork shares them. */
export interface State {
  readonly owners: Map<string, Owner>;
  readonly ownerKeyByEmail: Map<string, string>;
  /** Per owner type: ids of removed owners, never used again. */
  readonly removedOwnerIds: Map<string, Set<number>>;
  /** Per owner type: the highest id that is or was taken. */
  readonly highestOwnerId: Map<string, number>;
  readonly passkeys: Map<number, Passkey>;
  readonly passkeyIdByCredential: Map<string, number>;
  readonly passkeyIdsByOwner: Map<string, number[]>;
  readonly accesses: Map<number, Access>;
  readonly accessIdByHash: Map<string, number>;
  nextPasskeyId: number;
  nextAccessId: number;
  /** Number of accesses at which they are next pruned. */
  pruneAccessesAt: number;
  /** Grows with every change; an operation that leaves it alone needs no write. */
  revision: number;
}

export function createState(): State {
  return {
    owners: new Map(),
    ownerKeyByEmail: new Map(),
    removedOwnerIds: new Map(),
    highestOwnerId: new Map(),
    passkeys: new Map(),
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

/** A copy that can be changed while readers keep the old state. */
export function forkState(state: State): State {
  return {
    ...state,
    owners: new Map(state.owners),
    ownerKeyByEmail: new Map(state.ownerKeyByEmail),
    removedOwnerIds: new Map([...state.removedOwnerIds].map(([type, ids]) => [type, new Set(ids)])),
    highestOwnerId: new Map(state.highestOwnerId),
    passkeys: new Map(state.passkeys),
    passkeyIdByCredential: new Map(state.passkeyIdByCredential),
    passkeyIdsByOwner: new Map([...state.passkeyIdsByOwner].map(([key, ids]) => [key, [...ids]])),
    accesses: new Map(state.accesses),
    accessIdByHash: new Map(state.accessIdByHash),
  };
}

export function ownerKey(ref: OwnerRef): string {
  return `${ref.id}:${ref.type}`;
}

/** E-mails are compared without case, within a type. */
export function emailKey(type: string, email: string): string {
  return JSON.stringify([type, foldEmail(email)]);
}

export function foldEmail(email: string): string {
  return email.normalize('NFC').toLowerCase();
}

export function credentialKey(credentialId: Uint8Array): string {
  return encodeBase64url(credentialId);
}

export function hashKey(kind: Access['kind'], hash: Uint8Array): string {
  return `${kind}:${encodeBase64url(hash)}`;
}

export function isRemovedOwner(state: State, ref: OwnerRef): boolean {
  return state.removedOwnerIds.get(ref.type)?.has(ref.id) ?? false;
}

// The four functions below are the only ones that put records into a state; loading a file uses them too.

export function putOwner(state: State, owner: Owner): void {
  const key = ownerKey(owner);
  state.owners.set(key, owner);
  state.ownerKeyByEmail.set(emailKey(owner.type, owner.email), key);
  raiseHighestOwnerId(state, owner);
  state.revision += 1;
}

export function putRemovedOwner(state: State, ref: OwnerRef): void {
  const ids = state.removedOwnerIds.get(ref.type) ?? new Set();
  state.removedOwnerIds.set(ref.type, ids.add(ref.id));
  raiseHighestOwnerId(state, ref);
  state.revision += 1;
}

export function putPasskey(state: State, passkey: Passkey): void {
  if (!state.passkeys.has(passkey.id)) {
    const key = ownerKey(passkey.owner);
    state.passkeyIdByCredential.set(credentialKey(passkey.credential.id), passkey.id);
    const ids = state.passkeyIdsByOwner.get(key) ?? [];
    ids.push(passkey.id);
    state.passkeyIdsByOwner.set(key, ids);
  }
  state.passkeys.set(passkey.id, passkey);
  state.revision += 1;
}

export function putAccess(state: State, access: Access): void {
  state.accesses.set(access.id, access);
  state.accessIdByHash.set(hashKey(access.kind, access.hash), access.id);
  state.revision += 1;
}

function raiseHighestOwnerId(state: State, ref: OwnerRef): void {
  state.highestOwnerId.set(ref.type, Math.max(ref.id, state.highestOwnerId.get(ref.type) ?? 0));
}
