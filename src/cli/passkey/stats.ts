import { stat } from 'node:fs/promises';
import type { Command } from 'commander';
import { grouped } from '../../kernel/wording.js';
import { isPostgresUrl } from '../../store/open-store.js';
import { addStoreSettings } from '../command.js';
import { type Flags, readFlag, resolveStoreSettings } from '../config/resolve.js';
import { integer } from '../config/values.js';
import { addAllPasskeyFilters, FILTERS_HELP, passkeyFilter, readFilters, readLife } from '../filters.js';
import { addFlags } from '../flags.js';
import { addHelp } from '../help.js';
import { type Io, print, printJson } from '../io.js';
import { printable } from '../output/printable.js';
import { withParties } from '../parties.js';
import { countStatistics, type Statistics } from './statistics.js';

export function define(command: Command): void {
  addFlags(addAllPasskeyFilters(command), {
    top: 'name this many RP IDs and providers, and count the rest as other (default: 10)',
    json: true,
  });
  addHelp(addStoreSettings(command), {
    examples: ['passkey stats', 'passkey stats --rp-id example.com --unused-since 90d', "passkey stats --json | jq '.providers'"],
    remarks: [
      FILTERS_HELP,
      'Live passkeys are counted, unless --revoked or --all is given. The last twelve months are shown; --json has all of them.',
    ],
    common: ['--user', '--rp-id', '--all', '--top', '--json'],
    page: 'admin.md',
  });
}

const TOP = 10;

/** Runs `passkey stats`. */
export async function run(io: Io, flags: Flags): Promise<void> {
  const settings = await resolveStoreSettings(io, flags);
  const top = flags.top === undefined ? TOP : readFlag(io, integer({ min: 1, max: 1000 }), '--top', flags.top);
  const document = await withParties(io, { settings, create: false }, async (parties): Promise<Statistics> => {
    const filter = passkeyFilter(await readFilters(io, flags, parties.accounts), readLife(flags));
    const counted = await countStatistics(parties, { filter, top, now: io.now() });
    const { location } = parties.store;
    return { store: location, store_bytes: isPostgresUrl(location) ? null : await measure(location), ...counted };
  });
  if (flags.json === true) return printJson(io, document);
  print(io, render(document));
}

async function measure(path: string): Promise<number> {
  return stat(path).then(
    ({ size }) => size,
    () => 0,
  );
}

/** Renders statistics as sections of names and numbers. The numbers of all sections are aligned in one column. */
function render(o: Statistics): string {
  const months = (rows: Statistics['registrations_by_month']) => rows.slice(-MONTHS).map(({ month, count }): Line => [month, count]);
  const ranking = (rows: Statistics['providers']) => rows.map(({ name, count }): Line => [name, count]);
  const sections: [string, Line[]][] = [
    [
      o.store_bytes === null ? o.store : `${o.store}, ${megabytes(o.store_bytes)}`,
      [
        ['live passkeys', o.passkeys.live],
        ['revoked passkeys', o.passkeys.revoked],
        ['users', o.users.total],
        ['  with such passkeys', o.users.with_passkeys],
        ['  without', o.users.without_passkeys],
        ['live tokens', o.live_tokens],
        ['live sessions', o.live_sessions],
      ],
    ],
    [
      'Passkeys',
      [
        ['synced (backup eligible)', o.backup.synced],
        ['  backed up', o.backup.backed_up],
        ['device-bound', o.backup.device_bound],
        ['user verified', o.user_verified],
        ['never used', o.never_used],
        ['unused for 30 days', o.unused.days_30],
        ['unused for 90 days', o.unused.days_90],
        ['unused for 365 days', o.unused.days_365],
      ],
    ],
    ['RP IDs', ranking(o.rp_ids)],
    ['Providers', ranking(o.providers)],
    ['Algorithms', ranking(o.algorithms)],
    ['Attestation', ranking(o.attestation_formats)],
    ['Registrations', months(o.registrations_by_month)],
    ['Last uses', months(o.last_uses_by_month)],
  ];
  const shown = sections
    .filter(([, lines]) => lines.length > 0)
    .map(([title, lines]) => ({ title, lines: lines.map(([name, n]) => [printable(name), grouped(n)] as const) }));
  const all = shown.flatMap(({ lines }) => lines);
  const names = Math.max(...all.map(([name]) => name.length));
  const numbers = Math.max(...all.map(([, number]) => number.length));
  return shown
    .map(({ title, lines }) =>
      [printable(title), ...lines.map(([name, number]) => `  ${name.padEnd(names)}  ${number.padStart(numbers)}`)].join('\n'),
    )
    .join('\n\n');
}

type Line = readonly [name: string, number: number];

/** Maximum number of months that are shown; these are the latest ones. `--json` has all months. */
const MONTHS = 12;

const megabytes = (bytes: number): string => (bytes < 100_000 ? `${(bytes / 1000).toFixed(1)} kB` : `${(bytes / 1_000_000).toFixed(1)} MB`);
