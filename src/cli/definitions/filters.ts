import { type Command, Option } from 'commander';
import { collect, remarks } from './options.js';

const TIME = 'a date, a time or how long ago, e.g. 2026-01-31 or 30d';

export const FILTERS_HELP = remarks('Filters narrow each other. Times are in UTC where they name no offset.');

/** Order, page and form of a list. */
export function addListOptions(
  command: Command,
  { columns, sorts, noun }: { readonly columns: readonly string[]; readonly sorts: readonly string[]; readonly noun: string },
): Command {
  return command
    .option('--sort <column>', `${sorts.join(', ')}; a leading - reverses the order`)
    .option('--limit <number>', 'at most this many')
    .option('--offset <number>', `leave out this many ${noun} first`)
    .option('--columns <names>', `these columns, separated by commas: ${columns.join(', ')}`)
    .addOption(new Option('--json', 'print one JSON document').conflicts('csv'))
    .option('--csv', 'print comma-separated values (RFC 4180)');
}

/** Filters of `passkey list`. Without `states`, for a command that knows which of live and revoked ones it is for. */
export function addPasskeyFilters(command: Command, { states = true }: { readonly states?: boolean } = {}): Command {
  addCommonFilters(command, { label: 'label', passkey: '' }).option(
    '--unused-since <time>',
    `only those not used since: ${TIME}; one that was never used counts from its registration`,
  );
  return states
    ? addRevocationFilters(command)
        .addOption(new Option('--revoked', 'only revoked ones').conflicts('all'))
        .option('--all', 'live and revoked ones')
    : command;
}

/** Filters of commands that look for revoked passkeys. */
export function addRevocationFilters(command: Command): Command {
  return command
    .option('--revoked-since <time>', `only those revoked since: ${TIME}`)
    .option('--revoked-reason <text>', 'only those revoked for a reason with this text in it, in any case')
    .option('--change <id>', 'only those that one change revoked, by the id that it printed');
}

/** Filters of `passkey user list`. */
export function addUserFilters(command: Command): Command {
  return addCommonFilters(command, { label: 'name or e-mail', passkey: ' with a passkey' })
    .option('--unused-since <time>', `only those who used no passkey since: ${TIME}; one who never did counts from when they were added`)
    .option('--revoked', 'only those with a revoked passkey');
}

/** Filters of `passkey token list`; when a token was last used is not stored. `states` as above. */
export function addTokenFilters(command: Command, { states = true }: { readonly states?: boolean } = {}): Command {
  addCommonFilters(command, { label: 'label', passkey: ' opened with a passkey' });
  return states
    ? command.addOption(new Option('--revoked', 'only revoked ones').conflicts('all')).option('--all', 'include revoked and expired ones')
    : command;
}

/** `passkey` goes before what is asked of a passkey. */
function addCommonFilters(command: Command, { label, passkey }: { readonly label: string; readonly passkey: string }): Command {
  return command
    .option('--user <user>', 'only those of this user: an e-mail, TYPE:ID or id')
    .option('--type <type>', 'only those of this type of user')
    .option('--label <text>', `only those with this text in their ${label}, in any case`)
    .option('--rp-id <id>', `only those${passkey} of this RP ID`)
    .option('--provider <name>', `only those${passkey} of a provider or security key whose name has this in it, in any case`)
    .option('--aaguid <aaguid>', `only those${passkey} with this AAGUID; repeatable`, collect)
    .option('--backed-up', `only those${passkey} whose private key is backed up`)
    .option('--no-backed-up', `only those${passkey} whose private key is not backed up`)
    .option('--created-before <time>', `only those made before: ${TIME}`);
}
