import type { Command } from 'commander';
import type { Passkey } from '../../relying-party/credential-record.js';
import { BATCHES_HELP } from '../change-in-batches.js';
import { addChangeOptions, CHANGE, CHOICE_HELP, changeMany } from '../change-many.js';
import { addStoreSettings } from '../command.js';
import type { Flags } from '../config/resolve.js';
import { addRevocationFilters } from '../filters.js';
import { addFlags } from '../flags.js';
import { addHelp } from '../help.js';
import type { Io } from '../io.js';
import { describeChange } from './change.js';
import { IDS_HELP } from './rows.js';

export function define(command: Command): void {
  addStoreSettings(addChangeOptions(addRevocationFilters(command), { done: 'restored', kept: 'kept in the audit log' }));
  addFlags(command, { skipRemoved: 'leave passkeys of removed users revoked, and restore the others' }, CHANGE);
  addHelp(command, {
    examples: [
      'passkey restore',
      'passkey restore 3 --reason "phone found"',
      'passkey restore --change 4f2a91c0d3e8 --yes',
      'passkey restore --user ada@example.com --revoked-since 2d --revoked-reason "lost phone"',
    ],
    remarks: [IDS_HELP, CHOICE_HELP, BATCHES_HELP],
    common: ['--user', '--change', '--reason', '--dry-run', '--yes'],
    page: 'admin.md',
  });
}

/** Runs `passkey restore [ID…]`, after which revoked passkeys can log in again. Sessions and tokens that ended with them stay ended. */
export function run(io: Io, flags: Flags, idTexts: readonly string[]): Promise<number> {
  return changeMany<Passkey, number, readonly Passkey[]>(io, flags, {
    ...describeChange(io, flags, { idTexts, revoked: 'only' }),
    make: ({ relyingParty }, ids, { change, ...options }) =>
      relyingParty.restoreAll(ids, { ...options, skipRemovedOwners: flags.skipRemoved === true }, { via: 'passkey restore', change }),
    verb: ['restore', 'Restoring', 'Restored'],
    from: 'revoked',
    asksAlways: false,
    unchanged: ({ id, revokedAt }) => (revokedAt === undefined ? `Passkey ${id} is not revoked; left unchanged.` : undefined),
    unchangedMany: 'were not revoked',
    stayed: {
      count: (passkeys) => passkeys.filter(({ revokedAt }) => revokedAt !== undefined).length,
      why: (number) => (number === 1 ? 'stays revoked: its user has been removed' : 'stay revoked: their users have been removed'),
    },
  });
}
