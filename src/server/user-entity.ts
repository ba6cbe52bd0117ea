import type { Accounts } from '../accounts/accounts.js';
import type { Owner } from '../accounts/ports.js';
import type { BeginRegistrationInput } from '../relying-party/begin-registration.js';

/**
 * Whom a registration is for (WebAuthn L3 §5.4.3): an owner by e-mail address and name, with the user handle that stays the same.
 *
 * @throws PasskeyError `owner_not_found`
 */
export async function userEntityOf(owner: Owner, accounts: Accounts): Promise<BeginRegistrationInput['user']> {
  return {
    owner: { type: owner.type, id: owner.id },
    id: await accounts.userHandleOf(owner),
    name: owner.email,
    displayName: owner.name,
  };
}
