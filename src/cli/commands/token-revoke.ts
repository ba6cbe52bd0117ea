import type { Accounts } from '../../accounts/accounts.js';
import type { Access } from '../../accounts/ports.js';
import { PasskeyError } from '../../errors.js';
import { formatMinute } from '../../kernel/wording.js';
import { NOTHING_CHANGED, readIds } from '../arguments.js';
import { changeMany } from '../change-many.js';
import type { Flags } from '../config/resolve.js';
import { findEmails } from '../emails.js';
import { accessFilter, askedFor } from '../filters.js';
import { type Io, print, printJson } from '../io.js';
import { TOKEN_TABLE, toTokenRow } from '../output/tokens.js';

/** `passkey token revoke [ID…]` */
export function revoke(io: Io, flags: Flags, idTexts: readonly string[]): Promise<number> {
  const ids = readIds('token', idTexts);
  return changeMany<Access, readonly Access[]>(io, flags, {
    noun: 'token',
    verb: ['revoke', 'Revoking', 'Revoked'],
    from: 'live',
    given: idTexts,
    asksAlways: false,
    asked: ({ accounts }) => askedFor(io, flags, accounts),
    named: ({ accounts }) => findTokens(accounts, ids),
    matching: ({ accounts }, asked) => accounts.listTokens({ ...accessFilter(asked), liveAt: io.now() }),
    async table({ accounts }, tokens) {
      const owners = tokens.map(({ owner }) => owner);
      const emails = await findEmails(accounts, owners);
      const now = io.now();
      const toCells = (token: Access) =>
        TOKEN_TABLE.map(({ cell, value }) => (cell ?? ((item) => String(value(item))))({ token, emails, now }));
      return { columns: TOKEN_TABLE, rows: tokens, toCells };
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
