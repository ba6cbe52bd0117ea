import type { Accounts } from '../accounts/accounts.js';
import type { OwnerRef } from '../kernel/owner.js';

/** E-mail addresses of users by TYPE:ID; of those who were removed there is none. */
export type Emails = ReadonlyMap<string, string>;

/** More than these are cheaper to read all at once. */
const FEW = 50;

export async function findEmails(
  { findOwner, listOwners }: Pick<Accounts, 'findOwner' | 'listOwners'>,
  owners: Iterable<OwnerRef>,
): Promise<Emails> {
  const wanted = new Map(Array.from(owners, (owner) => [userName(owner), owner]));
  const found = wanted.size <= FEW ? await Promise.all(Array.from(wanted.values(), (owner) => findOwner(owner))) : await listOwners();
  return new Map(found.flatMap((owner) => (owner === undefined ? [] : [[userName(owner), owner.email]])));
}

/** Finds the e-mails of the owners of passkeys or tokens. */
export const findOwnerEmails = (
  accounts: Pick<Accounts, 'findOwner' | 'listOwners'>,
  things: readonly { readonly owner: OwnerRef }[],
): Promise<Emails> =>
  findEmails(
    accounts,
    things.map(({ owner }) => owner),
  );

/** `User:6` */
export const userName = ({ type, id }: OwnerRef): string => `${type}:${id}`;

/** `User:6 ada@example.com` */
export function withEmail(owner: OwnerRef, emails: Emails): string {
  const name = userName(owner);
  const email = emails.get(name);
  return email === undefined ? name : `${name} ${email}`;
}
