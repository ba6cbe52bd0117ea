import type { User } from './state.js';

/** Who signs in on a server that has no user yet. */
export const FIRST_USER = 'test@example.com';

/** The users with every word in name, e-mail or owner; newest first. */
export function searchUsers(users: readonly User[], wanted: string): User[] {
  const words = wanted
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== '');
  return users
    .filter(({ name, email, owner }) => words.every((word) => `${name}\n${email}\n${owner}`.toLowerCase().includes(word)))
    .toReversed();
}

/** Who signs in where one click is to do it: the newest user, or the first. */
export function defaultUser(users: readonly User[]): { readonly email: string } | { readonly owner: string } {
  const last = users.at(-1);
  return last === undefined ? { email: FIRST_USER } : { owner: last.owner };
}
