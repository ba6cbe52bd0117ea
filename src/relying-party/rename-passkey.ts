import type { Passkey } from './credential-record.js';
import type { OperationContext } from './events.js';
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
