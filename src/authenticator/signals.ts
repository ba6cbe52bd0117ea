import { equalBytes } from '../kernel/bytes.js';
import type { CredentialSource } from './credential-source.js';
import type { CredentialSourceStore } from './credential-store.js';
import type { CredentialSignal } from './ports.js';

/** Treatment of a credential that its relying party no longer accepts (§5.1.10: "remove or hide"). */
export type SignalledFate = 'hide' | 'remove';

/**
 * Applies a relying party's signal about its credentials (W3C WebAuthn L3 §5.1.10). A hidden credential is not offered until the signal
 * `allAcceptedCredentials` lists it again. A removed credential is gone for good.
 */
export async function takeSignal(store: CredentialSourceStore, fate: SignalledFate, signal: CredentialSignal): Promise<void> {
  const { rpId } = signal;
  const dismiss = async ({ id }: Pick<CredentialSource, 'id'>): Promise<void> => {
    if (fate === 'remove') await store.remove(rpId, id);
    else await store.update(rpId, id, (source) => ({ ...source, hidden: true }));
  };
  switch (signal.type) {
    case 'unknownCredential':
      return await dismiss({ id: signal.credentialId });
    case 'allAcceptedCredentials': {
      for (const source of await ofUser(store, rpId, signal.userId)) {
        const accepted = signal.allAcceptedCredentialIds.some((id) => equalBytes(id, source.id));
        if (!accepted) await dismiss(source);
        else if (source.hidden) await store.update(rpId, source.id, (stored) => ({ ...stored, hidden: false }));
      }
      return;
    }
    case 'currentUserDetails': {
      const { name, displayName } = signal;
      for (const { id } of await ofUser(store, rpId, signal.userId)) {
        await store.update(rpId, id, (source) => ({ ...source, user: { ...source.user, name, displayName } }));
      }
      return;
    }
  }
}

async function ofUser(store: CredentialSourceStore, rpId: string, userId: Uint8Array): Promise<readonly CredentialSource[]> {
  const held = await store.list(rpId);
  return held.filter(({ user }) => equalBytes(user.id, userId));
}
