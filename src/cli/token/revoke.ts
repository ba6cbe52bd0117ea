import type { Command } from 'commander';
import * as Type from 'typebox';
import type { Accounts } from '../../accounts/accounts.js';
import { PasskeyError } from '../../errors.js';
import type { Access } from '../../kernel/access.js';
import { strict } from '../../kernel/schema-kit.js';
import { formatMinute, groupedCount } from '../../kernel/wording.js';
import { BATCHES_HELP, inBatches, readBatches } from '../change-in-batches.js';
import { addChangeOptions, CHOICE_HELP, changeMany, changeSchema } from '../change-many.js';
import { addStoreSettings } from '../command.js';
import type { Flags } from '../config/resolve.js';
import { findOwnerEmails } from '../emails.js';
import { accessFilter, addTokenFilters, readFilters } from '../filters.js';
import { addHelp } from '../help.js';
import { type Io, print, say } from '../io.js';
import { tableRows } from '../listing.js';
import { NOTHING_CHANGED } from '../passkey/arguments.js';
import { TOKENS, tokenRow, toTokenRow } from './rows.js';

export function define(command: Command): void {
  addHelp(addStoreSettings(addChangeOptions(addTokenFilters(command), { done: 'revoked', kept: 'kept in the audit log' })), {
    examples: ['passkey token revoke', 'passkey token revoke 2', 'passkey token revoke --user ada@example.com --yes --reason "left"'],
    remarks: [CHOICE_HELP, BATCHES_HELP],
    common: ['--user', '--reason', '--dry-run', '--yes', '--json'],
    page: 'admin.md',
  });
}

export const tokenRevocation = Type.Object(
  { dry_run: Type.Boolean(), change: changeSchema, tokens: Type.Array(tokenRow) },
  { ...strict, title: 'passkey token revoke --json' },
);

/** Runs `passkey token revoke [ID…]`. */
export function run(io: Io, flags: Flags, idTexts: readonly string[]): Promise<number> {
  const ranges = idTexts.map(readArgument);
  const toTokens = (outcome: { readonly result: readonly Access[] } | { readonly things: readonly Access[] }) =>
    'result' in outcome ? outcome.result : outcome.things;
  return changeMany<Access, number, readonly Access[]>(io, flags, {
    noun: 'token',
    verb: ['revoke', 'Revoking', 'Revoked'],
    from: 'live',
    given: idTexts,
    asksAlways: false,
    asked: ({ accounts }) => readFilters(io, flags, accounts),
    named: ({ accounts }) => findTokenIds(accounts, ranges, (sentence) => say(io, sentence)),
    changing: async ({ accounts }, ids) => (await accounts.listTokens({ ids, revoked: false })).map(toId),
    matching: async ({ accounts }, asked, { after = 0, ...page }) =>
      (await accounts.listTokens({ ...accessFilter(asked), liveAt: io.now(), firstId: after + 1, ...page })).map(toId),
    count: ({ accounts }, asked) => accounts.countTokens({ ...accessFilter(asked), liveAt: io.now() }),
    toRef: toId,
    async list({ accounts }, ids) {
      const found = new Map((await accounts.listTokens({ ids })).map((token) => [token.id, token]));
      return ids.flatMap((id) => found.get(id) ?? []);
    },
    async table({ accounts }, tokens) {
      const shown = { emails: await findOwnerEmails(accounts, tokens), now: io.now() };
      const { columns, toCells } = tableRows(
        TOKENS,
        tokens.map((token) => ({ token, ...shown })),
      );
      return { columns, rows: tokens, toCells: (token) => toCells({ token, ...shown }) };
    },
    unchanged: ({ id, revokedAt }) =>
      revokedAt === undefined ? undefined : `Token ${id} has been revoked since ${formatMinute(revokedAt)} UTC; left unchanged.`,
    unchangedMany: 'had been revoked before',
    make: ({ accounts }, ids, { change, ...options }) => accounts.revokeTokens(ids, options, { via: 'passkey token revoke', change }),
    toLists: async (_, outcome) => ({ tokens: toTokens(outcome).map(toTokenRow) }),
    async print(_, outcome) {
      const tokens = toTokens(outcome);
      if (tokens.length > 0) print(io, tokens.map(toId).join('\n'));
    },
  });
}

const toId = ({ id }: Access): number => id;

interface IdRange {
  readonly text: string;
  readonly firstId: number;
  readonly lastId: number;
}

/** Parses an argument. @throws PasskeyError `usage` if it is neither an id nor a range of ids. */
function readArgument(text: string): IdRange {
  const [, first, last = first] = /^(\d{1,15})(?:-(\d{1,15}))?$/.exec(text) ?? [];
  const [firstId, lastId] = [Number(first), Number(last)];
  if (firstId >= 1 && lastId >= firstId) return { text, firstId, lastId };
  throw new PasskeyError(
    'usage',
    `Expected a token id such as 3, or a range such as 3-17; got "${text}". Run \`passkey token list\` to see them.`,
  );
}

/**
 * Finds the ids of the tokens in ranges of ids, without repetitions. A range skips ids that have no token.
 *
 * @param onGap called with a sentence about each range that contains ids without a token. Not called if the function throws an error.
 * @throws PasskeyError `token_not_found` naming every id that does not exist.
 */
async function findTokenIds(accounts: Accounts, ranges: readonly IdRange[], onGap: (sentence: string) => void): Promise<readonly number[]> {
  const single = ranges.flatMap(({ firstId, lastId }) => (firstId === lastId ? [firstId] : []));
  const existing = new Set((await accounts.listTokens({ ids: single })).map(toId));
  const found = new Set<number>();
  const missing = new Set<string>();
  const gaps = new Set<string>();
  for (const { text, firstId, lastId } of ranges) {
    let named = 0;
    const ids = firstId === lastId ? inBatches([firstId].filter((id) => existing.has(id))) : readRange(accounts, { firstId, lastId });
    for await (const batch of ids) {
      named += batch.length;
      for (const id of batch) found.add(id);
    }
    const gap = lastId - firstId + 1 - named;
    if (named === 0) missing.add(text);
    else if (gap > 0) gaps.add(`Skipped ${groupedCount(gap, 'id')} of ${text} that no token has.`);
  }
  if (missing.size > 0) {
    throw new PasskeyError(
      'token_not_found',
      `No token has the id ${[...missing].join(', ')}${NOTHING_CHANGED}. Run \`passkey token list --all\` to see them.`,
    );
  }
  for (const gap of gaps) onGap(gap);
  return [...found];
}

function readRange(accounts: Accounts, { firstId, lastId }: Omit<IdRange, 'text'>): AsyncGenerator<readonly number[]> {
  return readBatches(async ({ after = firstId - 1, ...page }) =>
    (await accounts.listTokens({ firstId: after + 1, lastId, ...page })).map(toId),
  );
}
