import type { Command } from 'commander';
import * as Type from 'typebox';
import type { Access } from '../../kernel/access.js';
import { id, strict, timestamp } from '../../kernel/schema-kit.js';
import { formatMinute, formatTimestamp, groupedCount } from '../../kernel/wording.js';
import type { Passkey } from '../../relying-party/credential-record.js';
import { PasskeyRow, passkeyRow } from '../../relying-party/passkey-document.js';
import { noRows } from '../../store/transfer-port.js';
import { BATCH, BATCHES_HELP, changeInBatches, inBatches, printInBatches, readBatches } from '../change-in-batches.js';
import { changeSchema, consents } from '../change-many.js';
import { addStoreSettings } from '../command.js';
import { type Flags, readFlag, resolveStoreSettings } from '../config/resolve.js';
import { duration } from '../config/values.js';
import { findOwnerEmails } from '../emails.js';
import { accessFilter, addPasskeyFilters, passkeyFilter, readFilters } from '../filters.js';
import { addFlags } from '../flags.js';
import { addHelp } from '../help.js';
import { interruptible } from '../interruption.js';
import { type Io, printAll, say } from '../io.js';
import { noteRows } from '../note-rows.js';
import { newChangeId, type Parties, withParties } from '../parties.js';
import { listByIds } from './portions.js';
import { passkeyTable, passkeyTableRows } from './rows.js';

export function define(command: Command): void {
  addFlags(command, { olderThan: { about: 'age since the revocation or the end, e.g. 90d; at least 1s', isRequired: true } });
  addFlags(addPasskeyFilters(command), { yes: true, dryRun: 'only show what would be deleted', json: true });
  addHelp(addStoreSettings(command), {
    examples: ['passkey purge --older-than 90d --dry-run', 'passkey purge --older-than 365d --rp-id example.com --yes'],
    remarks: [
      'A purge cannot be undone. Ids are never used again. The credential ID of a purged passkey can be registered again, while that of a passkey that is only revoked cannot. Open sessions and tokens stay unchanged.',
      BATCHES_HELP,
    ],
    common: ['--older-than', '--rp-id', '--dry-run', '--yes', '--json'],
    page: 'admin.md',
  });
}

export const purge = Type.Object(
  {
    dry_run: Type.Boolean(),
    change: changeSchema,
    ended_before: timestamp,
    passkeys: Type.Array(PasskeyRow, { description: 'The passkeys before the purge.' }),
    tokens: Type.Array(id, { description: 'Ids of tokens that were revoked or had expired.' }),
    sessions: Type.Array(id, { description: 'Ids of sessions that had ended.' }),
  },
  { ...strict, title: 'passkey purge --json' },
);

const AGE = { min: 1000, max: 36_500 * 86_400_000 };

const VIA = 'passkey purge';

/** Ids of the passkeys, tokens and sessions that have ended and can be deleted. */
interface Old {
  readonly passkeys: readonly number[];
  readonly tokens: readonly number[];
  readonly sessions: readonly number[];
}

const KINDS = ['passkeys', 'tokens', 'sessions'] as const;

/** One passkey, token or session to delete. */
interface Ended {
  readonly kind: (typeof KINDS)[number];
  readonly id: number;
}

const select = (batch: readonly Ended[], kind: Ended['kind']): number[] => batch.flatMap((each) => (each.kind === kind ? each.id : []));

/**
 * Runs `passkey purge --older-than DURATION`. Deletes, in batches, all passkeys, tokens and sessions that ended more than this duration
 * ago. Returns the exit code.
 */
