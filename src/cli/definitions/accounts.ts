import type { Command } from 'commander';
import type { Io } from '../io.js';
import { addChangeOptions, CHOICE_HELP } from './change.js';
import { TOKEN_COLUMNS, TOKEN_SORT_COLUMNS, USER_COLUMNS, USER_SORT_COLUMNS } from './columns.js';
import { addListOptions, addTokenFilters, addUserFilters, FILTERS_HELP } from './filters.js';
import { addStoreSettings, type Does, examples, remarks } from './options.js';

const JSON_FLAG = ['--json', 'print one JSON document'] as const;
const USER = 'e-mail, TYPE:ID or id';

export function defineUsers(program: Command, io: Io, does: Does): void {
  const user = program.command('user').description('manage the users who own passkeys');

  addStoreSettings(
    user
      .command('add')
      .description('add a user and print TYPE:ID; creates the store if there is none')
      .option('--email <email>', 'e-mail, unique within the type (prompted for on a terminal)')
      .option('--name <name>', 'name (prompted for on a terminal)')
      .option('--type <type>', 'type name (default: that of --owner-type)')
      .option('--id <number>', 'numeric id (default: the next free one of the type)')
      .option(...JSON_FLAG),
  )
    .addHelpText(
      'after',
      examples(
        'passkey user add --email ada@example.com --name "Ada Lovelace"',
        "passkey user add --email bob@example.com --name Bob --type 'App\\Models\\User' --id 42",
      ),
    )
    .action(does(async (flags) => (await import('../commands/user.js')).add(io, flags)));

  defineUser(user, io, does);
  const list = user.command('list').description('list users with the number of their live passkeys');
  addListOptions(addUserFilters(list), { columns: USER_COLUMNS, sorts: USER_SORT_COLUMNS, noun: 'users' });
  addStoreSettings(list)
    .addHelpText('after', FILTERS_HELP)
    .addHelpText(
      'after',
      examples('passkey user list', 'passkey user list --unused-since 90d --sort -passkeys', 'passkey user list --label ada --json'),
    )
    .action(does(async (flags) => (await import('../commands/user-list.js')).list(io, flags)));
  const remove = user
    .command('remove [user...]')
    .description('remove users, named, filtered or picked from a list: revokes their passkeys, and ends their tokens and sessions');
  addStoreSettings(addChangeOptions(addUserFilters(remove), { done: 'removed', kept: 'kept with the passkeys' }))
    .addHelpText('after', CHOICE_HELP)
    .addHelpText(
      'after',
      examples(
        'passkey user remove',
        'passkey user remove ada@example.com',
        'passkey user remove User:1 User:2 --yes',
        'passkey user remove --type Guest --created-before 90d --dry-run',
      ),
    )
    .action(does(async (flags, names) => (await import('../commands/user-remove.js')).remove(io, flags, names)));
}

export function defineTokens(program: Command, io: Io, does: Does): void {
  const token = program.command('token').description('manage bearer tokens for the API');

  addStoreSettings(
    token
      .command('create')
      .description('print a new bearer token and nothing else')
      .option('--user <user>', `whose token: ${USER} (prompted for on a terminal)`)
      .option('--expires <duration>', 'life of the token, e.g. 12h or 30d; at least 1s (default: never expires)')
      .option('--label <text>', 'name in the list')
      .option(...JSON_FLAG),
  )
    .addHelpText(
      'after',
      examples('passkey token create --user ada@example.com', 'TOKEN=$(passkey token create --user User:1 --expires 30d --label ci)'),
    )
    .action(does(async (flags) => (await import('../commands/token.js')).create(io, flags)));

  const list = token.command('list').description('list live bearer tokens; their secrets are not stored');
  addListOptions(addTokenFilters(list), { columns: TOKEN_COLUMNS, sorts: TOKEN_SORT_COLUMNS, noun: 'tokens' });
  addStoreSettings(list)
    .addHelpText('after', FILTERS_HELP)
    .addHelpText(
      'after',
      examples('passkey token list', 'passkey token list --user ada@example.com --all --json', 'passkey token list --sort expires_at'),
    )
    .action(does(async (flags) => (await import('../commands/token-list.js')).list(io, flags)));
  const revoke = token.command('revoke [id...]').description('revoke bearer tokens by id, by filter, or picked from a list');
  addStoreSettings(addChangeOptions(addTokenFilters(revoke, { states: false }), { done: 'revoked', kept: 'kept in the audit log' }))
    .addHelpText('after', CHOICE_HELP)
    .addHelpText(
      'after',
      examples('passkey token revoke', 'passkey token revoke 2', 'passkey token revoke --user ada@example.com --yes --reason "left"'),
    )
    .action(does(async (flags, ids) => (await import('../commands/token-revoke.js')).revoke(io, flags, ids)));
}

const WHO = remarks('USER is an e-mail, TYPE:ID, or the id of a user of the default type.');

/** `passkey user show` and `passkey user edit`. */
function defineUser(user: Command, io: Io, does: Does): void {
  addStoreSettings(
    user
      .command('show <user>')
      .description('show a user with their passkeys, live tokens and last use')
      .option('--json', 'print one JSON document'),
  )
    .addHelpText('after', WHO)
    .addHelpText('after', examples('passkey user show ada@example.com', 'passkey user show User:1 --json'))
    .action(does(async (flags, [named = '']) => (await import('../commands/user-show.js')).show(io, flags, named)));
  addStoreSettings(
    user
      .command('edit <user>')
      .description('change the name or the e-mail of a user and print TYPE:ID')
      .option('--email <email>', 'the new e-mail, unique within the type')
      .option('--name <name>', 'the new name')
      .option('--json', 'print one JSON document'),
  )
    .addHelpText('after', WHO)
    .addHelpText('after', examples('passkey user edit ada@example.com --email ada@example.org --name "Ada Lovelace"'))
    .action(does(async (flags, [named = '']) => (await import('../commands/user.js')).edit(io, flags, named)));
}
