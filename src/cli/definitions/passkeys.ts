import type { Command } from 'commander';
import type { Io } from '../io.js';
import { PASSKEY_COLUMNS, PASSKEY_SORT_COLUMNS } from './columns.js';
import { addListOptions, addPasskeyFilters, FILTERS_HELP } from './filters.js';
import { addStoreSettings, type Does, examples, remarks } from './options.js';

const JSON_FLAG = ['--json', 'print one JSON document'] as const;
/** For commands whose arguments name passkeys. */
export const IDS_HELP = remarks(
  'ID is a number, a range such as 3-17 (those there are), or a credential ID in base64url, base64 or hexadecimal, with or without colons. What is made of up to 15 digits is a number.',
);

const USER = 'this user: an e-mail, TYPE:ID or id';

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

  addStoreSettings(
    program
      .command('revoke [id...]')
      .description('revoke passkeys by id, by user, or picked from a list; takes effect with the next request')
      .option('--user <user>', `every passkey of ${USER}`)
      .option('--yes', 'do not prompt')
      .option('--dry-run', 'only show what would be revoked')
      .option('--reason <text>', 'kept with the passkey')
      .option(...JSON_FLAG),
  )
    .addHelpText(
      'after',
      examples('passkey revoke', 'passkey revoke 3 4 --yes --reason "lost phone"', 'passkey revoke --user ada@example.com --dry-run'),
    )
    .action(does(async (flags, ids) => (await import('../commands/revoke.js')).revoke(io, flags, ids)));

  addStoreSettings(
    program
      .command('restore <id...>')
      .description('undo a revocation; ended sessions and tokens stay ended')
      .option(...JSON_FLAG),
  )
    .addHelpText('after', examples('passkey restore 3'))
    .action(does(async (flags, ids) => (await import('../commands/revoke.js')).restore(io, flags, ids)));
}
