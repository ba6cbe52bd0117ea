import type { Command } from 'commander';
import { AUDIT_ACTIONS, AUDIT_OUTCOMES, AUDIT_WAYS } from '../../store/audit/entry.js';
import type { Io } from '../io.js';
import { addStoreSettings, collect, type Does, examples, remarks } from './options.js';

const TIME = 'a date, a time or how long ago, e.g. 2026-01-31 or 2h';

export function defineAudit(program: Command, io: Io, does: Does): void {
  addStoreSettings(
    program
      .command('audit')
      .description('show who did what when, the latest last')
      .option('-f, --follow', 'go on with what is added, until Ctrl-C')
      .option('--since <time>', `only what was done since: ${TIME}`)
      .option('--until <time>', `only what was done before: ${TIME}`)
      .option('--user <user>', 'only what this user did, or what was done to them: an e-mail, TYPE:ID or id; removed ones too')
      .option('--passkey <id>', 'only what is about this passkey: its id or credential ID')
      .option('--action <action>', `only this: ${AUDIT_ACTIONS.join(', ')}; repeatable`, collect)
      .option('--outcome <outcome>', `only this: ${AUDIT_OUTCOMES.join(', ')}`)
      .option('--code <code>', 'only ceremonies refused with this error code; repeatable', collect)
      .option('--via <way>', `only what came this way: ${AUDIT_WAYS.join(', ')}; repeatable`, collect)
      .option('--change <id>', 'only what one bulk change did, by the id that it printed')
      .option('--limit <number>', 'at most this many, the latest')
      .option('--json', 'print one JSON document; with --follow one line per entry'),
  )
    .addHelpText(
      'after',
      remarks(
        'The log stands beside the JSON file, or in the database. Of a file it keeps about 25 MB, of a database 60,000 entries; older ones go. It holds no secrets, but names, e-mails and addresses.',
      ),
    )
    .addHelpText(
      'after',
      examples(
        'passkey audit',
        'passkey audit --user ada@example.com --since 7d',
        'passkey audit --action authenticate,register --outcome refused --json',
        'passkey audit --passkey 3 --limit 20',
        'passkey audit --follow',
      ),
    )
    .action(does(async (flags) => (await import('../commands/audit.js')).run(io, flags)));
}
