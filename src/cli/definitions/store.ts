import type { Command } from 'commander';
import type { Io } from '../io.js';
import { addStoreSettings, type Does, examples, remarks } from './options.js';

export function defineStore(program: Command, io: Io, does: Does): void {
  const store = program.command('store').description('look after the store itself');

  addStoreSettings(
    store
      .command('migrate')
      .description('bring the tables of a PostgreSQL store up to date, or make them')
      .option('--json', 'print one JSON document'),
  )
    .addHelpText(
      'after',
      remarks('Everything happens in one transaction. Stop older `passkey serve` processes first: they refuse newer tables.'),
    )
    .addHelpText('after', examples('passkey store migrate --store postgres://passkey@localhost/passkeys'))
    .action(does(async (flags) => (await import('../commands/store.js')).migrate(io, flags)));
}
