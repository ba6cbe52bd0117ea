import * as Type from 'typebox';
import { strict } from '../../kernel/schema-kit.js';
import type { Passkey } from '../../relying-party/credential-record.js';
import { PasskeyRow, passkeyRow } from '../../relying-party/passkey-document.js';
import { changeSchema, type ManyChange } from '../change-many.js';
import type { Flags } from '../config/resolve.js';
import { findOwnerEmails } from '../emails.js';
import { passkeyFilter, readFilters } from '../filters.js';
import { type Io, printAll, printJson, say } from '../io.js';
import { findPasskeys, NOTHING_CHANGED } from './arguments.js';
import { passkeyTable, passkeyTableRows } from './rows.js';

/** `passkey revoke` and `passkey restore`. */
export const passkeyChange = Type.Object(
  {
    dry_run: Type.Boolean(),
    change: changeSchema,
    passkeys: Type.Array(PasskeyRow, { description: 'As they are after the change; with --dry-run as they are now.' }),
  },
  { ...strict, title: 'passkey revoke --json, passkey restore --json' },
);

export const toIds = (passkeys: readonly Passkey[]): number[] => passkeys.map(({ id }) => id);

/** The parts that the two commands share. `revoked` says which passkeys the filters find. */
export function describeChange(
  io: Io,
  flags: Flags,
  { idTexts, revoked }: { readonly idTexts: readonly string[]; readonly revoked: false | 'only' },
): Pick<ManyChange<Passkey, readonly Passkey[]>, 'noun' | 'given' | 'asked' | 'named' | 'matching' | 'table' | 'report'> {
  return {
    noun: 'passkey',
    given: idTexts,
    asked: ({ accounts }) => readFilters(io, flags, accounts),
    named: ({ relyingParty }) =>
      findPasskeys(relyingParty, idTexts, { otherwise: NOTHING_CHANGED, onGap: (sentence) => say(io, sentence) }),
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
