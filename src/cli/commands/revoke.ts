import type { Passkey } from '../../relying-party/credential-record.js';
import { passkeyRow } from '../../relying-party/passkey-document.js';
import type { BulkOptions } from '../../webauthn/bulk-change.js';
import { count, formatMinute } from '../../webauthn/wording.js';
import { findPasskeys, idsOf, NOTHING_CHANGED } from '../arguments.js';
import { type Consent, capital, choose, consents, nothingTo, type Wording, withProgress } from '../change-many.js';
import { type Flags, resolveStoreSettings } from '../config/resolve.js';
import { emailsOf } from '../emails.js';
import { askedFor, passkeyFilter } from '../filters.js';
import { type Io, interruptible, printAll, printJson, say } from '../io.js';
import { passkeyTable, passkeyTableRows } from '../output/passkeys.js';
import { printable } from '../output/printable.js';
import { type Parties, withParties } from '../parties.js';

/** `passkey revoke [ID…]`: all of them or, when one id is unknown or a signal comes first, none. Returns the exit code. */
export function revoke(io: Io, flags: Flags, idTexts: readonly string[]): Promise<number> {
  return changePasskeys(io, flags, idTexts, {
    noun: 'passkey',
    verb: ['revoke', 'Revoking', 'Revoked'],
    from: 'live',
    asksAlways: true,
    after: ' `passkey restore ID` undoes it.',
    unchanged: ({ id, revokedAt }) =>
      revokedAt === undefined ? undefined : `Passkey ${id} has been revoked since ${formatMinute(revokedAt)} UTC; left unchanged.`,
    make: ({ relyingParty }, ids, options) => relyingParty.revokeAll(ids, options, { via: 'passkey revoke' }),
  });
}

/** `passkey restore [ID…]`: revoked passkeys work again; ended sessions and tokens stay ended. All or none. Returns the exit code. */
export function restore(io: Io, flags: Flags, idTexts: readonly string[]): Promise<number> {
  return changePasskeys(io, flags, idTexts, {
    noun: 'passkey',
    verb: ['restore', 'Restoring', 'Restored'],
    from: 'revoked',
    asksAlways: false,
    after: '',
    unchanged: ({ id, revokedAt }) => (revokedAt === undefined ? `Passkey ${id} is live; left unchanged.` : undefined),
    make: ({ relyingParty }, ids, options) => relyingParty.restoreAll(ids, options, { via: 'passkey restore' }),
  });
}

interface PasskeyChange extends Wording {
  /** What a passkey is before. */
  readonly from: 'live' | 'revoked';
  /** Also about passkeys that are named one by one. */
  readonly asksAlways: boolean;
  /** What is said of it afterwards. */
  readonly after: string;
  /** Why a passkey stays as it is; undefined for one that is changed. */
  unchanged(passkey: Passkey): string | undefined;
  make(
    parties: Parties,
    ids: readonly number[],
    options: BulkOptions & { readonly reason: string | undefined },
  ): Promise<readonly Passkey[]>;
}

function changePasskeys(io: Io, flags: Flags, idTexts: readonly string[], change: PasskeyChange): Promise<number> {
  const dryRun = flags.dryRun === true;
  const reason = typeof flags.reason === 'string' ? flags.reason : undefined;
  const [base, , done] = change.verb;

  return interruptible(io, async (signal) => {
    const settings = await resolveStoreSettings(io, flags);
    const ids = idsOf('passkey', idTexts);
    return withParties(io, { settings, create: false }, async (parties) => {
      const { relyingParty, accounts } = parties;
      const table = async (passkeys: readonly Passkey[]) =>
        passkeyTableRows(
          passkeys,
          await emailsOf(
            accounts,
            passkeys.map(({ owner }) => owner),
          ),
        );
      const asked = await askedFor(io, flags, accounts);
      const chosen = await choose(io, {
        ...change,
        given: idTexts,
        asked,
        named: () => findPasskeys(relyingParty, ids, NOTHING_CHANGED),
        matching: () => relyingParty.list(passkeyFilter(asked, change.from === 'live' ? false : 'only')),
        table,
      });
      if (chosen === undefined) {
        await report(io, flags, { passkeys: [], dryRun });
        say(io, 'Nothing was selected; nothing was changed.');
        return 0;
      }
      const changing = chosen.filter((passkey) => change.unchanged(passkey) === undefined);
      const counted = count(changing.length, 'passkey');
      sayUnchanged(io, chosen, change);
      if (dryRun || changing.length === 0) {
        await report(io, flags, { passkeys: chosen, dryRun });
        const none = printable(nothingTo(change, change.from, asked));
        say(io, changing.length === 0 ? none : `${counted} would be ${done.toLowerCase()}; nothing was changed.`);
        return 0;
      }
      const consent: Consent<Passkey> = { question: `${capital(base)} ${counted}?`, things: changing, noun: 'passkey', table };
      if ((change.asksAlways || ids.length === 0) && !(await consents(io, flags, consent))) {
        say(io, `Nothing was ${done.toLowerCase()}.`);
        return 1;
      }
      const all = chosen.map(({ id }) => id);
      const passkeys = await withProgress(io, { ...change, total: changing.length }, (options) =>
        change.make(parties, all, { ...options, reason, signal }),
      );
      await report(io, flags, { passkeys, dryRun });
      say(io, `${done} ${counted}.${change.after}`);
      return 0;
    });
  });
}

const NAMED_UNCHANGED = 10;

/** Names those that stay as they are, unless they are too many to read. */
function sayUnchanged(io: Io, passkeys: readonly Passkey[], { unchanged, from }: PasskeyChange): void {
  const lines = passkeys.flatMap((passkey) => unchanged(passkey) ?? []);
  if (lines.length > NAMED_UNCHANGED)
    say(io, `${count(lines.length, 'passkey')} ${from === 'live' ? 'had been revoked before' : 'were live before'}; left unchanged.`);
  else for (const each of lines) say(io, each);
}

async function report(io: Io, flags: Flags, o: { passkeys: readonly Passkey[]; dryRun: boolean }): Promise<void> {
  if (flags.json === true) printJson(io, { dry_run: o.dryRun, passkeys: o.passkeys.map(passkeyRow) });
  else await printAll(io, o.passkeys.length === 0 ? [] : passkeyTable(io, o.passkeys));
}
