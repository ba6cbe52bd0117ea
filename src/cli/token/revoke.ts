import type { Command } from 'commander';
import * as Type from 'typebox';
import type { Accounts } from '../../accounts/accounts.js';
import type { Access } from '../../accounts/ports.js';
import { PasskeyError } from '../../errors.js';
import { strict } from '../../kernel/schema-kit.js';
import { formatMinute } from '../../kernel/wording.js';
import { addChangeOptions, CHOICE_HELP, changeMany, changeSchema } from '../change-many.js';
import { addStoreSettings } from '../command.js';
import type { Flags } from '../config/resolve.js';
import { findOwnerEmails } from '../emails.js';
import { accessFilter, addTokenFilters, readFilters } from '../filters.js';
import { addHelp } from '../help.js';
import { type Io, print, printJson } from '../io.js';
import { tableRows } from '../output/listing.js';
import { NOTHING_CHANGED } from '../passkey/arguments.js';
import { TOKENS, tokenRow, toTokenRow } from './rows.js';

export function define(command: Command): void {
  addHelp(addStoreSettings(addChangeOptions(addTokenFilters(command), { done: 'revoked', kept: 'kept in the audit log' })), {
    examples: ['passkey token revoke', 'passkey token revoke 2', 'passkey token revoke --user ada@example.com --yes --reason "left"'],
    remarks: [CHOICE_HELP],
    common: ['--user', '--reason', '--dry-run', '--yes', '--json'],
    page: 'admin.md',
  });
}

export const tokenRevocation = Type.Object(
  { dry_run: Type.Boolean(), change: changeSchema, tokens: Type.Array(tokenRow) },
  { ...strict, title: 'passkey token revoke --json' },
);

/** `passkey token revoke [ID…]` */
export function run(io: Io, flags: Flags, idTexts: readonly string[]): Promise<number> {
  const ids = readIds(idTexts);
  return changeMany<Access, readonly Access[]>(io, flags, {
    noun: 'token',
    verb: ['revoke', 'Revoking', 'Revoked'],
    from: 'live',
    given: idTexts,
    asksAlways: false,
    asked: ({ accounts }) => readFilters(io, flags, accounts),
    named: ({ accounts }) => findTokens(accounts, ids),
    matching: ({ accounts }, asked) => accounts.listTokens({ ...accessFilter(asked), liveAt: io.now() }),
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
    make: ({ accounts }, tokens, { change, ...options }) =>
      accounts.revokeTokens(
        tokens.map(({ id }) => id),
        options,
        { via: 'passkey token revoke', change },
      ),
    async report(_, before, made) {
      const tokens = made?.result ?? before;
      if (flags.json === true) {
        printJson(io, { dry_run: flags.dryRun === true, change: made?.change ?? null, tokens: tokens.map(toTokenRow) });
      } else if (tokens.length > 0) print(io, tokens.map(({ id }) => id).join('\n'));
    },
  });
}

/** Reads ids, without duplicates. @throws PasskeyError `usage` for anything but a positive whole number. */
function readIds(texts: readonly string[]): readonly number[] {
  const ids = texts.map((text) => {
    const id = /^\d{1,15}$/.test(text) ? Number(text) : 0;
    if (id < 1) {
      throw new PasskeyError(
        'usage',
        `Expected a token id, a positive whole number; got "${text}". Run \`passkey token list\` to see them.`,
      );
    }
    return id;
  });
  return [...new Set(ids)];
}

/** All of them or none. @throws PasskeyError `token_not_found` naming every missing id. */
async function findTokens(accounts: Accounts, ids: readonly number[]): Promise<readonly Access[]> {
  const found = new Map((await accounts.listTokens({ ids })).map((token) => [token.id, token]));
  const missing = ids.filter((id) => !found.has(id));
  if (missing.length === 0) return ids.flatMap((id) => found.get(id) ?? []);
  throw new PasskeyError(
    'token_not_found',
    `No token has the id ${missing.join(', ')}${NOTHING_CHANGED}. Run \`passkey token list --all\` to see them.`,
  );
}