export function run(io: Io, flags: Flags): Promise<number> {
  return interruptible(io, async (signal) => {
    const settings = await resolveStoreSettings(io, flags);
    const before = io.now() - readFlag(io, duration(AGE), '--older-than', flags.olderThan);
    return withParties(io, { settings, create: false }, async (parties) => {
      const { relyingParty, accounts, store } = parties;
      const old = await find(io, flags, { parties, before });
      const number = old.passkeys.length + old.tokens.length + old.sessions.length;
      const since = `before ${formatMinute(before)} UTC`;
      const isDry = flags.dryRun === true || number === 0;
      const change = isDry ? null : newChangeId();
      const document = printInBatches(io, { dry_run: flags.dryRun === true, change, ended_before: formatTimestamp(before) });
      const table = async (passkeys: readonly Passkey[]) => passkeyTableRows(passkeys, await findOwnerEmails(accounts, passkeys));
      const report = async (batch: readonly Ended[], passkeys: readonly Passkey[]) => {
        if (flags.json === true) {
          const [tokens, sessions] = [select(batch, 'tokens'), select(batch, 'sessions')];
          await document.add({ passkeys: passkeys.map(passkeyRow), tokens, sessions });
        } else if (number <= BATCH && passkeys.length > 0) {
          await printAll(io, passkeyTable(io, passkeys, await findOwnerEmails(accounts, passkeys)));
        }
      };
      if (change === null) {
        await report([], []);
        for (const batch of batchesOf(old)) await report(batch, await listByIds(relyingParty, select(batch, 'passkeys')));
        await document.end();
        const would = `${inWords(old)} would be purged; nothing was changed.`;
        say(io, number === 0 ? `Nothing to purge: nothing was revoked or ended ${since}.` : would);
        return 0;
      }
      const question = `Delete ${inWords(old)} for good, all of which ended ${since}?`;
      const things = await listByIds(relyingParty, old.passkeys.slice(0, BATCH));
      if (!(await consents(io, flags, { question, number, things, listed: old.passkeys.length, noun: 'passkey', table }))) {
        say(io, 'Nothing was purged.');
        return 1;
      }
      await changeInBatches(io, store, {
        noun: number === old.passkeys.length ? 'passkey' : 'record',
        verb: ['purge', 'Purging', 'Purged'],
        batches: batchesOf(old),
        total: number,
        change,
        hint: 'Run the same command again to continue.',
        async make(batch, onProgress) {
          const what = { passkeys: select(batch, 'passkeys'), accesses: [...select(batch, 'tokens'), ...select(batch, 'sessions')] };
          const done = await relyingParty.purge(what, { onProgress, endedBefore: before, signal }, { via: VIA, change });
          noteRows(io, store.audit, { action: 'purge', via: VIA, change, counts: { ...noRows(), access: done.accesses.length } });
          await report(batch, done.passkeys);
        },
        end: document.end,
      });
      say(io, `Purged ${inWords(old)} (change ${change}).${old.passkeys.length > 0 ? ' The credential IDs can be registered again.' : ''}`);
      return 0;
    });
  });
}

async function find(io: Io, flags: Flags, { parties, before }: { readonly parties: Parties; readonly before: number }): Promise<Old> {
  const { relyingParty, accounts } = parties;
  const asked = await readFilters(io, flags, accounts);
  const [tokens, sessions]: [number[], number[]] = [[], []];
  const ended = readBatches<Access>(({ after, ...page }) =>
    accounts.listEnded({ ...accessFilter(asked), before, firstId: (after?.id ?? 0) + 1, ...page }),
  );
  for await (const batch of ended) for (const { kind, id } of batch) (kind === 'token' ? tokens : sessions).push(id);
  return { passkeys: await relyingParty.listIds({ ...passkeyFilter(asked, 'only'), revokedBefore: before }), tokens, sessions };
}

const batchesOf = (old: Old) => inBatches(KINDS.flatMap((kind) => old[kind].map((id): Ended => ({ kind, id }))));

function inWords(old: Old): string {
  const words = KINDS.flatMap((kind) => (old[kind].length > 0 ? groupedCount(old[kind].length, kind.slice(0, -1)) : []));
  return words.length < 2 ? words.join() : `${words.slice(0, -1).join(', ')} and ${words.at(-1)}`;
}
