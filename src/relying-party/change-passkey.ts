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
 * @throws PasskeyError `passkey_not_found` if the passkey does not exist or is revoked.
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
  /** Reason for the change. It is stored with a revoked passkey and passed to listeners. */
  readonly reason: string | undefined;
  readonly context: OperationContext | undefined;
}

/**
 * Revokes all given passkeys or, if one does not exist, none, in one change of the store. Revoked passkeys are refused from the next
 * request on, and the sessions and tokens that they opened end. Revoking a passkey again changes nothing.
 *
 * @returns the passkeys in the order of the given ids.
 * @throws PasskeyError `passkey_not_found` if one does not exist; the abort reason of `signal` if it is aborted.
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
 * Restores all given passkeys or none, in one change of the store. Sessions and tokens that have ended stay ended. Passkeys that are not
 * revoked do not change; with `skipRemovedOwners`, neither do passkeys whose owner has been removed.
 *
 * @returns the passkeys in the order of the given ids.
 * @throws PasskeyError `passkey_not_found` if one does not exist; `passkey_not_restorable`; the abort reason of `signal` if it is aborted.
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
  /** Time in milliseconds since the epoch. Only rows that were revoked or ended before this time are deleted. */
  readonly endedBefore: number;
  readonly context: OperationContext | undefined;
}

/**
 * Deletes revoked passkeys, and tokens and sessions that have ended, permanently: all of them or none, in one change of the store. Their
 * ids are never used again, but the credential IDs can be registered anew. Deleting tokens and sessions causes no event, since a store also
 * deletes ended ones by itself.
 *
 * @returns the deleted rows; passkeys as they were before.
 * @throws PasskeyError `passkey_not_found` if a passkey no longer exists or was restored, or if a token or session has not ended; the abort
 * reason of `signal` if it is aborted.
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

/** Unwraps the single passkey in the result of a change to one id. Throws if there is not exactly one. */
export function only(passkeys: readonly Passkey[]): Passkey {
  const [passkey] = passkeys;
  if (passkey === undefined || passkeys.length > 1) throw new Error(`Expected one passkey from the store; got ${passkeys.length}.`);
  return passkey;
}
