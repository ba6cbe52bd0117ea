import * as Type from 'typebox';
import { strict } from '../../kernel/schema-kit.js';
import type { Passkey } from '../../relying-party/credential-record.js';
import { PasskeyRow, passkeyRow } from '../../relying-party/passkey-document.js';
import { type ChangeOptions, changeSchema, type ManyChange } from '../change-many.js';
import type { Flags } from '../config/resolve.js';
import { findOwnerEmails } from '../emails.js';
import { passkeyFilter, readFilters } from '../filters.js';
import { type Io, printAll, printJson, say } from '../io.js';
import type { Parties } from '../parties.js';
import { findPasskeys, NOTHING_CHANGED } from './arguments.js';
import { passkeyTable, passkeyTableRows } from './rows.js';

/** JSON output of `passkey revoke` and `passkey restore`. */
export const passkeyChange = Type.Object(
  {
    dry_run: Type.Boolean(),
    change: changeSchema,
    passkeys: Type.Array(PasskeyRow, { description: 'As they are after the change; with --dry-run as they are now.' }),
  },
  { ...strict, title: 'passkey revoke --json, passkey restore --json' },
);

const toIds = (passkeys: readonly Passkey[]): number[] => passkeys.map(({ id }) => id);

interface PasskeyChange {
  readonly idTexts: readonly string[];
  /** Which passkeys the filters find: live (`false`) or revoked ones. */
  readonly revoked: false | 'only';
  make(parties: Parties, ids: readonly number[], options: ChangeOptions): Promise<readonly Passkey[]>;
  /** The sentence that tells the user how to continue an interrupted change. */
  resume(change: string): string;
}

/** Describes everything that `revoke` and `restore` have in common. */
export function describeChange(
  io: Io,
  flags: Flags,
  { idTexts, revoked, make, resume }: PasskeyChange,
): Pick<
  ManyChange<Passkey, readonly Passkey[]>,
  'noun' | 'given' | 'asked' | 'named' | 'matching' | 'table' | 'report' | 'make' | 'batches'
> {
  return {
    noun: 'passkey',
    given: idTexts,
    asked: ({ accounts }) => readFilters(io, flags, accounts),
    named: ({ relyingParty }) =>
      findPasskeys(relyingParty, idTexts, { otherwise: NOTHING_CHANGED, onGap: (sentence) => say(io, sentence) }),
    matching: ({ relyingParty }, asked) => relyingParty.list(passkeyFilter(asked, revoked)),
    make: (parties, passkeys, options) => make(parties, toIds(passkeys), options),
    batches: {
      ids: ({ relyingParty }, asked) => relyingParty.listIds(passkeyFilter(asked, revoked)),
      list: ({ relyingParty }, ids) => relyingParty.list({ ids, revoked: true }),
      toRow: passkeyRow,
      make,
      resume,
    },
    table: async ({ accounts }, passkeys) => passkeyTableRows(passkeys, await findOwnerEmails(accounts, passkeys)),
    async report({ accounts }, before, made) {
      const passkeys = made?.result ?? before;
      if (flags.json === true) {
        printJson(io, { dry_run: flags.dryRun === true, change: made?.change ?? null, passkeys: passkeys.map(passkeyRow) });
      } else if (passkeys.length > 0) await printAll(io, passkeyTable(io, passkeys, await findOwnerEmails(accounts, passkeys)));
    },
  };
}
