import type { AccountStore } from '../accounts/ports.js';
import type { CeremonyStore, PasskeyStore } from '../relying-party/ports.js';
import * as accounts from './accounts.js';
import type { AuditLog } from './audit/entry.js';
import * as bulk from './bulk-operations.js';
import type { CeremonyMemory } from './ceremony-memory.js';
import * as passkeys from './passkeys.js';
import { countLivePasskeys, queriedIds } from './passkeys.js';
import { isRemovedOwner, type State } from './state.js';
import { stateTransfer } from './state-transfer.js';
import { summarizePasskeys } from './summary.js';
import type { StoreTransfer } from './transfer-port.js';

/** Store of all data. Every method makes one atomic change. A method that finds nothing returns `undefined` or `[]`. */
export interface Store extends PasskeyStore, CeremonyStore, AccountStore {
  /** Location of this store, for logs; contains no secrets. */
  readonly location: string;
  /**
   * Log of who changed what; undefined for a store in memory. Changes made directly through the store are not logged: see `recordAudit`.
   */
  readonly audit: AuditLog | undefined;
  /** Access to the rows of the store, for moving all data to another store or from one. */
  readonly transfer: StoreTransfer;
  /** Checks that the store can be read. @throws PasskeyError `store_unavailable` or `store_damaged` if it cannot. */
  check(): Promise<void>;
  close(): Promise<void>;
}

/** Holder of a state. `change` is atomic: an operation that throws, or that cannot be saved, changes nothing. */
interface StateHolder extends Pick<Store, 'location' | 'check' | 'close'> {
  readonly audit?: AuditLog;
  read<T>(operation: (state: State) => T): Promise<T>;
  change<T>(operation: (state: State) => T): Promise<T>;
}

/** Creates a complete store from the holder of a state. The kinds of stores differ only in where they keep the state. */
export function createStateStore(holder: StateHolder, ceremonies: CeremonyMemory): Store {
  const takeCeremony: Store['takeCeremony'] = async (challenge, now) => {
    const taken = ceremonies.take(challenge, now);
    if (taken.status !== 'open' || !taken.ceremony.owner) return taken;
    // Another process may have removed the owner, without knowing of this one's ceremonies.
    const { owner } = taken.ceremony;
    return (await holder.read((state) => isRemovedOwner(state, owner))) ? { status: 'unknown' } : taken;
  };
  return {
    location: holder.location,
    audit: holder.audit,
    transfer: stateTransfer(holder),
    check: () => holder.check(),
    close: () => holder.close(),

    insertPasskey: (passkey, limit) => holder.change((state) => passkeys.insertPasskey(state, passkey, limit)),
    findPasskey: (id) => holder.read((state) => passkeys.findPasskey(state, id)),
    findPasskeyByCredentialId: (credentialId) => holder.read((state) => passkeys.findPasskeyByCredentialId(state, credentialId)),
    listPasskeys: (query) => holder.read((state) => passkeys.listPasskeys(state, query)),
    listPasskeyIds: (query = {}) => holder.read((state) => [...queriedIds(state, query)]),
    summarizePasskeys: (filter, unusedSince) => holder.read((state) => summarizePasskeys(state, filter, unusedSince)),
    countPasskeys: (filter) => holder.read((state) => passkeys.countPasskeys(state, filter)),
    recordLogin: (login) => holder.change((state) => accounts.recordLogin(state, login)),
    recordCounterRegression: (id, at) => holder.change((state) => passkeys.recordCounterRegression(state, id, at)),
    renamePasskey: (id, label) => holder.change((state) => passkeys.renamePasskey(state, id, label)),
    revokePasskeys: (ids, change) => holder.change((state) => bulk.revokePasskeys(state, ids, change)),
    restorePasskeys: (ids, options) => holder.change((state) => bulk.restorePasskeys(state, ids, options)),
    purge: (what, change) => holder.change((state) => bulk.purge(state, what, change)),

    async saveCeremony(ceremony) {
      ceremonies.save(ceremony);
    },
    takeCeremony,
    async takeAuthentication({ challenge, credentialId, now }) {
      const passkey = await holder.read((state) => passkeys.findPasskeyByCredentialId(state, credentialId));
      const isLive = passkey !== undefined && passkey.revokedAt === undefined;
      return { passkey, taken: isLive ? await takeCeremony(challenge, now) : { status: 'unknown' } };
    },

    insertOwner: (owner) => holder.change((state) => accounts.insertOwner(state, owner)),
    findOwner: (ref) => holder.read((state) => accounts.findOwner(state, ref)),
    listOwners: (query) => holder.read((state) => accounts.listOwners(state, query)),
    countOwners: (filter) => holder.read((state) => accounts.countOwners(state, filter)),
    countPasskeysOf: (owners) => holder.read((state) => owners.map((owner) => countLivePasskeys(state, owner))),
    editOwner: (ref, change) => holder.change((state) => accounts.editOwner(state, ref, change)),
    fixUserHandle: (ref, userHandle) => holder.change((state) => accounts.fixUserHandle(state, ref, userHandle)),
    removeOwner: (ref, change) => holder.change((state) => bulk.removeOwner(state, ref, change)),
    removeOwners: (refs, change) => holder.change((state) => bulk.removeOwners(state, refs, change)),
    insertAccess: (access) => holder.change((state) => accounts.insertAccess(state, access)),
    findAccess: (kind, hash) => holder.read((state) => accounts.findAccess(state, kind, hash)),
    listAccess: (query) => holder.read((state) => accounts.listAccess(state, query)),
    countAccess: (filter) => holder.read((state) => accounts.countAccess(state, filter)),
    touchAccess: (id, at) => holder.change((state) => accounts.touchAccess(state, id, at)),
    revokeAccess: (id, at) => holder.change((state) => bulk.revokeAccess(state, id, at)),
    revokeAccesses: (ids, change) => holder.change((state) => bulk.revokeAccesses(state, ids, change)),
  };
}
