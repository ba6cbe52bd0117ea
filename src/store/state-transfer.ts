import { copyAccess, copyOwner, copyPasskey } from './copies.js';
import { pinned } from './passkey-rows.js';
import {
  compareRefs,
  credentialKey,
  emailKey,
  hashKey,
  isRemovedOwner,
  ownerKey,
  putAccess,
  putOwner,
  putPasskey,
  putRemovedOwner,
  raiseNextIds,
  type State,
} from './state.js';
import type { KnownRows, Picture, StoredRow, StoreTransfer } from './transfer-port.js';

/** Number of rows in a batch. */
const BATCH = 500;

interface Holder {
  read<T>(operation: (state: State) => T): Promise<T>;
  change<T>(operation: (state: State) => T): Promise<T>;
}

/** Creates the transfer of rows to and from a state, independently of where the state is stored. */
export function stateTransfer(holder: Holder): StoreTransfer {
  return {
    picture: () => holder.read(takePicture),
    look: (_rows, use) => holder.read((state) => use(findKnownRowsIn(state))),
    add: (_rows, decide) =>
      holder.change((state) => {
        const { add, next, result } = decide(findKnownRowsIn(state));
        for (const row of add) put(state, row);
        if (next) raiseNextIds(state, next);
        return result;
      }),
  };
}

function takePicture(state: State): Picture {
  // Records are replaced and never changed, so holding them is holding what they were.
  const owners = [...state.owners.values()].sort(compareRefs);
  const removed = [...state.removedOwners.values()].sort(compareRefs);
  const passkeys = pinned(state.passkeys);
  const accesses = [...state.accesses.values()].sort((a, b) => a.id - b.id);
  function* all(): Generator<StoredRow> {
    for (const record of owners) yield { kind: 'owner', record: copyOwner(record) };
    for (const { type, id } of removed) yield { kind: 'removed_owner', record: { type, id } };
    for (const record of passkeys.records()) yield { kind: 'passkey', record: copyPasskey(record) };
    for (const record of accesses) yield { kind: 'access', record: copyAccess(record) };
  }
  return {
    counts: { owner: owners.length, removed_owner: removed.length, passkey: passkeys.size, access: accesses.length },
    next: { passkey: state.nextPasskeyId, access: state.nextAccessId },
    async *rows() {
      let batch: StoredRow[] = [];
      for (const row of all()) {
        batch.push(row);
        if (batch.length < BATCH) continue;
        yield batch;
        batch = [];
      }
      if (batch.length > 0) yield batch;
    },
    close: async () => {},
  };
}

export function findKnownRowsIn(state: State): KnownRows {
  let handles: Map<string, string> | undefined;
  const byHandle = (): Map<string, string> => {
    handles ??= new Map([...state.owners].flatMap(([key, { userHandle }]) => (userHandle ? [[credentialKey(userHandle), key]] : [])));
    return handles;
  };
  return {
    next: { passkey: state.nextPasskeyId, access: state.nextAccessId },
    highestOwnerId: (type) => state.highestOwnerId.get(type) ?? 0,
    owner: (ref) => state.owners.get(ownerKey(ref)),
    ownerByEmail: (type, email) => state.owners.get(state.ownerKeyByEmail.get(emailKey(type, email)) ?? ''),
    ownerByHandle: (userHandle) => state.owners.get(byHandle().get(credentialKey(userHandle)) ?? ''),
    isRemoved: (ref) => isRemovedOwner(state, ref),
    passkey: (id) => state.passkeys.get(id),
    passkeyByCredentialId: (id) => state.passkeys.get(state.passkeyIdByCredential.get(credentialKey(id)) ?? 0),
    access: (id) => state.accesses.get(id),
    accessByHash: (kind, hash) => state.accesses.get(state.accessIdByHash.get(hashKey(kind, hash)) ?? 0),
  };
}

function put(state: State, row: StoredRow): void {
  if (row.kind === 'owner') putOwner(state, copyOwner(row.record));
  else if (row.kind === 'removed_owner') putRemovedOwner(state, { ...row.record });
  else if (row.kind === 'passkey') {
    putPasskey(state, copyPasskey(row.record));
    raiseNextIds(state, { passkey: row.record.id + 1, access: 1 });
  } else {
    putAccess(state, copyAccess(row.record));
    raiseNextIds(state, { passkey: 1, access: row.record.id + 1 });
  }
}
