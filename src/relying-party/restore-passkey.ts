import type { Passkey } from './credential-record.js';
import type { OperationContext } from './events.js';
import { type OperationDependencies, passkeyNotFound } from './operation.js';

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
