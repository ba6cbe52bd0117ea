import type { Accounts } from '../accounts/accounts.js';
import type { OwnerRef } from '../kernel/owner.js';

/** E-mail addresses of users by TYPE:ID; removed users have none. */
export type Emails = ReadonlyMap<string, string>;

/** More than these are cheaper to read all at once. */
const FEW = 50;

/**
 * Finds the e-mails of users, portion by portion; each answer includes earlier portions. When a portion needs more than a few, reads all
 * users once.
 */
export function createEmailFinder({
  findOwner,
  listOwners,
}: Pick<Accounts, 'findOwner' | 'listOwners'>): (owners: Iterable<OwnerRef>) => Promise<Emails> {
  const emails = new Map<string, string>();
  let hasAll = false;
  return async (owners) => {
    if (hasAll) return emails;
    const unknown = Array.from(owners).filter((owner) => !emails.has(userName(owner)));
    const wanted = new Map(unknown.map((owner) => [userName(owner), owner]));
    hasAll = wanted.size > FEW;
    const found = hasAll ? await listOwners() : await Promise.all(Array.from(wanted.values(), (owner) => findOwner(owner)));
    for (const owner of found) if (owner !== undefined) emails.set(userName(owner), owner.email);
    return emails;
  };
}

export const findEmails = (accounts: Pick<Accounts, 'findOwner' | 'listOwners'>, owners: Iterable<OwnerRef>): Promise<Emails> =>
  createEmailFinder(accounts)(owners);

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
