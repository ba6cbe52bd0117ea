import { type Passkey } from './credential-record.js';
import { type OperationContext } from './events.js';
import { type OperationDependencies, passkeyNotFound } from './operation.js';

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

/**
 * The passkey matches nothing from the next request on; sessions and tokens it opened end. Revoking twice changes nothing.
 *
 * @throws PasskeyError `passkey_not_found` when there is no such passkey.
 */
export async function revokePasskey(
  { store, now, emit }: OperationDependencies,
  {
    id,
    reason,
    context = {},
  }: { readonly id: number; readonly reason: string | undefined; readonly context: OperationContext | undefined },
): Promise<Passkey> {
  const before = await store.findPasskey(id);
  const at = now();
  const passkey = before && (await store.revokePasskey(id, { at, reason }));
  if (passkey === undefined) {
    throw passkeyNotFound(`the id ${id}`);
  }
  if (before?.revokedAt === undefined) {
    emit({ type: 'passkey-revoked', at, context, passkey });
  }
  return passkey;
}

/**
 * Makes a revoked passkey good again; sessions and tokens that ended stay ended. A live passkey stays as it is.
 *
 * @throws PasskeyError `passkey_not_found` when there is no such passkey.
 */
export async function restorePasskey(
  { store, now, emit }: OperationDependencies,
  { id, context = {} }: { readonly id: number; readonly context: OperationContext | undefined },
): Promise<Passkey> {
  const before = await store.findPasskey(id);
  if (before !== undefined && before.revokedAt === undefined) {
    return before;
  }
  const passkey = before && (await store.restorePasskey(id));
  if (passkey === undefined) {
    throw passkeyNotFound(`the id ${id}`);
  }
  emit({ type: 'passkey-restored', at: now(), context, passkey });
  return passkey;
}
