import type { Command } from 'commander';
import type { Io } from '../io.js';
import { addPasskeyFilters, FILTERS_HELP } from './filters.js';
import { addStoreSettings, type Does, examples, remarks } from './options.js';

export function defineStats(program: Command, io: Io, does: Does): void {
  const stats = program.command('stats').description('count passkeys, users, providers, algorithms and use');
  addPasskeyFilters(stats)
    .option('--top <number>', 'name this many RP IDs and providers, count the rest as other (default: 10)')
    .option('--json', 'print one JSON document');
  addStoreSettings(stats)
    .addHelpText('after', FILTERS_HELP)
    .addHelpText(
      'after',
      remarks('Live passkeys are counted, unless --revoked or --all say otherwise. Months are the last twelve; --json has all of them.'),
    )
    .addHelpText(
      'after',
      examples('passkey stats', 'passkey stats --rp-id example.com --unused-since 90d', "passkey stats --json | jq '.providers'"),
    )
    .action(does(async (flags) => (await import('../commands/stats.js')).stats(io, flags)));
}
