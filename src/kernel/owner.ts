import type { FieldError } from '../errors.js';
import { MAX_TEXT_LENGTH } from './limits.js';
import { isStorableText, STORABLE_TEXT } from './storable.js';

/** The user account that a passkey belongs to: `id` is a positive integer, unique within its `type`. */
export interface OwnerRef {
  readonly type: string;
  readonly id: number;
}

/** Formats an owner as `TYPE:ID`. */
export function nameOwner(owner: OwnerRef): string;
export function nameOwner(owner: OwnerRef | undefined): string | null;
export function nameOwner(owner: OwnerRef | undefined): string | null {
  return owner === undefined ? null : `${owner.type}:${owner.id}`;
}

/**
 * Highest id that a caller may choose or an export may contain. New ids count up from the highest id in use, so at least a million more
 * users can be added.
 */
export const MAX_CHOSEN_ID = Number.MAX_SAFE_INTEGER - 1_000_000;

/** Maximum bytes of an owner type in UTF-8. With a colon and the longest id, it still fits into a user handle (WebAuthn L3 §4). */
export const MAX_OWNER_TYPE_BYTES = 40;

/** Members of a new user. `id` is undefined if the caller did not choose one. */
interface OwnerFields {
  readonly email: string;
  readonly name: string;
  readonly type: string;
  readonly id: number | undefined;
}

/** Finds mistakes in the members of a user. Each mistake has a JSON Pointer to the wrong member, and a sentence about it. */
export function wrongOwnerFields({ email, name, type, id }: OwnerFields): FieldError[] {
  const errors: FieldError[] = [];
  if (email.length > MAX_TEXT_LENGTH || !/^[^\s@\p{Cc}\p{Cs}]+@[^\s@\p{Cc}\p{Cs}]+$/u.test(email)) {
    errors.push({ pointer: '/email', detail: `The e-mail must have the form name@host and at most ${MAX_TEXT_LENGTH} characters.` });
  }
  if (name.trim() === '' || name.length > MAX_TEXT_LENGTH) {
    errors.push({ pointer: '/name', detail: `The name must have 1 to ${MAX_TEXT_LENGTH} characters.` });
  } else if (!isStorableText(name)) {
    errors.push({ pointer: '/name', detail: `The name ${STORABLE_TEXT}.` });
  }
  return [...errors, ...wrongOwnerRef({ type, id })];
}

/** Finds mistakes in a reference to a user. Each mistake has a JSON Pointer to the wrong member, and a sentence about it. */
export function wrongOwnerRef({ type, id }: Pick<OwnerFields, 'type' | 'id'>): FieldError[] {
  const errors: FieldError[] = [];
  const typeBytes = new TextEncoder().encode(type).length;
  if (typeBytes === 0 || typeBytes > MAX_OWNER_TYPE_BYTES) {
    errors.push({ pointer: '/type', detail: `The owner type must have 1 to ${MAX_OWNER_TYPE_BYTES} bytes; it has ${typeBytes}.` });
  } else if (/[\p{Cc}\p{Cs}]/u.test(type)) {
    errors.push({ pointer: '/type', detail: 'The owner type must have neither control characters nor a half of a surrogate pair.' });
  }
  if (id !== undefined && !(Number.isInteger(id) && id > 0 && id <= MAX_CHOSEN_ID)) {
    errors.push({ pointer: '/id', detail: `The id must be an integer from 1 to ${MAX_CHOSEN_ID}.` });
  }
  return errors;
}
