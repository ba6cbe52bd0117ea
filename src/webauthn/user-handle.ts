import { PasskeyError } from '../errors.js';
import { MAX_OWNER_TYPE_BYTES, type OwnerRef } from '../kernel/owner.js';

/** Kinds of user handle: `id` contains the account's id (and its type, unless that is the default type); `random` is random bytes. */
export const USER_HANDLE_KINDS = ['id', 'random'] as const;
export type UserHandleKind = (typeof USER_HANDLE_KINDS)[number];

/**
 * Encodes the user handle of an account (WebAuthn L3 §4, at most 64 bytes): the decimal id if the account has the default type, or else
 * `<type>:<id>`.
 *
 * @throws PasskeyError `validation_failed` when the type name is empty or longer than 40 UTF-8 bytes.
 */
export function encodeUserHandle(owner: OwnerRef, defaultType: string): Uint8Array {
  const bytes = new TextEncoder().encode(owner.type).length;
  if (bytes === 0 || bytes > MAX_OWNER_TYPE_BYTES) {
    throw new PasskeyError('validation_failed', `An owner type has 1 to ${MAX_OWNER_TYPE_BYTES} bytes; "${owner.type}" has ${bytes}.`);
  }
  return new TextEncoder().encode(owner.type === defaultType ? String(owner.id) : `${owner.type}:${owner.id}`);
}
