import type { Command } from 'commander';
import type { Io } from '../io.js';
import { addStoreSettings, type Does, examples, remarks } from './options.js';
import { defineMoving } from './store-moving.js';

export function defineStore(program: Command, io: Io, does: Does): void {
  const store = program.command('store').description('maintain the store');

  addStoreSettings(
    store
      .command('migrate')
      .description('create the tables of a PostgreSQL store, or bring them up to date')
      .option('--json', 'print one JSON document'),
  )
    .addHelpText(
      'after',
      remarks('Everything happens in one transaction. Stop older `passkey serve` processes first: they refuse newer tables.'),
    )
    .addHelpText('after', examples('passkey store migrate --store postgres://passkey@localhost/passkeys'))
    .action(does(async (flags) => (await import('../commands/store.js')).migrate(io, flags)));

  addStoreSettings(
    store
      .command('check')
      .description('read the store and its journal in full, and name what is damaged')
      .option('--json', 'print one JSON document'),
  )
    .addHelpText('after', remarks('Nothing is changed. Exits 3 when something is damaged.'))
    .addHelpText('after', examples('passkey store check', 'passkey store check --json'))
    .action(does(async (flags) => (await import('../commands/store.js')).check(io, flags)));
  addStoreSettings(
    store
      .command('repair')
      .description('write what can be read of a damaged store into a new file')
      .option('--out <file>', 'the new file')
      .option('--json', 'print one JSON document'),
  )
    .addHelpText(
      'after',
      remarks(
        'The store itself is not changed. Look at what is named as damaged, then put the new file in its place, without the old journal.',
      ),
    )
    .addHelpText('after', examples('passkey store repair --out repaired.json'))
    .action(does(async (flags) => (await import('../commands/store.js')).repair(io, flags)));
  defineMoving(store, io, does);
}
