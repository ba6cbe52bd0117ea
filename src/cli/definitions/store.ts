import type { Command } from 'commander';
import type { Io } from '../io.js';
import { addStoreSettings, type Does, examples, remarks } from './options.js';

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

/** `passkey store export`, `import`, `copy` and `backup`. */
function defineMoving(store: Command, io: Io, does: Does): void {
  addStoreSettings(
    store
      .command('export')
      .description('write everything in the store as JSON Lines')
      .option('--out <file>', 'the new file; - is standard output (default: -)')
      .option('--json', 'with --out FILE: print one JSON document about it'),
  )
    .addHelpText(
      'after',
      remarks(
        'The export shows the store at one moment, and others may change the store meanwhile. Tokens and sessions are in it as SHA-256 sums, so they go on working where it is imported.',
      ),
    )
    .addHelpText('after', examples('passkey store export', 'passkey store export --out today.jsonl'))
    .action(does(async (flags) => (await import('../commands/store-export.js')).run(io, flags)));

  addStoreSettings(
    store
      .command('import')
      .description('add the rows of an export to the store')
      .argument('<file>', 'the export; - is standard input')
      .option('--merge', 'give new ids to what the store does not have, and leave alone what it has')
      .option('--dry-run', 'say what would be added, and change nothing')
      .option('--json', 'print one JSON document'),
  )
    .addHelpText(
      'after',
      remarks(
        'The store is created if there is none. Rows keep their ids. The whole export is read and compared before anything is changed: a row that does not fit the store (exit 1), or a damaged line (exit 3), changes nothing. An import that was interrupted goes on when it is run again.',
      ),
    )
    .addHelpText(
      'after',
      examples('passkey store import passkeys.jsonl', 'passkey store import passkeys.jsonl --store other.json --merge --dry-run'),
    )
    .action(does(async (flags, args) => (await import('../commands/store-import.js')).run(io, flags, args[0] ?? '')));

  store
    .command('copy')
    .description('copy a store to another one, and compare every row')
    .argument('<from>', 'a path or postgres://…')
    .argument('<to>', 'another one: empty, absent, or an earlier copy that was interrupted')
    .option('--json', 'print one JSON document')
    .addHelpText(
      'after',
      remarks(
        'Rows keep their ids. The copy shows FROM at one moment: what servers change there afterwards is not in it, so stop them first if they are to move. A copy that was interrupted goes on when it is run again. Exits 1 when TO holds, or comes to hold, anything else.',
      ),
    )
    .addHelpText(
      'after',
      examples(
        'passkey store copy .passkey/passkeys.json copy.json',
        'passkey store copy .passkey/passkeys.json postgres://passkey@localhost/passkeys',
      ),
    )
    .action(does(async (flags, args) => (await import('../commands/store-copy.js')).run(io, flags, args)));

  addStoreSettings(
    store
      .command('backup')
      .description('write a copy of the store into a new file, and read it back')
      .option(
        '--out <file|dir>',
        'the new file, or a folder for one with the time in its name (default: the folder backups beside the store)',
      )
      .option('--keep <count>', 'then remove the oldest backups of this store in the folder, so that COUNT are left')
      .option('--json', 'print one JSON document'),
  )
    .addHelpText(
      'after',
      remarks(
        'Servers may go on. The backup of a JSON file opens as a store; that of a PostgreSQL store is an export, for `passkey store import`. Without --out, backups of a PostgreSQL store go to .passkey/backups.',
      ),
    )
    .addHelpText('after', examples('passkey store backup', 'passkey store backup --out backups/ --keep 7'))
    .action(does(async (flags) => (await import('../commands/store-backup.js')).run(io, flags)));
}
