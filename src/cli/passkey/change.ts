import * as Type from 'typebox';
import { strict } from '../../kernel/schema-kit.js';
import type { Passkey } from '../../relying-party/credential-record.js';
import { PasskeyRow, passkeyRow } from '../../relying-party/passkey-document.js';
import { changeSchema, type ManyChange } from '../change-many.js';
import type { Flags } from '../config/resolve.js';
import { findOwnerEmails } from '../emails.js';
import { passkeyFilter, readFilters } from '../filters.js';
import { type Io, printAll, say } from '../io.js';
import { findPasskeyIds, NOTHING_CHANGED } from './arguments.js';
import { listByIds } from './portions.js';
import { passkeyTable, passkeyTableRows } from './rows.js';

/** Schema of the JSON output of `passkey revoke` and `passkey restore`. */
export const passkeyChange = Type.Object(
  {
    dry_run: Type.Boolean(),
    change: changeSchema,
    passkeys: Type.Array(PasskeyRow, { description: 'The passkeys after the change; with --dry-run as they are now.' }),
  },
  { ...strict, title: 'passkey revoke --json, passkey restore --json' },
);

interface PasskeyChange {
  readonly idTexts: readonly string[];
  /** Which passkeys the filters find: live ones (`false`) or revoked ones (`only`). */
  readonly revoked: false | 'only';
}

/** Makes the part of a bulk change that `passkey revoke` and `passkey restore` have in common. */
export function describeChange(
  io: Io,
  flags: Flags,
  { idTexts, revoked }: PasskeyChange,
): Omit<ManyChange<Passkey, number, readonly Passkey[]>, 'verb' | 'from' | 'asksAlways' | 'unchanged' | 'unchangedMany' | 'make'> {
  const toPasskeys = (outcome: { readonly result: readonly Passkey[] } | { readonly things: readonly Passkey[] }) =>
    'result' in outcome ? outcome.result : outcome.things;
  return {
    noun: 'passkey',
    given: idTexts,
    asked: ({ accounts }) => readFilters(io, flags, accounts),
    named: ({ relyingParty }) =>
      findPasskeyIds(relyingParty, idTexts, { otherwise: NOTHING_CHANGED, onGap: (sentence) => say(io, sentence) }),
    changing: ({ relyingParty }, ids) => relyingParty.listIds({ ids, revoked }),
    matching: ({ relyingParty }, asked, { after = 0, ...page }) =>
      relyingParty.listIds({ ...passkeyFilter(asked, revoked), firstId: after + 1, ...page }),
    count: ({ relyingParty }, asked) => relyingParty.count(passkeyFilter(asked, revoked)),
    toRef: ({ id }) => id,
    list: ({ relyingParty }, ids) => listByIds(relyingParty, ids),
    table: async ({ accounts }, passkeys) => passkeyTableRows(passkeys, await findOwnerEmails(accounts, passkeys)),
    toLists: async (_, outcome) => ({ passkeys: toPasskeys(outcome).map(passkeyRow) }),
    async print({ accounts }, outcome) {
      const passkeys = toPasskeys(outcome);
      if (passkeys.length > 0) await printAll(io, passkeyTable(io, passkeys, await findOwnerEmails(accounts, passkeys)));
    },
  };
}
