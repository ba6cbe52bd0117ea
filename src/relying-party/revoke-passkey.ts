import type { Passkey } from './credential-record.js';
import type { OperationContext } from './events.js';
import { type OperationDependencies, passkeyNotFound } from './operation.js';

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
