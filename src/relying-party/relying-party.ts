import type { BulkOptions } from '../kernel/bulk-change.js';
import { createEmitter, type ListenerErrorHandler, type OperationContext } from '../kernel/events.js';
import { DEFAULT_MAX_PASSKEYS } from '../kernel/limits.js';
import type { PublicKeyCredentialCreationOptionsJSON, PublicKeyCredentialRequestOptionsJSON } from '../webauthn/json.js';
import { readAttestationRoots } from './attestation/roots.js';
import type { AuthenticateInput, AuthenticateResult } from './authenticate.js';
import { type BeginAuthenticationInput, beginAuthentication } from './begin-authentication.js';
import { type BeginRegistrationInput, beginRegistration } from './begin-registration.js';
import { only, purge, renamePasskey, restorePasskeys, revokePasskeys } from './change-passkey.js';
import type { Passkey } from './credential-record.js';
import type { RelyingPartyEvent, RelyingPartyListener } from './events.js';
import type { OperationDependencies } from './operation.js';
import type { Policy } from './policy.js';
import type { PasskeyFilter, PasskeyQuery, PasskeySummary, Purge, Purged, RestoreOptions } from './ports.js';
import type { RegisterInput } from './register.js';

export interface RelyingPartyOptions extends Omit<OperationDependencies, 'maxPasskeys' | 'emit'> {
  /** Maximum number of live passkeys per user, over all RP IDs; `Infinity` for no limit. Default {@link DEFAULT_MAX_PASSKEYS}. */
  readonly maxPasskeys?: number;
  /** Called if a listener throws. Default: the exception is ignored. */
  readonly onListenerError?: ListenerErrorHandler<RelyingPartyEvent>;
}

/** The relying party of W3C WebAuthn L3 §7, without HTTP. The caller must check who may use or change a passkey. */
export interface RelyingParty {
  readonly policy: Policy;
  /** Loads the verification code in advance. Without this call, the first ceremony has to wait for it. */
  prepare(): Promise<void>;
  /** Calls `listener` with every event; an exception in the listener changes nothing. Returns a function that removes the listener. */
  on(listener: RelyingPartyListener): () => void;
  /**
   * Starts a registration (§7.1 step 1), and stores the ceremony under its challenge.
   * @throws PasskeyError `too_many_passkeys`
   */
  beginRegistration(input: BeginRegistrationInput): Promise<PublicKeyCredentialCreationOptionsJSON>;
  /**
   * Finishes a registration (§7.1).
   * @throws PasskeyError with the code of the failed check, `validation_failed`, `credential_already_registered`, `too_many_passkeys`, or
   * `payload_too_large` if the passkey to store is larger than 24 KB.
   */
  register(input: RegisterInput): Promise<Passkey>;
  /**
   * Starts an authentication (§7.2 step 1).
   * @throws PasskeyError `passkey_not_found` if the requested credential is unknown or revoked.
   */
  beginAuthentication(input: BeginAuthenticationInput): Promise<PublicKeyCredentialRequestOptionsJSON>;
  /**
   * Finishes an authentication (§7.2). Returns the updated passkey.
   * @throws PasskeyError `passkey_not_found`, `validation_failed`, or the code of the failed check.
   */
  authenticate(input: AuthenticateInput): Promise<AuthenticateResult>;
  /** Lists passkeys. By default, lists live passkeys in ascending order of id. */
  list(query?: PasskeyQuery): Promise<Passkey[]>;
  /** Lists the ids of the passkeys that `list` would return, in the same order. */
  listIds(query?: PasskeyQuery): Promise<number[]>;
  /** Counts the passkeys that `list` would return without a limit. */
  count(filter?: PasskeyFilter): Promise<number>;
  summarize(filter: PasskeyFilter, unusedSince: readonly number[]): Promise<PasskeySummary>;
  /** Finds a passkey by its id, even if the passkey is revoked. */
  find(id: number): Promise<Passkey | undefined>;
  /** Finds a passkey by its credential ID, even if the passkey is revoked. */
  findByCredentialId(credentialId: Uint8Array): Promise<Passkey | undefined>;
  /**
   * Changes the label of a passkey.
   * @throws PasskeyError `passkey_not_found` if the passkey does not exist or is revoked.
   */
  rename(id: number, label: string, context?: OperationContext): Promise<Passkey>;
  /**
   * Revokes a passkey. A passkey that is already revoked does not change.
   * @throws PasskeyError `passkey_not_found` if the passkey does not exist.
   */
  revoke(id: number, change: { readonly reason?: string | undefined }, context?: OperationContext): Promise<Passkey>;
  /**
   * Revokes all given passkeys or none, in one change of the store, and returns them in the order of the given ids. If `signal` is aborted
   * before the change, nothing is changed.
   * @throws PasskeyError `passkey_not_found` if one does not exist; the abort reason of `signal` if it is aborted.
   */
  revokeAll(
    ids: readonly number[],
    change: BulkOptions & { readonly reason?: string | undefined },
    context?: OperationContext,
  ): Promise<readonly Passkey[]>;
  /**
   * Restores a revoked passkey.
   * @throws PasskeyError `passkey_not_found` if the passkey does not exist; `passkey_not_restorable` if its user was removed.
   */
  restore(id: number, change?: { readonly reason?: string | undefined }, context?: OperationContext): Promise<Passkey>;
  /**
   * Restores all given passkeys or none, in one change of the store, like `revokeAll`.
   * @throws PasskeyError `passkey_not_found`, `passkey_not_restorable`; the abort reason of `signal` if it is aborted.
   */
  restoreAll(
    ids: readonly number[],
    change: RestoreOptions & { readonly reason?: string | undefined },
    context?: OperationContext,
  ): Promise<readonly Passkey[]>;
  /**
   * Deletes revoked passkeys, and tokens and sessions that have ended, permanently: all of them or none, in one change of the store.
   * @throws PasskeyError `passkey_not_found` if a row no longer exists, is live, or did not end before `endedBefore`; the abort reason of
   * `signal` if it is aborted.
   */
  purge(what: Purge, change: BulkOptions & { readonly endedBefore: number }, context?: OperationContext): Promise<Purged>;
}

