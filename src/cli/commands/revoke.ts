import { formatMinute } from '../../kernel/wording.js';
import type { Passkey } from '../../relying-party/credential-record.js';
import { passkeyRow } from '../../relying-party/passkey-document.js';
import { findPasskeys, NOTHING_CHANGED } from '../arguments.js';
import { changeMany, type ManyChange } from '../change-many.js';
import type { Flags } from '../config/resolve.js';
import { findOwnerEmails } from '../emails.js';
import { askedFor, passkeyFilter } from '../filters.js';
import { type Io, printAll, printJson } from '../io.js';
import { passkeyTable, passkeyTableRows } from '../output/passkeys.js';

type PasskeysChange = ManyChange<Passkey, readonly Passkey[]>;

/** `passkey revoke [ID…]` */
export function revoke(io: Io, flags: Flags, idTexts: readonly string[]): Promise<number> {
  return changeMany<Passkey, readonly Passkey[]>(io, flags, {
    ...describeChange(io, flags, { idTexts, revoked: false }),
    verb: ['revoke', 'Revoking', 'Revoked'],
    from: 'live',
    asksAlways: true,
    unchanged: ({ id, revokedAt }) =>
      revokedAt === undefined ? undefined : `Passkey ${id} has been revoked since ${formatMinute(revokedAt)} UTC; left unchanged.`,
    unchangedMany: 'had been revoked before',
    make: ({ relyingParty }, passkeys, { change, ...options }) =>
      relyingParty.revokeAll(toIds(passkeys), options, { via: 'passkey revoke', change }),
    undo: (change) => `passkey restore --change ${change}`,
  });
}

/** `passkey restore [ID…]`: revoked passkeys work again; ended sessions and tokens stay ended. */
export function restore(io: Io, flags: Flags, idTexts: readonly string[]): Promise<number> {
  return changeMany<Passkey, readonly Passkey[]>(io, flags, {
    ...describeChange(io, flags, { idTexts, revoked: 'only' }),
    verb: ['restore', 'Restoring', 'Restored'],
    from: 'revoked',
    asksAlways: false,
    unchanged: ({ id, revokedAt }) => (revokedAt === undefined ? `Passkey ${id} is not revoked; left unchanged.` : undefined),
    unchangedMany: 'were not revoked',
    make: ({ relyingParty }, passkeys, { change, ...options }) =>
      relyingParty.restoreAll(
        toIds(passkeys),
        { ...options, skipRemovedOwners: flags.skipRemoved === true },
        { via: 'passkey restore', change },
      ),
    stayed(passkeys) {
      const number = passkeys.filter(({ revokedAt }) => revokedAt !== undefined).length;
      return { number, why: number === 1 ? 'stays revoked: its user has been removed' : 'stay revoked: their users have been removed' };
    },
  });
}

const toIds = (passkeys: readonly Passkey[]): number[] => passkeys.map(({ id }) => id);

/** The parts that the two commands share. `revoked` says which passkeys the filters find. */
function describeChange(
  io: Io,
  flags: Flags,
  { idTexts, revoked }: { readonly idTexts: readonly string[]; readonly revoked: false | 'only' },
): Pick<PasskeysChange, 'noun' | 'given' | 'asked' | 'named' | 'matching' | 'table' | 'report'> {
  return {
    noun: 'passkey',
    given: idTexts,
    asked: ({ accounts }) => askedFor(io, flags, accounts),
    named: ({ relyingParty }) => findPasskeys(relyingParty, idTexts, NOTHING_CHANGED),
    matching: ({ relyingParty }, asked) => relyingParty.list(passkeyFilter(asked, revoked)),
    table: async ({ accounts }, passkeys) => passkeyTableRows(passkeys, await findOwnerEmails(accounts, passkeys)),
    async report({ accounts }, before, made) {
      const passkeys = made?.result ?? before;
      if (flags.json === true) {
        printJson(io, { dry_run: flags.dryRun === true, change: made?.change ?? null, passkeys: passkeys.map(passkeyRow) });
      } else if (passkeys.length > 0) await printAll(io, passkeyTable(io, passkeys, await findOwnerEmails(accounts, passkeys)));
    },
  };
}
