import type { Accounts } from '../../accounts/accounts.js';
import type { Owner, OwnerRemoval } from '../../accounts/ports.js';
import { groupedCount } from '../../kernel/wording.js';
import { changeMany } from '../change-many.js';
import type { Flags } from '../config/resolve.js';
import { userName } from '../emails.js';
import { type Asked, askedFor, ownerFilter } from '../filters.js';
import { type Io, print, printJson } from '../io.js';
import { printableLines } from '../output/printable.js';
import { type ListedUser, toUserRow, USER_TABLE } from '../output/users.js';
import type { Parties } from '../parties.js';

/** `passkey user remove [USER…]`: users go, their passkeys are revoked, their tokens and sessions end. */
export function remove(io: Io, flags: Flags, names: readonly string[]): Promise<number> {
  return changeMany<ListedUser, readonly OwnerRemoval[]>(io, flags, {
    noun: 'user',
    verb: ['remove', 'Removing', 'Removed'],
    from: '',
    given: names,
    asksAlways: true,
    asked: ({ accounts }) => readFilters(io, flags, accounts),
    async named({ accounts }) {
      const owners = await Promise.all(names.map((name) => accounts.resolveUser(name)));
      return listed(accounts, [...new Map(owners.map((owner) => [userName(owner), owner])).values()]);
    },
    matching: async ({ accounts }, asked) => listed(accounts, await accounts.listOwners(ownerFilter(asked, flags))),
    table: async (_, users) => ({
      columns: USER_TABLE,
      rows: users,
      toCells: (user) => USER_TABLE.map(({ cell, value }) => (cell ?? ((item) => String(value(item))))(user)),
    }),
    unchanged: () => undefined,
    unchangedMany: '',
    consequence(users) {
      const passkeys = users.reduce((sum, { livePasskeys }) => sum + livePasskeys, 0);
      return passkeys === 0 ? '; no passkey is revoked' : `; ${groupedCount(passkeys, 'passkey')} will be revoked`;
    },
    make: ({ accounts }, users, { reason, change, ...options }) =>
      accounts.removeOwners(
        users.map(({ owner }) => owner),
        { ...options, ...(reason !== undefined && { reason }) },
        { via: 'passkey user remove', change },
      ),
    async report(parties, users, made) {
      if (flags.json === true) {
        printJson(io, {
          dry_run: flags.dryRun === true,
          change: made?.change ?? null,
          users: users.map(({ owner, livePasskeys }) => toUserRow(owner, livePasskeys)),
          revoked_passkeys: made?.result.flatMap(({ revokedPasskeys }) => revokedPasskeys) ?? (await listPasskeyIds(parties, users)),
        });
      } else if (users.length > 0) {
        print(io, printableLines(users.map(({ owner }) => userName(owner)).join('\n')));
      }
    },
  });
}

/** `--revoked` is a filter too: users with a revoked passkey. */
async function readFilters(io: Io, flags: Flags, accounts: Accounts): Promise<readonly Asked[]> {
  const asked = await askedFor(io, flags, accounts);
  return flags.revoked === true ? [...asked, { flag: '--revoked', filter: {} }] : asked;
}

async function listed(accounts: Accounts, owners: readonly Owner[]): Promise<ListedUser[]> {
  const counts = await accounts.countPasskeysOf(owners);
  return owners.map((owner, index) => ({ owner, livePasskeys: counts[index] ?? 0 }));
}

/** Ids of the live passkeys of all of them. */
async function listPasskeyIds({ relyingParty }: Parties, users: readonly ListedUser[]): Promise<number[]> {
  const ids: number[] = [];
  for (const { owner } of users) ids.push(...(await relyingParty.list({ owner })).map(({ id }) => id));
  return ids;
}
