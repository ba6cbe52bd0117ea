import type { OperationContext } from '../webauthn/events.js';
import { type Passkey } from './credential-record.js';
import { type OperationDependencies, passkeyNotFound } from './operation.js';
import type { PasskeysChange } from './ports.js';

/** @throws PasskeyError `passkey_not_found` when there is no such passkey or it is revoked. */
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

export interface ChangeInput {
  readonly ids: readonly number[];
  /** Of a revocation it is kept with the passkey; every listener is told. */
  readonly reason: string | undefined;
  /** Aborted before the change is made, it prevents all of it. */
  readonly signal?: AbortSignal | undefined;
  readonly context: OperationContext | undefined;
}

/**
 * All of them or none, in one change of the store. The passkeys match nothing from the next request on; sessions and tokens they
 * opened end. Revoking twice changes nothing.
 *
 * @returns the passkeys in the order of the ids.
 * @throws PasskeyError `passkey_not_found` when one does not exist; the reason of `signal`.
 */
export async function revokePasskeys({ store, now, emit }: OperationDependencies, input: ChangeInput): Promise<readonly Passkey[]> {
  const { ids, reason, signal, context = {} } = input;
  const at = now();
  const { passkeys, changed } = requireAll(await store.revokePasskeys(ids, { at, reason, signal }));
  for (const passkey of passkeys) {
    if (changed.has(passkey.id)) emit({ type: 'passkey-revoked', at, context, passkey, reason });
  }
  return passkeys;
}

/**
 * Makes revoked passkeys good again, all of them or none, in one change of the store; sessions and tokens that ended stay ended. Live
 * passkeys stay as they are.
 *
 * @returns the passkeys in the order of the ids.
 * @throws PasskeyError `passkey_not_found` when one does not exist, `passkey_not_restorable`; the reason of `signal`.
 */
export async function restorePasskeys(
  { store, now, emit }: OperationDependencies,
  { ids, reason, signal, context = {} }: ChangeInput,
): Promise<readonly Passkey[]> {
  const { passkeys, changed } = requireAll(await store.restorePasskeys(ids, { signal }));
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

/** The one of one id. */
export function only(passkeys: readonly Passkey[]): Passkey {
  const [passkey] = passkeys;
  if (passkey === undefined || passkeys.length > 1) throw new Error(`Expected one passkey of the store; got ${passkeys.length}.`);
  return passkey;
}
