import type { Command } from 'commander';
import type { Io } from '../io.js';
import { addChangeOptions, CHOICE_HELP } from './change.js';
import { PASSKEY_COLUMNS, PASSKEY_SORT_COLUMNS } from './columns.js';
import { addListOptions, addPasskeyFilters, addRevocationFilters, FILTERS_HELP } from './filters.js';
import { addStoreSettings, type Does, examples, remarks } from './options.js';

const JSON_FLAG = ['--json', 'print one JSON document'] as const;
/** For commands whose arguments name passkeys. */
const IDS_HELP = remarks(
  'ID is a number, a range such as 3-17 (those there are), or a credential ID in base64url, base64 or hexadecimal, with or without colons. What is made of up to 15 digits is a number; a credential ID that begins with - goes behind --.',
);

export function definePasskeys(program: Command, io: Io, does: Does): void {
  const list = program.command('list').description('list stored passkeys');
  addListOptions(addPasskeyFilters(list), { columns: PASSKEY_COLUMNS, sorts: PASSKEY_SORT_COLUMNS, noun: 'passkeys' });
  addStoreSettings(list)
    .addHelpText('after', FILTERS_HELP)
    .addHelpText(
      'after',
      examples(
        'passkey list',
        'passkey list --user ada@example.com --all',
        'passkey list --provider yubikey --unused-since 90d --columns id,email,provider,last_used_at',
        'passkey list --sort -last_used_at --limit 50 --offset 50',
        "passkey list --json | jq '.[].id'",
      ),
    )
    .action(does(async (flags) => (await import('../commands/list.js')).run(io, flags)));
  addStoreSettings(
    program
      .command('show <id>')
      .description('show one stored passkey in full, decoded, without its challenge')
      .option(...JSON_FLAG),
  )
    .addHelpText('after', IDS_HELP)
    .addHelpText('after', examples('passkey show 3', "passkey show 3 --json | jq -r '.key.pem'"))
    .action(does(async (flags, [id = '']) => (await import('../commands/show.js')).run(io, flags, id)));

  const revoke = program
    .command('revoke [id...]')
    .description('revoke passkeys by id, by filter, or picked from a list; takes effect with the next request');
  addStoreSettings(addChangeOptions(addPasskeyFilters(revoke, { states: false }), { done: 'revoked', kept: 'kept with the passkey' }))
    .addHelpText('after', IDS_HELP)
    .addHelpText('after', CHOICE_HELP)
    .addHelpText(
      'after',
      examples(
        'passkey revoke',
        'passkey revoke 3 1-2 --yes --reason "lost phone"',
        'passkey revoke --user ada@example.com --dry-run',
        'passkey revoke --unused-since 365d --yes --reason unused',
      ),
    )
    .action(does(async (flags, ids) => (await import('../commands/revoke.js')).revoke(io, flags, ids)));

  const restore = program.command('restore [id...]').description('undo revocations; ended sessions and tokens stay ended');
  addStoreSettings(
    addChangeOptions(addRevocationFilters(addPasskeyFilters(restore, { states: false })), {
      done: 'restored',
      kept: 'kept in the audit log',
    }),
  )
    .option('--skip-removed', 'leave passkeys of removed users revoked, and restore the others')
    .addHelpText('after', IDS_HELP)
    .addHelpText('after', CHOICE_HELP)
    .addHelpText(
      'after',
      examples(
        'passkey restore',
        'passkey restore 3 --reason "phone found"',
        'passkey restore --change 4f2a91c0d3e8 --yes',
        'passkey restore --user ada@example.com --revoked-since 2d --revoked-reason "lost phone"',
      ),
    )
    .action(does(async (flags, ids) => (await import('../commands/revoke.js')).restore(io, flags, ids)));

  const purge = program
    .command('purge')
    .description('delete for good what was revoked or has ended long ago: passkeys, tokens and sessions')
    .requiredOption('--older-than <duration>', 'what was revoked, or ended, longer ago than this, e.g. 90d; at least 1s');
  addStoreSettings(
    addPasskeyFilters(purge, { states: false })
      .option('--yes', 'do not prompt')
      .option('--dry-run', 'only show what would be deleted')
      .option(...JSON_FLAG),
  )
    .addHelpText('after', PURGE_HELP)
    .addHelpText('after', examples('passkey purge --older-than 90d --dry-run', 'passkey purge --older-than 365d --rp-id example.com --yes'))
    .action(does(async (flags) => (await import('../commands/purge.js')).run(io, flags)));
}

const PURGE_HELP = remarks(
  'Nothing brings back what is purged. Its ids are never used again; a credential ID can be registered again, while the ID of a passkey that is only revoked cannot. Sessions and tokens that are open stay as they are.',
);
