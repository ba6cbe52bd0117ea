import type { Command } from 'commander';
import type { Static } from 'typebox';
import * as Type from 'typebox';
import { PasskeyError } from '../../errors.js';
import { id, strict } from '../../kernel/schema-kit.js';
import { grouped, groupedCount } from '../../kernel/wording.js';
import { type ImportReport, importLines } from '../../store/transfer/import-lines.js';
import { openTarget, type Target } from '../../store/transfer/open-target.js';
import { countsDocument, countsInWords, noRows, RowCountsDocument, sumCounts } from '../../store/transfer-port.js';
import { addStoreLocation, describeArguments } from '../command.js';
import { type Flags, resolveStoreSettings } from '../config/resolve.js';
import { withExport } from '../export-file.js';
import { addFlags } from '../flags.js';
import { addHelp } from '../help.js';
import { interruptible } from '../interruption.js';
import { type Io, print, printJson, say } from '../io.js';
import { noteRows } from '../note-rows.js';
import { printable } from '../output/printable.js';
import { sayCreated } from '../parties.js';
import { showProgress } from '../progress.js';
import { counted, differences, storeName } from './schemas.js';

export function define(command: Command): void {
  addFlags(describeArguments(command, 'an export, or the file of a store; - is standard input'), {
    merge: 'add only data that the store lacks, with new ids, and leave existing data unchanged',
    dryRun: 'print what would be added, and change nothing',
    json: true,
  });
  addHelp(addStoreLocation(command), {
    examples: ['passkey store import backup.jsonl', 'passkey store import backup.jsonl --store other.jsonl --merge --dry-run'],
    remarks: [
      'The store is created if it does not exist. Rows keep their ids. The whole export is read and compared before anything is changed: if a row does not fit the store (exit 1), or a line is damaged (exit 3), nothing is changed. If an import was interrupted, run it again to continue.',
    ],
    common: ['--merge', '--dry-run', '--json'],
    page: 'store.md',
  });
}

const ref = Type.Object({ type: Type.String(), id }, strict);

export const storeImport = Type.Object(
  {
    store: storeName,
    dry_run: Type.Boolean(),
    added: RowCountsDocument,
    kept: Type.Object(RowCountsDocument.properties, { ...strict, description: 'Rows that the store already had.' }),
    without_user: Type.Integer({ minimum: 0, description: 'Passkeys, sessions and tokens of users that the export does not describe.' }),
    conflicts: differences('The first rows that do not fit. Then nothing is changed.'),
    conflicts_found: counted,
    new_ids: Type.Object(
      {
        users: Type.Array(Type.Object({ from: ref, to: ref }, strict)),
        passkeys: Type.Array(Type.Object({ from: id, to: id }, strict)),
      },
      { ...strict, description: 'With --merge: rows whose id differs from that in the export.' },
    ),
  },
  { ...strict, title: 'passkey store import --json' },
);

const CONFLICTS = 1;

/** Runs `passkey store import`. Exits 1 if rows of the export file do not fit the store. */
export async function run(io: Io, flags: Flags, [file = '']: readonly string[]): Promise<number> {
  const settings = await resolveStoreSettings(io, flags);
  const dryRun = flags.dryRun === true;
  const store = await openTarget(settings.store, {
    onWarning: (message) => say(io, message),
    onCreated: (location) => sayCreated(io, location),
  });
  try {
    const report = await importFrom(io, store, { file, merge: flags.merge === true, dryRun });
    if (flags.json === true) printJson(io, toDocument(report, { store: store.location, dryRun }));
    else sayResult(io, report, dryRun);
    return report.status === 'done' ? 0 : CONFLICTS;
  } finally {
    noteRows(io, store.audit(), {
      action: 'import',
      via: 'passkey store import',
      counts: store.added,
      reason: `from ${file === '-' ? 'standard input' : file}`,
    });
    await store.close();
  }
}

async function importFrom(
  io: Io,
  store: Target,
  { file, ...options }: { file: string; merge: boolean; dryRun: boolean },
): Promise<ImportReport> {
  const progress = showProgress(io);
  let written = 0;
  return interruptible(io, (signal) =>
    withExport(
      io,
      file,
      (lines, name) =>
        importLines(store, lines, {
          ...options,
          name,
          signal,
          onProgress(doing, moved) {
            if (doing === 'write') written = moved.done;
            progress.show(doing === 'check' ? 'Checking' : 'Importing', moved);
          },
        }),
      signal,
    ).catch((error: unknown) => {
      throw written > 0 ? unfinished(error, written) : error;
    }),
  ).finally(() => progress.clear());
}

/** Makes the error of an interrupted import. Batches of rows that were already added stay in the store. */
function unfinished(cause: unknown, written: number): unknown {
  if (!(cause instanceof PasskeyError)) return cause;
  const begun = `${groupedCount(written, 'row')} of the export ${written === 1 ? 'is' : 'are'} in the store. Run the same command again to continue.`;
  const message = cause.code === 'interrupted' ? `Interrupted; ${begun}` : `${cause.message} ${begun}`;
  return new PasskeyError(cause.code, message, { cause });
}

function sayResult(io: Io, report: ImportReport, dryRun: boolean): void {
  if (report.status === 'conflicts') {
    for (const conflict of report.conflicts) say(io, printable(`  ${conflict}`));
    if (report.found > report.conflicts.length) say(io, `  … and ${grouped(report.found - report.conflicts.length)} more`);
    const changed = sumCounts(report.added) === 0 ? 'Nothing was changed.' : `${countsInWords(report.added)} had been added before.`;
    say(
      io,
      `passkey: ${groupedCount(report.found, 'row')} of the export ${report.found === 1 ? 'does' : 'do'} not fit the store. ${changed} Import into an empty store, or give new ids with --merge.`,
    );
    return;
  }
  const { added, kept, withoutOwner, newIds } = report;
  for (const { kind, from, to } of newIds) {
    print(io, printable(kind === 'passkey' ? `passkey ${from} -> ${to}` : `user ${from.type}:${from.id} -> ${to.type}:${to.id}`));
  }
  const had = sumCounts(kept) === 0 ? '' : ` The store already had ${countsInWords(kept)}.`;
  const strangers =
    withoutOwner === 0 ? '' : ` This includes ${groupedCount(withoutOwner, 'row')} of users that the export does not describe.`;
  say(io, `${dryRun ? 'Would add' : 'Added'} ${countsInWords(added)}.${had}${strangers}`);
}

function toDocument(report: ImportReport, { store, dryRun }: { store: string; dryRun: boolean }): Static<typeof storeImport> {
  const done = report.status === 'done' ? report : { kept: noRows(), withoutOwner: 0, newIds: [] };
  const conflicts = report.status === 'conflicts' ? report : { conflicts: [], found: 0 };
  return {
    store,
    dry_run: dryRun,
    added: countsDocument(report.added),
    kept: countsDocument(done.kept),
    without_user: done.withoutOwner,
    conflicts: [...conflicts.conflicts],
    conflicts_found: conflicts.found,
    new_ids: {
      users: done.newIds.flatMap((change) => (change.kind === 'owner' ? { from: change.from, to: change.to } : [])),
      passkeys: done.newIds.flatMap((change) => (change.kind === 'passkey' ? { from: change.from, to: change.to } : [])),
    },
  };
}
