import { setTimeout as sleep } from 'node:timers/promises';
import type { Command } from 'commander';
import * as Type from 'typebox';
import { AUDIT_ACTIONS, AUDIT_OUTCOMES, AUDIT_WAYS, AuditEntry, type AuditReader } from '../../store/audit/entry.js';
import { addStoreSettings } from '../command.js';
import { type Flags, readFlag, resolveStoreSettings } from '../config/resolve.js';
import { integer } from '../config/values.js';
import { addFlags } from '../flags.js';
import { addHelp } from '../help.js';
import { stopped } from '../interruption.js';
import { type Io, printAll, printJsonArray, say, warn } from '../io.js';
import { printable, toJson } from '../output/printable.js';
import { withParties } from '../parties.js';
import { type AuditFilter, readAuditFilter } from './filter.js';
import { auditTable } from './table.js';

const TIME = 'a date, a time or how long ago, e.g. 2026-01-31 or 2h';

export function define(command: Command): void {
  addFlags(
    command,
    {
      follow: 'print new entries as they are added, until Ctrl-C',
      since: `only entries since this time: ${TIME}`,
      until: `only entries before this time: ${TIME}`,
      user: 'only what this user did, or what was done to this user: an e-mail, TYPE:ID or id; removed users too',
      passkey: 'only entries about this passkey: its id or credential ID',
      action: { about: `only this action: ${AUDIT_ACTIONS.join(', ')}; repeatable`, completes: { words: AUDIT_ACTIONS, several: true } },
      outcome: { about: `only this outcome: ${AUDIT_OUTCOMES.join(', ')}`, completes: { words: AUDIT_OUTCOMES } },
      code: 'only ceremonies refused with this error code; repeatable',
      via: {
        about: `only entries from this source: ${AUDIT_WAYS.join(', ')}; repeatable`,
        completes: { words: AUDIT_WAYS, several: true },
      },
      change: 'only entries of one bulk change, by the id that it printed',
      limit: 'at most this many entries, the latest ones',
      json: 'print one JSON document; with --follow one line per entry',
    },
    'Filters:',
  );
  addHelp(addStoreSettings(command), {
    examples: [
      'passkey audit',
      'passkey audit --user ada@example.com --since 7d',
      'passkey audit --action authenticate,register --outcome refused --json',
      'passkey audit --passkey 3 --limit 20',
      'passkey audit --follow',
    ],
    remarks: [
      'The log is next to the file of the store, or in the database. A file keeps about 25 MB, a database 60,000 entries; older entries are deleted. The log holds no secrets, but names, e-mails and addresses.',
    ],
    common: ['--follow', '--user', '--since', '--action', '--json'],
    page: 'audit.md',
  });
}

export const auditList = Type.Array(AuditEntry, { title: 'passkey audit --json' });

/** Milliseconds between two checks for new entries in the audit log. */
const PAUSE = 250;

/** Runs `passkey audit`. With `--follow`, it runs until SIGINT or SIGTERM and then exits 0, as `passkey serve` does. */
export async function run(io: Io, flags: Flags): Promise<void> {
  const settings = await resolveStoreSettings(io, flags);
  const limit = flags.limit === undefined ? undefined : readFlag(io, integer({ min: 1, max: 1_000_000_000 }), '--limit', flags.limit);
  const follow = flags.follow === true;
  await withParties(io, { settings, create: false }, async ({ store, accounts }) => {
    if (store.audit === undefined) return say(io, NOTHING);
    const filter = await readAuditFilter(io, flags, accounts);
    const reader = store.audit.read();
    const first = await readOn(io, reader, { filter, limit });
    const table = auditTable(io, accounts, { follow });
    if (!follow) {
      if (flags.json === true) return printJsonArray(io, first.entries);
      if (first.entries.length === 0) return say(io, first.total === 0 ? NOTHING : 'No entry of the audit log matches.');
      await printAll(io, await table(first.entries));
      return;
    }
    const show = async (entries: readonly AuditEntry[]): Promise<boolean> =>
      printAll(io, flags.json === true ? entries.map((entry) => `${toJson(entry)}\n`) : await table(entries));
    await untilStopped(io, async (signal) => {
      for (let { entries } = first; await show(entries); { entries } = await readOn(io, reader, { filter })) {
        // Aborted, it rejects; the loop then ends.
        if (signal.aborted || !(await sleep(PAUSE, true, { signal }).catch(() => false))) return;
      }
    });
  });
}

const NOTHING = 'Nothing has been recorded yet. `passkey serve`, and every command that changes something, records what it does.';

interface Wanted {
  readonly filter: AuditFilter;
  /** Maximum number of entries to show. If there are more, the latest ones are shown. */
  readonly limit?: number | undefined;
}

async function readOn(io: Io, reader: AuditReader, { filter, limit = Infinity }: Wanted) {
  let entries: AuditEntry[] = [];
  let total = 0;
  const onDamage = ({ file, line }: { file: string; line: number }) =>
    warn(io, printable(`${file}:${line} is not a valid entry, and was left out. Its process may have been killed while writing.`));
  for await (const entry of reader.readOn(onDamage)) {
    total += 1;
    if (!filter(entry)) continue;
    entries.push(entry);
    if (entries.length > 2 * limit) entries = entries.slice(-limit);
  }
  return { entries: entries.slice(-Math.min(limit, entries.length)), total };
}

async function untilStopped(io: Io, work: (signal: AbortSignal) => Promise<void>): Promise<void> {
  const controller = new AbortController();
  void stopped(io).then(() => controller.abort());
  await work(controller.signal);
}
