import type { Access, AccountStore } from '../accounts/ports.js';
import type { NewPasskey, Passkey } from '../relying-party/credential-record.js';
import type { PasskeyFilter, PasskeyQuery, PasskeyUse } from '../relying-party/ports.js';
import { insertAccess } from './account-operations.js';
import { livePasskeysOf } from './account-query.js';
import { copyPasskey } from './copies.js';
import { countOf } from './order.js';
import { idsMatching, queriedIds } from './passkey-query.js';
import { alreadyRegistered, ownerRemoved, tooManyPasskeys } from './refusals.js';
import { credentialKey, isRemovedOwner, putPasskey, type State } from './state.js';

// Every operation checks first and changes afterwards: one that throws has changed nothing.

export function insertPasskey(state: State, passkey: NewPasskey, { maxLive = Infinity }: { readonly maxLive?: number } = {}): Passkey {
  if (state.passkeyIdByCredential.has(credentialKey(passkey.credential.id))) {
    throw alreadyRegistered();
  }
  // The owner may have been removed while the registration was verified.
  if (isRemovedOwner(state, passkey.owner)) {
    throw ownerRemoved(passkey.owner);
  }
  if (maxLive !== Infinity && livePasskeysOf(state, passkey.owner) >= maxLive) throw tooManyPasskeys(passkey.owner, maxLive);
  const stored: Passkey = {
    ...copyPasskey(passkey),
    id: state.nextPasskeyId,
    lastUsedAt: undefined,
    revokedAt: undefined,
    revokedReason: undefined,
    revokedChange: undefined,
    counterRegressions: 0,
    counterRegressedAt: undefined,
  };
  state.nextPasskeyId += 1;
  putPasskey(state, stored);
  return copyPasskey(stored);
}

export function findPasskey(state: State, id: number): Passkey | undefined {
  const passkey = state.passkeys.get(id);
  return passkey && copyPasskey(passkey);
}

export function findPasskeyByCredentialId(state: State, credentialId: Uint8Array): Passkey | undefined {
  const id = state.passkeyIdByCredential.get(credentialKey(credentialId));
  return id === undefined ? undefined : findPasskey(state, id);
}

export function listPasskeys(state: State, query: PasskeyQuery = {}): Passkey[] {
  const found: Passkey[] = [];
  for (const id of queriedIds(state, query)) {
    const passkey = state.passkeys.get(id);
    if (passkey) found.push(copyPasskey(passkey));
  }
  return found;
}

export function countPasskeys(state: State, filter: PasskeyFilter = {}): number {
  return countOf(idsMatching(state, filter));
}

export function updatePasskey(state: State, id: number, use: PasskeyUse): Passkey | undefined {
  const passkey = usable(state, id, use);
  if (!passkey) return undefined;
  const { signCount, backupState, uvInitialized, lastUsedAt } = use;
  return replace(state, passkey, { credential: { ...passkey.credential, signCount, backupState, uvInitialized }, lastUsedAt });
}

/** Undefined when it is gone, revoked, or was used by another assertion meanwhile. */
function usable(state: State, id: number, { expectedSignCount }: PasskeyUse): Passkey | undefined {
  const passkey = state.passkeys.get(id);
  return passkey?.revokedAt === undefined && passkey?.credential.signCount === expectedSignCount ? passkey : undefined;
}

export function insertLogin(state: State, access: Parameters<AccountStore['insertLogin']>[0], use: PasskeyUse): Access | undefined {
  if (!usable(state, access.passkeyId, use)) return undefined;
  const stored = insertAccess(state, access);
  updatePasskey(state, access.passkeyId, use);
  return stored;
}

export function recordCounterRegression(state: State, id: number, at: number): void {
  const passkey = state.passkeys.get(id);
  if (!passkey) return;
  // Two of a race may be written in either order.
  const last = Math.max(at, passkey.counterRegressedAt ?? at);
  replace(state, passkey, { counterRegressions: passkey.counterRegressions + 1, counterRegressedAt: last });
}

export function renamePasskey(state: State, id: number, label: string): Passkey | undefined {
  const passkey = state.passkeys.get(id);
  return passkey && (passkey.label === label ? copyPasskey(passkey) : replace(state, passkey, { label }));
}

function replace(state: State, passkey: Passkey, change: Partial<Passkey>): Passkey {
  const changed = { ...passkey, ...change };
  putPasskey(state, changed);
  return copyPasskey(changed);
}
