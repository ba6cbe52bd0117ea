import type { Command } from 'commander';
import type { Io } from '../io.js';
import { addStoreSettings, type Does, examples, remarks } from './options.js';

const WHO = remarks('USER is an e-mail, TYPE:ID, or the id of a user of the default type.');

/** `passkey user show` and `passkey user edit`. */
export function defineUser(user: Command, io: Io, does: Does): void {
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
    .action(does(async (flags, [named = '']) => (await import('../commands/user-edit.js')).edit(io, flags, named)));
}
