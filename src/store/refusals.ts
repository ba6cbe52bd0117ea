import { PasskeyError } from '../errors.js';
import type { NewAccess } from '../kernel/access.js';
import { nameOwner, type OwnerRef } from '../kernel/owner.js';
import { grouped, groupedCount } from '../kernel/wording.js';

/** Errors of a store that refuses a change, in the same words for every adapter. */

export const alreadyRegistered = () =>
  new PasskeyError(
    'credential_already_registered',
    'This credential ID is registered already; a revoked passkey keeps its ID. Create a new credential.',
  );

export const ownerRemoved = (owner: OwnerRef) => new PasskeyError('owner_not_found', `The user ${nameOwner(owner)} has been removed.`);

export const ownerGone = () => new PasskeyError('passkey_not_found', 'The user of this passkey was removed in the meantime.');

export const tooManyPasskeys = (owner: OwnerRef, maxLive: number) =>
  new PasskeyError(
    'too_many_passkeys',
    `The user ${nameOwner(owner)} has ${maxLive} live passkeys, the most allowed (--max-passkeys). Revoke one, then register again.`,
  );

const NAMED = 10;

/** @param passkeys those whose owner has been removed; at least one. @param of how many were to be restored. */
export function notRestorable(passkeys: readonly { readonly id: number; readonly owner: OwnerRef }[], of: number): PasskeyError {
  const [first] = passkeys;
  const names = passkeys.slice(0, NAMED).map(({ id, owner }) => `${id} of ${nameOwner(owner)}`);
  const more = passkeys.length > NAMED ? ` and ${grouped(passkeys.length - NAMED)} more` : '';
  const why =
    first !== undefined && passkeys.length === 1
      ? `Passkey ${first.id} stays revoked: its user ${nameOwner(first.owner)} has been removed.`
      : `${groupedCount(passkeys.length, 'passkey')} stay revoked, because their users have been removed: ${names.join(', ')}${more}.`;
  const others = passkeys.length < of ? ' Run the same command with --skip-removed to restore the others.' : '';
  return new PasskeyError('passkey_not_restorable', `${why} Nothing was changed.${others}`);
}

/** The id of a new owner: the given one, otherwise the next of its type. */
export function newOwnerId(type: string, { asked, highest }: { readonly asked: number | undefined; readonly highest: number }): number {
  const id = asked ?? highest + 1;
  if (Number.isSafeInteger(id) && id >= 1) return id;
  throw new PasskeyError(
    'validation_failed',
    asked === undefined
      ? `The type ${type} has no id left after ${id - 1}. Choose a free id.`
      : `Expected an owner id from 1 to ${Number.MAX_SAFE_INTEGER}; got ${id}. Choose another id.`,
  );
}

export function ownerIdTaken(owner: OwnerRef, { removed }: { readonly removed: boolean }): PasskeyError {
  const what = removed ? 'belonged to a removed user and is never used again' : 'is taken';
  return new PasskeyError('owner_already_exists', `${nameOwner(owner)} ${what}. Choose another id, or leave it out.`);
}

export const emailTaken = (email: string, holder: OwnerRef) =>
  new PasskeyError('owner_already_exists', `${email} already belongs to ${nameOwner(holder)}. Choose another e-mail.`);

export const opensNothing = (passkeyId: number, kind: NewAccess['kind']) =>
  new PasskeyError('passkey_not_found', `Passkey ${passkeyId} has been revoked and opens no ${kind}. Use another.`);

export const sameSecret = (kind: NewAccess['kind']) =>
  new PasskeyError(
    'internal_error',
    `A ${kind} with the same secret is stored already. Check the source of random bytes: it repeats itself.`,
  );
