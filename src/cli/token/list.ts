import type { Command } from 'commander';
import * as Type from 'typebox';
import type { AccessFilter, AccessQuery } from '../../accounts/ports.js';
import { groupedCount } from '../../kernel/wording.js';
import { addStoreSettings } from '../command.js';
import { type Flags, resolveStoreSettings } from '../config/resolve.js';
import { findEmails } from '../emails.js';
import { type Asked, accessFilter, addTokenFilters, FILTERS_HELP, readFilters, readLife } from '../filters.js';
import { addFlags } from '../flags.js';
import { addHelp } from '../help.js';
import type { Io } from '../io.js';
import { addListOptions, pageWanted, printList, readAfter, readWanted, showsUsers, unmatched } from '../listing.js';
import { type Parties, withParties } from '../parties.js';
import { type ListedToken, TOKENS, tokenRow } from './rows.js';

export function define(command: Command): void {
  addFlags(addTokenFilters(command), {
    revoked: { about: 'only revoked ones', conflicts: 'all' },
    all: 'include revoked and expired ones',
  });
  addHelp(addStoreSettings(addListOptions(command, TOKENS)), {
    examples: ['passkey token list', 'passkey token list --user ada@example.com --all --json', 'passkey token list --sort expires_at'],
    remarks: [FILTERS_HELP],
    common: ['--user', '--all', '--sort', '--limit', '--json'],
    page: 'admin.md',
  });
}

export const tokenList = Type.Array(tokenRow, { title: 'passkey token list --json' });

/** Runs `passkey token list`, which lists live tokens. With `--all`, it also lists tokens that have ended. */
export async function run(io: Io, flags: Flags): Promise<void> {
  const settings = await resolveStoreSettings(io, flags);
  const wanted = readWanted(io, flags, TOKENS);
  await withParties(io, { settings, create: false }, async (parties) => {
    const asked = await readFilters(io, flags, parties.accounts);
    const filter = { ...accessFilter(asked), ...lifetime(flags, parties.now()) };
    const { accounts } = parties;
    const isThere = async (id: number) => (await accounts.countTokens({ ids: [id] })) > 0;
    const after = await readAfter(io, wanted, { noun: 'token', isThere });
    await printList(io, flags, {
      command: 'passkey token list',
      listing: TOKENS,
      wanted,
      portions: rows(parties, { ...filter, ...pageWanted(wanted), after }, showsUsers(flags, wanted)),
      count: () => accounts.countTokens(filter),
      whyNone: () => whyNone(parties, flags, asked),
    });
  });
}

async function* rows({ accounts, now }: Parties, query: AccessQuery, withEmails: boolean): AsyncGenerator<readonly ListedToken[]> {
  const tokens = await accounts.listTokens(query);
  const emails = await findEmails(accounts, withEmails ? tokens.map(({ owner }) => owner) : []);
  yield tokens.map((token) => ({ token, emails, now: now() }));
}

function lifetime(flags: Flags, now: number): AccessFilter {
  const life = readLife(flags);
  return life === false ? { liveAt: now } : { revoked: life };
}

async function whyNone({ accounts, now }: Parties, flags: Flags, asked: readonly Asked[]): Promise<string> {
  const life = lifetime(flags, now());
  const state = flags.revoked === true ? 'revoked ' : flags.all === true ? '' : 'live ';
  const isAny = async (filter: AccessFilter) => (await accounts.listTokens({ ...filter, limit: 1 })).length > 0;
  if (asked.length === 0) return `No ${state}tokens here.`;
  const blamed = await unmatched(asked, (one) => isAny({ ...accessFilter([one]), ...life }));
  // Those that the filters match in any state.
  const others = state === '' ? 0 : await accounts.countTokens(accessFilter(asked));
  const what = state === 'live ' ? 'ended token' : 'other token';
  const hint = others === 0 ? '' : ` ${groupedCount(others, what)} ${others === 1 ? 'does' : 'do'}: add --all.`;
  return `No ${state}token matches ${blamed}.${hint}`;
}
