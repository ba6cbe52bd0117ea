import { type CredentialSource, checkCredentialSource } from './credential-source.js';

/** Storage for an authenticator's credential sources. Lookups return `undefined` or `[]` if nothing is found. */
export interface CredentialSourceStore {
  find(rpId: string, id: Uint8Array): Promise<CredentialSource | undefined>;
  /** Lists the credential sources of one RP, or of all RPs, oldest first. */
  list(rpId?: string): Promise<readonly CredentialSource[]>;
  /**
   * Adds a credential source, replacing one with the same RP and ID. A discoverable source also replaces the discoverable source of the
   * same RP and user (§6.3.2 step 7).
   */
  put(source: CredentialSource): Promise<void>;
  /** Changes a credential source in one atomic step. Returns false if the store does not have the source. */
  update(rpId: string, id: Uint8Array, change: (source: CredentialSource) => CredentialSource): Promise<boolean>;
  remove(rpId: string, id: Uint8Array): Promise<boolean>;
}

/** Credentials of one RP, indexed by credential ID and by user. */
interface Scope {
  readonly byId: Map<string, CredentialSource>;
  /** ID of the discoverable source of each user. */
  readonly byUser: Map<string, string>;
}

/**
 * Creates a store in memory. Finding, adding, changing and removing a credential take as long with ten credentials as with 100,000.
 *
 * @throws TypeError if one of `sources` is not a valid credential source.
 */
export function createCredentialSourceStore(sources: readonly CredentialSource[] = []): CredentialSourceStore {
  const all = new Map<string, CredentialSource>();
  const scopes = new Map<string, Scope>();
  const lookUp = (rpId: string, id: string | undefined) => (id === undefined ? undefined : scopes.get(rpId)?.byId.get(id));

  const keep = (source: CredentialSource) => {
    const { byId, byUser } = scopes.get(source.rpId) ?? { byId: new Map(), byUser: new Map() };
    const id = makeKey(source.id);
    scopes.set(source.rpId, { byId: byId.set(id, source), byUser });
    all.set(`${id} ${source.rpId}`, source);
    const user = makeKey(source.user.id);
    if (source.discoverable) byUser.set(user, id);
    else if (byUser.get(user) === id) byUser.delete(user);
  };
  const drop = (source: CredentialSource | undefined): boolean => {
    const scope = source && scopes.get(source.rpId);
    if (source === undefined || scope === undefined) return false;
    const { byId, byUser } = scope;
    const id = makeKey(source.id);
    byId.delete(id);
    all.delete(`${id} ${source.rpId}`);
    const user = makeKey(source.user.id);
    if (byUser.get(user) === id) byUser.delete(user);
    if (byId.size === 0) scopes.delete(source.rpId);
    return true;
  };
  for (const source of sources.map(checkCredentialSource)) keep(source);

  return {
    async find(rpId, id) {
      return lookUp(rpId, makeKey(id));
    },
    async list(rpId) {
      return [...(rpId === undefined ? all : (scopes.get(rpId)?.byId ?? new Map<string, CredentialSource>())).values()];
    },
    async put(source) {
      const added = checkCredentialSource(source);
      drop(lookUp(added.rpId, makeKey(added.id)));
      if (added.discoverable) drop(lookUp(added.rpId, scopes.get(added.rpId)?.byUser.get(makeKey(added.user.id))));
      keep(added);
    },
    async update(rpId, id, change) {
      const source = lookUp(rpId, makeKey(id));
      if (source === undefined) return false;
      const changed = checkCredentialSource(change(source));
      if (changed.rpId !== rpId) throw new TypeError(`Expected the change of a credential to keep its RP ${rpId}; got ${changed.rpId}.`);
      // Under the same keys it keeps its place.
      if (makeKey(changed.id) !== makeKey(id) || makeKey(changed.user.id) !== makeKey(source.user.id)) drop(source);
      keep(changed);
      return true;
    },
    async remove(rpId, id) {
      return drop(lookUp(rpId, makeKey(id)));
    },
  };
}

/** Converts bytes to a string that serves as Map key, with one character per byte. */
function makeKey(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('latin1');
}
