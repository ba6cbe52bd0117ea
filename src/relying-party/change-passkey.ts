import { PasskeyError } from '../errors.js';
import type { BulkOptions } from '../kernel/bulk-change.js';
import type { OperationContext } from '../kernel/events.js';
import { formatMinute } from '../kernel/wording.js';
import { type Passkey } from './credential-record.js';
import { type OperationDependencies, passkeyNotFound } from './operation.js';
import type { PasskeysChange, Purge, Purged, RestoreOptions } from './ports.js';

/**
 * Changes the label of a passkey.
 *
 * @throws PasskeyError `passkey_not_found` when there is no such passkey or it is revoked.
 */
export async function renamePasskey(
  { store, now, emit }: OperationDependencies,
  { id, label, context = {} }: { readonly id: number; readonly label: string; readonly context: OperationContext | undefined },
): Promise<Passkey> {
  const before = await store.findPasskey(id);
  if (before === undefined || before.revokedAt !== undefined) {
    throw passkeyNotFound(`the id ${id}`);
  }
  const passkey = await store.renamePasskey(id, label);
  if (passkey === undefined) {
    throw passkeyNotFound(`the id ${id}`);
  }
  emit({ type: 'passkey-renamed', at: now(), context, passkey });
  return passkey;
}

interface ChangeInput extends BulkOptions {
  readonly ids: readonly number[];
  /** Reason for the change: stored with a revoked passkey, and passed to listeners. */
  readonly reason: string | undefined;
  readonly context: OperationContext | undefined;
}

/**
 * Revokes all the passkeys or none, in one change of the store. From the next request on they are refused, and sessions and tokens that
 * they opened end. Revoking twice changes nothing.
 *
 * @returns the passkeys in the order of the ids.
 * @throws PasskeyError `passkey_not_found` when one does not exist; the reason of `signal`.
 */
export async function revokePasskeys({ store, now, emit }: OperationDependencies, input: ChangeInput): Promise<readonly Passkey[]> {
  const { ids, reason, context = {}, ...options } = input;
  const at = now();
  const { passkeys, changed } = requireAll(await store.revokePasskeys(ids, { at, reason, change: context.change, ...options }));
  for (const passkey of passkeys) {
    if (changed.has(passkey.id)) emit({ type: 'passkey-revoked', at, context, passkey, reason });
  }
  return passkeys;
}

/**
 * Restores all the revoked passkeys or none, in one change of the store. Sessions and tokens that ended stay ended. Live passkeys do not
 * change; with `skipRemovedOwners`, neither do passkeys whose owner has been removed.
 *
 * @returns the passkeys in the order of the ids.
 * @throws PasskeyError `passkey_not_found` when one does not exist, `passkey_not_restorable`; the reason of `signal`.
 */
export async function restorePasskeys(
  { store, now, emit }: OperationDependencies,
  { ids, reason, context = {}, ...options }: ChangeInput & RestoreOptions,
): Promise<readonly Passkey[]> {
  const { passkeys, changed } = requireAll(await store.restorePasskeys(ids, options));
  const at = now();
  for (const passkey of passkeys) {
    if (!changed.has(passkey.id)) continue;
    emit({ type: 'passkey-restored', at, context, passkey, reason, revokedReason: changed.get(passkey.id) });
  }
  return passkeys;
}

function requireAll(change: PasskeysChange): Extract<PasskeysChange, { status: 'done' }> {
  if (change.status === 'done') return change;
  throw passkeyNotFound(`the id ${change.ids.join(', ')}`);
}

interface PurgeInput extends BulkOptions, Purge {
  /** Milliseconds since the epoch. Anything revoked or ended at or after this time is kept. */
  readonly endedBefore: number;
  readonly context: OperationContext | undefined;
}

/**
 * Deletes revoked passkeys, and tokens and sessions that have ended, for good: all of them or none, in one change of the store. Their ids
 * are never used again; the credential IDs may be registered anew. Tokens and sessions cause no event, since a store also forgets ended
 * ones by itself.
 *
 * @returns the deleted rows, the passkeys as they were.
 * @throws PasskeyError `passkey_not_found` when one is gone or was restored, or a token or session has not ended; the reason of `signal`.
 */
export async function purge({ store, now, emit }: OperationDependencies, input: PurgeInput): Promise<Purged> {
  const { passkeys: ids, accesses, context = {}, ...change } = input;
  const outcome = await store.purge({ passkeys: ids, accesses }, change);
  if (outcome.status === 'kept') {
    const kept = [...outcome.passkeys.map((id) => `passkey ${id}`), ...outcome.accesses.map((id) => `token or session ${id}`)];
    throw new PasskeyError(
      'passkey_not_found',
      `Expected tokens and sessions that ended before ${formatMinute(change.endedBefore)} UTC; ${kept.join(', ')} did not, or no longer exists. Nothing was changed; list them again.`,
    );
  }
  const at = now();
  for (const passkey of outcome.passkeys) emit({ type: 'passkey-purged', at, context, passkey });
  return { passkeys: outcome.passkeys, accesses: outcome.accesses };
}

/** Returns the passkey of a change of a single id; throws unless there is exactly one. */
export function only(passkeys: readonly Passkey[]): Passkey {
  const [passkey] = passkeys;
  if (passkey === undefined || passkeys.length > 1) throw new Error(`Expected one passkey from the store; got ${passkeys.length}.`);
  return passkey;
}
