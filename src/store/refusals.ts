import { PasskeyError } from '../errors.js';
import type { NewAccess } from '../kernel/access.js';
import { nameOwner, type OwnerRef } from '../kernel/owner.js';
import { grouped, groupedCount } from '../kernel/wording.js';

/**
 * Creates the error of a store that refuses a passkey because it is already registered. Every kind of store uses the errors of this file,
 * so that their wording is the same.
 */

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

/**
 * Creates the error for passkeys that cannot be restored because their owner was removed.
 *
 * @param passkeys the passkeys whose owner was removed; at least one.
 * @param of number of passkeys that were to be restored.
 */
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

/** Chooses the id of a new owner: the requested id, or else the next id of the owner's type. */
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
