import type { Command } from 'commander';
import { PasskeyError } from '../../errors.js';
import type { OwnerRef } from '../../kernel/owner.js';
import { formatMinute, groupedCount } from '../../kernel/wording.js';
import type { Passkey } from '../../relying-party/credential-record.js';
import type { RelyingParty } from '../../relying-party/relying-party.js';
import { BATCHES_HELP } from '../change-in-batches.js';
import { addChangeOptions, CHANGE, CHOICE_HELP, changeMany } from '../change-many.js';
import { addStoreSettings } from '../command.js';
import type { Flags } from '../config/resolve.js';
import { userName } from '../emails.js';
import { addPasskeyFilters } from '../filters.js';
import { addFlags } from '../flags.js';
import { addHelp } from '../help.js';
import type { Io } from '../io.js';
import type { Parties } from '../parties.js';
import { storeFlag } from '../store-flag.js';
import { describeChange } from './change.js';
import { IDS_HELP } from './rows.js';

export function define(command: Command): void {
  addStoreSettings(addChangeOptions(addPasskeyFilters(command), { done: 'revoked', kept: 'kept with the passkey' }));
  addFlags(command, { resume: 'continue an interrupted change, with its id and reason' }, CHANGE);
  addHelp(command, {
    examples: [
      'passkey revoke',
      'passkey revoke 3 1-2 --yes --reason "lost phone"',
      'passkey revoke --user ada@example.com --dry-run',
      'passkey revoke --unused-since 365d --yes --reason unused',
    ],
    remarks: [IDS_HELP, CHOICE_HELP, BATCHES_HELP],
    common: ['--user', '--unused-since', '--reason', '--dry-run', '--yes'],
    page: 'admin.md',
  });
}

/** Runs `passkey revoke [ID…]`. */
export function run(io: Io, flags: Flags, idTexts: readonly string[]): Promise<number> {
  return changeMany<Passkey, number, readonly Passkey[]>(io, flags, {
    ...describeChange(io, flags, { idTexts, revoked: false }),
    make: ({ relyingParty }, ids, { change, ...options }) => relyingParty.revokeAll(ids, options, { via: 'passkey revoke', change }),
    resume: (change) => `Run the same command with --resume ${change} to continue.`,
    resumed: ({ relyingParty }) => findChange(relyingParty, flags.resume),
    verb: ['revoke', 'Revoking', 'Revoked'],
    from: 'live',
    asksAlways: true,
    unchanged: ({ id, revokedAt }) =>
      revokedAt === undefined ? undefined : `Passkey ${id} has been revoked since ${formatMinute(revokedAt)} UTC; left unchanged.`,
    unchangedMany: 'had been revoked before',
    consequence: nameUsersWithout,
    saysAfter: true,
    undo: (change) => `passkey restore --change ${change}${storeFlag(flags.store)}`,
  });
}

/** Finds the bulk change that `--resume` names. @throws PasskeyError `usage` if `--resume` names no change that revoked passkeys. */
async function findChange(relyingParty: RelyingParty, change: unknown) {
  if (typeof change !== 'string') return undefined;
  const [one] = await relyingParty.list({ revoked: 'only', revokedChange: change, limit: 1 });
  if (one !== undefined) return { change, reason: one.revokedReason };
  const given = JSON.stringify(change.slice(0, 60));
  throw new PasskeyError('usage', `--resume expects the id of an interrupted change; no change with the id ${given} has revoked anything.`);
}

/** Maximum number of users that a message names. Further users are only counted. */
const NAMED = 3;

/** Names the users who would have no live passkey left after a revocation: `; 1 user keeps none (User:1)`. */
async function nameUsersWithout(passkeys: readonly Passkey[], { accounts }: Parties): Promise<string> {
  const revoked = new Map<string, { readonly owner: OwnerRef; number: number }>();
  for (const { owner } of passkeys) {
    const one = revoked.get(userName(owner)) ?? { owner, number: 0 };
    one.number += 1;
    revoked.set(userName(owner), one);
  }
  const users = [...revoked.values()];
  const live = await accounts.countPasskeysOf(users.map(({ owner }) => owner));
  const without = users.filter(({ number }, index) => number === live[index]).map(({ owner }) => userName(owner));
  if (without.length === 0) return '';
  const names = without.length > NAMED ? '' : ` (${without.join(', ')})`;
  return `; ${groupedCount(without.length, 'user')} ${without.length === 1 ? 'keeps' : 'keep'} none${names}`;
}
