import { createHash } from 'node:crypto';
import type { Accounts } from '../accounts/accounts.js';
import type { Owner } from '../accounts/ports.js';
import { findOrAdd } from './find-or-add.js';

/** Owner type of users that the FIDO server API makes: its callers prove nothing, so they never touch anybody else's account. */
export const FIDO_OWNER_TYPE = 'FIDO';

export interface FidoUsers {
  find(username: string): Promise<Owner | undefined>;
  findOrAdd(username: string): Promise<Owner>;
}

/** The users of the FIDO server API, by their `username`. */
export function fidoUsers(accounts: Accounts): FidoUsers {
  const find = async (username: string) => {
    const [owner] = await accounts.listOwners({ type: FIDO_OWNER_TYPE, email: emailOf(username) });
    return owner;
  };
  return {
    find,
    findOrAdd: (username) =>
      findOrAdd(
        () => find(username),
        // For development, as those of development sign-in: `FIDO:1` of one project is not to replace that of another.
        () => accounts.addOwner({ type: FIDO_OWNER_TYPE, email: emailOf(username), name: username, userHandle: 'random' }),
      ),
  };
}

/** User names are free text and tell upper from lower case; e-mails do neither. `.invalid` is never anybody's (RFC 2606). */
function emailOf(username: string): string {
  const plain = /^[a-z0-9._-]{1,32}$/.test(username);
  return `${plain ? username : createHash('sha256').update(username, 'utf8').digest('hex')}@fido.invalid`;
}
