import type { Command } from 'commander';
import * as Type from 'typebox';
import type { Access } from '../../kernel/access.js';
import { id, strict, timestamp } from '../../kernel/schema-kit.js';
import { formatMinute, formatTimestamp, groupedCount } from '../../kernel/wording.js';
import type { Passkey } from '../../relying-party/credential-record.js';
import { PasskeyRow, passkeyRow } from '../../relying-party/passkey-document.js';
import { noRows } from '../../store/transfer-port.js';
import { changeSchema, consents, withProgress } from '../change-many.js';
import { addStoreSettings } from '../command.js';
import { type Flags, readFlag, resolveStoreSettings } from '../config/resolve.js';
import { duration } from '../config/values.js';
import { findOwnerEmails } from '../emails.js';
import { accessFilter, addPasskeyFilters, passkeyFilter, readFilters } from '../filters.js';
import { addFlags } from '../flags.js';
import { addHelp } from '../help.js';
import { interruptible } from '../interruption.js';
import { type Io, printAll, printJson, say } from '../io.js';
import { noteRows } from '../note-rows.js';
import { newChangeId, type Parties, withParties } from '../parties.js';
import { passkeyTable, passkeyTableRows } from './rows.js';

export function define(command: Command): void {
  addFlags(command, { olderThan: { about: 'what was revoked, or ended, longer ago than this, e.g. 90d; at least 1s', isRequired: true } });
  addFlags(addPasskeyFilters(command), { yes: true, dryRun: 'only show what would be deleted', json: true });
  addHelp(addStoreSettings(command), {
    examples: ['passkey purge --older-than 90d --dry-run', 'passkey purge --older-than 365d --rp-id example.com --yes'],
    remarks: [
      'Nothing brings back what is purged. Its ids are never used again; a credential ID can be registered again, while the ID of a passkey that is only revoked cannot. Sessions and tokens that are open stay as they are.',
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
    passkeys: Type.Array(PasskeyRow, { description: 'As they were.' }),
    tokens: Type.Array(id, { description: 'Ids of tokens that were revoked or had expired.' }),
    sessions: Type.Array(id, { description: 'Ids of sessions that had ended.' }),
  },
  { ...strict, title: 'passkey purge --json' },
);

const AGE = { min: 1000, max: 36_500 * 86_400_000 };

const VIA = 'passkey purge';

interface Old {
  readonly passkeys: readonly Passkey[];
  /** Tokens and sessions that ended. */
  readonly accesses: readonly Access[];
}

/** Runs `passkey purge --older-than DURATION`. Deletes everything that ended before then, or nothing. Returns the exit code. */
export function run(io: Io, flags: Flags): Promise<number> {
  return interruptible(io, async (signal) => {
    const settings = await resolveStoreSettings(io, flags);
    const before = io.now() - readFlag(io, duration(AGE), '--older-than', flags.olderThan);
    return withParties(io, { settings, create: false }, async (parties) => {
      const old = await find(io, flags, { parties, before });
      const number = old.passkeys.length + old.accesses.length;
      const since = `before ${formatMinute(before)} UTC`;
      if (flags.dryRun === true || number === 0) {
        await report(io, flags, { parties, old, before });
        say(
          io,
          number === 0
            ? `Nothing to purge: nothing was revoked or has ended ${since}.`
            : `${inWords(old)} would be purged; nothing was changed.`,
        );
        return 0;
      }
      if (!(await agrees(io, flags, { parties, old, since }))) {
        say(io, 'Nothing was purged.');
        return 1;
      }
      const what = { passkeys: old.passkeys.map(({ id }) => id), accesses: old.accesses.map(({ id }) => id) };
      const change = newChangeId();
      await withProgress(io, { noun: 'passkey', verb: ['purge', 'Purging', 'Purged'], total: what.passkeys.length }, (options) =>
        parties.relyingParty.purge(what, { ...options, endedBefore: before, signal }, { via: VIA, change }),
      ).then(({ accesses }) => {
        noteRows(io, parties.store.audit, { action: 'purge', via: VIA, change, counts: { ...noRows(), access: accesses.length } });
      });
      await report(io, flags, { parties, old, before, change });
      say(io, `Purged ${inWords(old)} (change ${change}).${old.passkeys.length > 0 ? ' The credential IDs can be registered again.' : ''}`);
      return 0;
    });
  });
}

async function find(io: Io, flags: Flags, { parties, before }: { readonly parties: Parties; readonly before: number }): Promise<Old> {
  const { relyingParty, accounts } = parties;
  const asked = await readFilters(io, flags, accounts);
  const revoked = await relyingParty.list(passkeyFilter(asked, 'only'));
  return {
    passkeys: revoked.filter(({ revokedAt = Infinity }) => revokedAt < before),
    accesses: await accounts.listEnded({ ...accessFilter(asked), before }),
  };
}

/** Shows what will be deleted, and asks the user for consent. */
function agrees(io: Io, flags: Flags, { parties, old, since }: { readonly parties: Parties; readonly old: Old; readonly since: string }) {
  const table = async (passkeys: readonly Passkey[]) => passkeyTableRows(passkeys, await findOwnerEmails(parties.accounts, passkeys));
  return consents(io, flags, {
    question: `Delete ${inWords(old)} for good, all of which ended ${since}?`,
    number: old.passkeys.length + old.accesses.length,
    things: old.passkeys,
    noun: 'passkey',
    table,
  });
}

function inWords({ passkeys, accesses }: Old): string {
  const tokens = accesses.filter(({ kind }) => kind === 'token').length;
  const parts = [
    { number: passkeys.length, noun: 'passkey' },
    { number: tokens, noun: 'token' },
    { number: accesses.length - tokens, noun: 'session' },
  ];
  const words = parts.filter(({ number }) => number > 0).map(({ number, noun }) => groupedCount(number, noun));
  return words.length < 2 ? words.join() : `${words.slice(0, -1).join(', ')} and ${words.at(-1)}`;
}

async function report(
  io: Io,
  flags: Flags,
  { parties, old, before, change }: { readonly parties: Parties; readonly old: Old; readonly before: number; readonly change?: string },
): Promise<void> {
  const { passkeys, accesses } = old;
  if (flags.json !== true) {
    if (passkeys.length > 0) await printAll(io, passkeyTable(io, passkeys, await findOwnerEmails(parties.accounts, passkeys)));
    return;
  }
  const selectIds = (kind: Access['kind']) => accesses.filter((access) => access.kind === kind).map(({ id }) => id);
  printJson(io, {
    dry_run: flags.dryRun === true,
    change: change ?? null,
    ended_before: formatTimestamp(before),
    passkeys: passkeys.map(passkeyRow),
    tokens: selectIds('token'),
    sessions: selectIds('session'),
  });
}
