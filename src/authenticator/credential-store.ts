import { equalBytes } from '../webauthn/bytes.js';
import { type CredentialSource, checkCredentialSource } from './credential-source.js';

/** Where an authenticator keeps its credentials. Nothing found is `undefined` or `[]`. */
export interface CredentialSourceStore {
  find(rpId: string, id: Uint8Array): Promise<CredentialSource | undefined>;
  /** Oldest first. */
  list(rpId?: string): Promise<readonly CredentialSource[]>;
  /**
   * Adds a source. A discoverable one replaces the discoverable source of the same RP and user (§6.3.2 step 7); any source replaces
   * the one with the same RP and ID.
   */
  put(source: CredentialSource): Promise<void>;
  /** Changes the source in one step; false when it is not there. */
  update(rpId: string, id: Uint8Array, change: (source: CredentialSource) => CredentialSource): Promise<boolean>;
  remove(rpId: string, id: Uint8Array): Promise<boolean>;
}

/** @throws TypeError when one of `sources` is not usable. */
export function createCredentialSourceStore(sources: readonly CredentialSource[] = []): CredentialSourceStore {
  let held: readonly CredentialSource[] = sources.map(checkCredentialSource);
  const is = (rpId: string, id: Uint8Array) => (source: CredentialSource) => source.rpId === rpId && equalBytes(source.id, id);

  return {
    async find(rpId, id) {
      return held.find(is(rpId, id));
    },
    async list(rpId) {
      return rpId === undefined ? held : held.filter((source) => source.rpId === rpId);
    },
    async put(source) {
      const added = checkCredentialSource(source);
      held = [...held.filter((other) => !replaces(added, other)), added];
    },
    async update(rpId, id, change) {
      const index = held.findIndex(is(rpId, id));
      const source = held[index];
      if (source === undefined) return false;
      held = held.with(index, checkCredentialSource(change(source)));
      return true;
    },
    async remove(rpId, id) {
      const before = held.length;
      held = held.filter((source) => !is(rpId, id)(source));
      return held.length < before;
    },
  };
}

function replaces(added: CredentialSource, other: CredentialSource): boolean {
  if (added.rpId !== other.rpId) return false;
  return equalBytes(added.id, other.id) || (added.discoverable && other.discoverable && equalBytes(added.user.id, other.user.id));
}
