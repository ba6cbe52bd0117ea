import type { Owner } from '../accounts/ports.js';
import type { OwnerRef } from '../webauthn/user-handle.js';
import { endAccesses, findOwner } from './account-operations.js';
import { listPasskeys, revokePasskey } from './passkey-operations.js';
import { emailKey, ownerKey, putRemovedOwner, type State } from './state.js';

/** One change: the owner goes for good, its passkeys are revoked, its tokens and sessions end. Its open ceremonies fall with the tombstone. */
export function removeOwner(
  state: State,
  ref: OwnerRef,
  change: { readonly at: number; readonly reason: string },
): { owner: Owner; revokedPasskeys: number[] } | undefined {
  const owner = findOwner(state, ref);
  if (!owner) return undefined;
  const live = listPasskeys(state, { owner: ref });
  for (const { id } of live) revokePasskey(state, id, change);
  endAccesses(
    state,
    [...state.accesses.values()].filter((access) => ownerKey(access.owner) === ownerKey(ref)),
    change.at,
  );
  state.owners.delete(ownerKey(ref));
  state.ownerKeyByEmail.delete(emailKey(ref.type, owner.email));
  putRemovedOwner(state, ref);
  return { owner, revokedPasskeys: live.map(({ id }) => id) };
}
