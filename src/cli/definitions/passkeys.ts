import { type Command, Option } from 'commander';
import { SORT_KEYS } from '../arguments.js';
import type { Io } from '../io.js';
import { addStoreSettings, type Does, examples } from './options.js';

const JSON_FLAG = ['--json', 'print one JSON document'] as const;
const USER = 'this user: an e-mail, TYPE:ID or id';

export function definePasskeys(program: Command, io: Io, does: Does): void {
  addStoreSettings(
    program
      .command('list')
      .description('list stored passkeys')
      .option('--user <user>', `only those of ${USER}`)
      .option('--rp-id <id>', 'only those of this RP ID')
      .addOption(new Option('--revoked', 'only revoked ones').conflicts('all'))
      .option('--all', 'live and revoked ones')
      .option('--sort <column>', `${SORT_KEYS.join(', ')}; a leading - reverses the order (default: id)`)
      .option('--limit <number>', 'at most this many')
      .addOption(new Option(...JSON_FLAG).conflicts('csv'))
      .option('--csv', 'print comma-separated values (RFC 4180)'),
  )
    .addHelpText(
      'after',
      examples(
        'passkey list',
        'passkey list --user ada@example.com --all',
        'passkey list --sort -last_used_at --limit 10',
        "passkey list --json | jq '.[].id'",
      ),
    )
    .action(does(async (flags) => (await import('../commands/list.js')).run(io, flags)));

  addStoreSettings(
    program
      .command('show <id>')
      .description('show one stored passkey in full, without its challenge')
      .option(...JSON_FLAG),
  )
    .addHelpText('after', examples('passkey show 3', 'passkey show 3 --json'))
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