/**
 * Loads the steps with everything that they need, including the code for certificates and the public suffix list. This happens on demand,
 * since most commands verify nothing and start faster without this code.
 */
async function loadVerification() {
  const [{ register }, { authenticate }, { loadLibrary }] = await Promise.all([
    import('./register.js'),
    import('./authenticate.js'),
    import('./simplewebauthn.js'),
  ]);
  return { register, authenticate, loadLibrary };
}

/**
 * Creates a relying party that uses a store. The relying party begins and ends ceremonies, and lists and revokes passkeys.
 *
 * @throws PasskeyError `configuration_invalid` if an attestation root of the policy cannot be read.
 */
export function createRelyingParty(options: RelyingPartyOptions): RelyingParty {
  const { store, policy, origins, now, newChallenge, maxPasskeys = DEFAULT_MAX_PASSKEYS } = options;
  if (policy.attestationRoots.length > 0) readAttestationRoots(policy.attestationRoots);
  const emitter = createEmitter<RelyingPartyEvent>(options.onListenerError);
  const dependencies: OperationDependencies = { store, policy, origins, now, newChallenge, maxPasskeys, emit: emitter.emit };
  return {
    policy,
    prepare: async () => {
      const { loadLibrary } = await loadVerification();
      await loadLibrary();
    },
    on: emitter.on,
    beginRegistration: (input) => beginRegistration(dependencies, input),
    register: async (input) => (await loadVerification()).register(dependencies, input),
    beginAuthentication: (input) => beginAuthentication(dependencies, input),
    authenticate: async (input) => (await loadVerification()).authenticate(dependencies, input),
    list: (query) => store.listPasskeys(query),
    listIds: (query) => store.listPasskeyIds(query),
    count: (filter) => store.countPasskeys(filter),
    summarize: (filter, unusedSince) => store.summarizePasskeys(filter, unusedSince),
    find: (id) => store.findPasskey(id),
    findByCredentialId: (credentialId) => store.findPasskeyByCredentialId(credentialId),
    rename: (id, label, context) => renamePasskey(dependencies, { id, label, context }),
    revoke: async (id, { reason }, context) => only(await revokePasskeys(dependencies, { ids: [id], reason, context })),
    revokeAll: (ids, { reason, ...options }, context) => revokePasskeys(dependencies, { ...options, ids, reason, context }),
    restore: async (id, { reason } = {}, context) => only(await restorePasskeys(dependencies, { ids: [id], reason, context })),
    restoreAll: (ids, { reason, ...options }, context) => restorePasskeys(dependencies, { ...options, ids, reason, context }),
    purge: (what, change, context) => purge(dependencies, { ...what, ...change, context }),
  };
}
