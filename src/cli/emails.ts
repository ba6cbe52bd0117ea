import type { Accounts } from '../accounts/accounts.js';
import type { OwnerRef } from '../kernel/owner.js';

/** E-mail addresses of users. The key is `TYPE:ID`. A removed user has no entry. */
export type Emails = ReadonlyMap<string, string>;

/** Makes a function that finds the e-mail addresses of a batch of users. Each result also contains the addresses of all earlier batches. */
export function createEmailFinder({ listOwners }: Pick<Accounts, 'listOwners'>): (owners: Iterable<OwnerRef>) => Promise<Emails> {
  const emails = new Map<string, string>();
  return async (owners) => {
    const unknown = Array.from(owners).filter((owner) => !emails.has(userName(owner)));
    const wanted = [...new Map(unknown.map((owner) => [userName(owner), owner])).values()];
    for (let start = 0; start < wanted.length; start += PORTION) {
      for (const owner of await listOwners({ owners: wanted.slice(start, start + PORTION) })) emails.set(userName(owner), owner.email);
    }
    return emails;
  };
}

/** Number of users that are read from the store at once. */
const PORTION = 1000;

export const findEmails = (accounts: Pick<Accounts, 'listOwners'>, owners: Iterable<OwnerRef>): Promise<Emails> =>
  createEmailFinder(accounts)(owners);

/** Finds the e-mail addresses of the owners of passkeys or tokens. */
export const findOwnerEmails = (accounts: Pick<Accounts, 'listOwners'>, things: readonly { readonly owner: OwnerRef }[]): Promise<Emails> =>
  findEmails(
    accounts,
    things.map(({ owner }) => owner),
  );

/** Formats a user as `TYPE:ID`, such as `User:6`. */
export const userName = ({ type, id }: OwnerRef): string => `${type}:${id}`;

/** Formats a user together with the e-mail address, if it is known: `User:6 ada@example.com`. */
export function withEmail(owner: OwnerRef, emails: Emails): string {
  const name = userName(owner);
  const email = emails.get(name);
  return email === undefined ? name : `${name} ${email}`;
}
