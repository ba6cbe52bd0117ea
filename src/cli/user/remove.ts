import type { Command } from 'commander';
import * as Type from 'typebox';
import type { Accounts } from '../../accounts/accounts.js';
import type { Owner, OwnerRemoval } from '../../accounts/ports.js';
import { PasskeyError } from '../../errors.js';
import { id, strict } from '../../kernel/schema-kit.js';
import { groupedCount } from '../../kernel/wording.js';
import { addChangeOptions, CHOICE_HELP, changeMany, changeSchema } from '../change-many.js';
import { addStoreSettings } from '../command.js';
import type { Flags } from '../config/resolve.js';
import { userName } from '../emails.js';
import { type Asked, addUserFilters, ownerFilter, readFilters } from '../filters.js';
import { addHelp } from '../help.js';
import { type Io, print, printJson } from '../io.js';
import { tableRows } from '../listing.js';
import { printableLines } from '../output/printable.js';
import type { Parties } from '../parties.js';
import { type ListedUser, toUserRow, USERS, userRow, withPasskeyCounts } from './rows.js';

export function define(command: Command): void {
  addHelp(addStoreSettings(addChangeOptions(addUserFilters(command), { done: 'removed', kept: 'kept with the passkeys' })), {
    examples: [
      'passkey user remove',
      'passkey user remove ada@example.com',
      'passkey user remove User:1 User:2 --yes',
      'passkey user remove --type Guest --created-before 90d --dry-run',
    ],
    remarks: [CHOICE_HELP],
    common: ['--type', '--unused-since', '--reason', '--dry-run', '--yes'],
    page: 'admin.md',
  });
}

export const userRemoval = Type.Object(
  {
    dry_run: Type.Boolean(),
    change: changeSchema,
    users: Type.Array(userRow, { description: 'As they were.' }),
    revoked_passkeys: Type.Array(id, { description: 'Passkeys that the removal revokes.' }),
  },
  { ...strict, title: 'passkey user remove --json' },
);

/** Runs `passkey user remove [USER…]`: removes users, revokes their passkeys, and ends their tokens and sessions. */
export function run(io: Io, flags: Flags, names: readonly string[]): Promise<number> {
  return changeMany<ListedUser, readonly OwnerRemoval[]>(io, flags, {
    noun: 'user',
    verb: ['remove', 'Removing', 'Removed'],
    from: '',
    given: names,
    asksAlways: true,
    asked: ({ accounts }) => readOwnFilters(io, flags, accounts),
    async named({ accounts }) {
      const owners = await resolveUsers(accounts, names);
      return withPasskeyCounts(accounts, [...new Map(owners.map((owner) => [userName(owner), owner])).values()]);
    },
    matching: async ({ accounts }, asked) => withPasskeyCounts(accounts, await accounts.listOwners(ownerFilter(asked, flags))),
    table: async (_, users) => tableRows(USERS, users),
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
          users: users.map(toUserRow),
          revoked_passkeys: made?.result.flatMap(({ revokedPasskeys }) => revokedPasskeys) ?? (await listPasskeyIds(parties, users)),
        });
      } else if (users.length > 0) {
        print(io, printableLines(users.map(({ owner }) => userName(owner)).join('\n')));
      }
    },
  });
}

/**
 * Finds the users that arguments name. @throws PasskeyError `owner_not_found` naming every missing user · `usage` for a text that names
 * several.
 */
async function resolveUsers(accounts: Accounts, names: readonly string[]): Promise<readonly Owner[]> {
  const settled = await Promise.allSettled(names.map((name) => accounts.resolveUser(name)));
  const missing = names.filter((_, index) => isMissing(settled[index]));
  if (new Set(missing).size < 2) return Promise.all(names.map((name) => accounts.resolveUser(name)));
  const listed = [...new Set(missing)].map((name) => `"${name}"`).join(', ');
  throw new PasskeyError('owner_not_found', `No user matches ${listed}; nothing was changed. \`passkey user list\` shows them.`);
}

function isMissing(outcome: PromiseSettledResult<Owner> | undefined): boolean {
  return outcome?.status === 'rejected' && outcome.reason instanceof PasskeyError && outcome.reason.code === 'owner_not_found';
}

/** Reads the filters, including `--revoked`, which selects users with a revoked passkey. */
async function readOwnFilters(io: Io, flags: Flags, accounts: Accounts): Promise<readonly Asked[]> {
  const asked = await readFilters(io, flags, accounts);
  return flags.revoked === true ? [...asked, { flag: '--revoked', filter: {} }] : asked;
}

/** Lists the ids of all live passkeys of these users. */
async function listPasskeyIds({ relyingParty }: Parties, users: readonly ListedUser[]): Promise<number[]> {
  const ids: number[] = [];
  for (const { owner } of users) ids.push(...(await relyingParty.list({ owner })).map(({ id }) => id));
  return ids;
}
