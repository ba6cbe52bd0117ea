import type { Command } from 'commander';
import * as Type from 'typebox';
import type { Accounts } from '../../accounts/accounts.js';
import type { Owner } from '../../accounts/ports.js';
import { PasskeyError } from '../../errors.js';
import type { OwnerRef } from '../../kernel/owner.js';
import { id, strict } from '../../kernel/schema-kit.js';
import { groupedCount } from '../../kernel/wording.js';
import { BATCHES_HELP } from '../change-in-batches.js';
import { addChangeOptions, CHOICE_HELP, changeMany, changeSchema } from '../change-many.js';
import { addStoreSettings } from '../command.js';
import type { Flags } from '../config/resolve.js';
import { userName } from '../emails.js';
import { type Asked, addUserFilters, ownerFilter, readFilters } from '../filters.js';
import { addHelp } from '../help.js';
import { type Io, print } from '../io.js';
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
    remarks: [CHOICE_HELP, BATCHES_HELP],
    common: ['--type', '--unused-since', '--reason', '--dry-run', '--yes'],
    page: 'admin.md',
  });
}

export const userRemoval = Type.Object(
  {
    dry_run: Type.Boolean(),
    change: changeSchema,
    users: Type.Array(userRow, { description: 'The users before the removal.' }),
    revoked_passkeys: Type.Array(id, { description: 'Ids of the passkeys that the removal revokes.' }),
  },
  { ...strict, title: 'passkey user remove --json' },
);

interface Removed {
  /** The removed users, in their state before the removal. */
  readonly users: readonly ListedUser[];
  readonly revokedPasskeys: readonly number[];
}

/** Runs `passkey user remove [USER…]`. It removes users, revokes their passkeys, and ends their tokens and sessions. */
export function run(io: Io, flags: Flags, names: readonly string[]): Promise<number> {
  return changeMany<ListedUser, OwnerRef, Removed>(io, flags, {
    noun: 'user',
    verb: ['remove', 'Removing', 'Removed'],
    from: '',
    given: names,
    asksAlways: true,
    asked: ({ accounts }) => readOwnFilters(io, flags, accounts),
    async named({ accounts }) {
      const owners = await resolveUsers(accounts, names);
      return [...new Map(owners.map((owner) => [userName(owner), owner])).values()].map(toRef);
    },
    changing: async (_, refs) => refs,
    matching: async ({ accounts }, asked, page) => (await accounts.listOwners({ ...ownerFilter(asked, flags), ...page })).map(toRef),
    count: ({ accounts }, asked) => accounts.countOwners(ownerFilter(asked, flags)),
    toRef: ({ owner }) => toRef(owner),
    list: ({ accounts }, refs) => listUsers(accounts, refs),
    table: async (_, users) => tableRows(USERS, users),
    unchanged: () => undefined,
    unchangedMany: '',
    consequence(users) {
      const passkeys = users.reduce((sum, { livePasskeys }) => sum + livePasskeys, 0);
      return passkeys === 0 ? '; no passkey is revoked' : `; ${groupedCount(passkeys, 'passkey')} will be revoked`;
    },
    async make({ accounts }, refs, { reason, change, ...options }) {
      const users = await listUsers(accounts, refs);
      const context = { via: 'passkey user remove', change };
      const removed = await accounts.removeOwners(refs, { ...options, ...(reason !== undefined && { reason }) }, context);
      return { users, revokedPasskeys: removed.flatMap(({ revokedPasskeys }) => revokedPasskeys) };
    },
    async toLists(parties, outcome) {
      if ('result' in outcome) return { users: outcome.result.users.map(toUserRow), revoked_passkeys: outcome.result.revokedPasskeys };
      return { users: outcome.things.map(toUserRow), revoked_passkeys: await listPasskeyIds(parties, outcome.things) };
    },
    async print(_, outcome) {
      const users = 'result' in outcome ? outcome.result.users : outcome.things;
      if (users.length > 0) print(io, printableLines(users.map(({ owner }) => userName(owner)).join('\n')));
    },
  });
}

const toRef = ({ type, id }: OwnerRef): OwnerRef => ({ type, id });

async function listUsers(accounts: Accounts, refs: readonly OwnerRef[]): Promise<readonly ListedUser[]> {
  const found = new Map((await accounts.listOwners({ owners: refs })).map((owner) => [userName(owner), owner]));
  return withPasskeyCounts(
    accounts,
    refs.flatMap((ref) => found.get(userName(ref)) ?? []),
  );
}

/**
 * Finds the users that arguments name. @throws PasskeyError `owner_not_found` naming every user that does not exist; `usage` for an
 * argument that names several users.
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

/** Reads the filters of this command, including `--revoked`, which selects users with a revoked passkey. */
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
