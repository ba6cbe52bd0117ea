import type { Command } from 'commander';
import type { Static } from 'typebox';
import * as Type from 'typebox';
import { PasskeyError } from '../../errors.js';
import { strict } from '../../kernel/schema-kit.js';
import { grouped, groupedCount } from '../../kernel/wording.js';
import { openStore } from '../../store/open-store.js';
import type { Store } from '../../store/store.js';
import { type CopyReport, copyStore } from '../../store/transfer/copy-store.js';
import { openTarget, type Target } from '../../store/transfer/open-target.js';
import { countsDocument, countsInWords, RowCountsDocument, sumCounts } from '../../store/transfer-port.js';
import { describeArguments } from '../command.js';
import { type Flags, readFlag } from '../config/resolve.js';
import { STORE_SETTINGS } from '../config/settings.js';
import { addFlags } from '../flags.js';
import { addHelp } from '../help.js';
import { interruptible } from '../interruption.js';
import { type Io, printJson, say, warn } from '../io.js';
import { noteRows } from '../note-rows.js';
import { printable } from '../output/printable.js';
import { sayCreated } from '../parties.js';
import { showProgress } from '../progress.js';
import { counted, differences, storeName } from './schemas.js';

export function define(command: Command): void {
  addFlags(describeArguments(command, 'a path or postgres://…', 'another store: empty, absent, or an earlier copy that was interrupted'), {
    json: true,
  });
  addHelp(command, {
    examples: [
      'passkey store copy .passkey/passkeys.jsonl copy.jsonl',
      'passkey store copy .passkey/passkeys.jsonl postgres://passkey@localhost/passkeys',
    ],
    remarks: [
      'Rows keep their ids. The copy shows FROM at one moment, without later changes; to move a store, stop its servers first. If a copy was interrupted, run it again to continue. Exits 1 when TO contains anything else, before or after the copy.',
    ],
    common: ['--json'],
    page: 'store.md',
  });
}

export const storeCopy = Type.Object(
  {
    from: storeName,
    to: storeName,
    status: Type.Enum(['done', 'refused', 'differs'], {
      description: 'refused: TO contained something else, and was not changed. differs: TO now contains something else.',
    }),
    added: RowCountsDocument,
    kept: Type.Object(RowCountsDocument.properties, { ...strict, description: 'Rows that an earlier copy had added.' }),
    differences: differences('The first differences.'),
    differences_found: counted,
  },
  { ...strict, title: 'passkey store copy --json' },
);

const DIFFERS = 1;
const DOING = { check: 'Checking', copy: 'Copying', verify: 'Verifying' } as const;

/** Runs `passkey store copy FROM TO`. Exits 1 if the two stores differ after the copy. */
export async function run(io: Io, flags: Flags, args: readonly string[]): Promise<number> {
  const [from = '', to = ''] = ['FROM', 'TO'].map((name, index) => readLocation(io, name, args[index]));
  const source = await openStore(from, { create: false });
  try {
    const target = await openTarget(to, {
      onWarning: (message) => warn(io, message),
      onCreated: (location) => sayCreated(io, location),
    });
    try {
      if (source.location === target.location) {
        throw new PasskeyError('usage', `FROM and TO are the same store, ${source.location}. Name another one as TO.`);
      }
      const report = await copy(io, source, target);
      if (flags.json === true) printJson(io, toDocument(report, source, target));
      else sayResult(io, report, target);
      return report.status === 'done' ? 0 : DIFFERS;
    } finally {
      noteRows(io, target.audit(), { action: 'copy', via: 'passkey store copy', counts: target.added, reason: `from ${source.location}` });
      await target.close();
    }
  } finally {
    await source.close();
  }
}

function readLocation(io: Io, name: string, raw: unknown): string {
  const location = readFlag(io, STORE_SETTINGS.store.kind, name, raw);
  if (location !== 'memory:') return location;
  throw new PasskeyError(
    'usage',
    `${name} expects the path of a file or postgres://…: a memory store exists only inside \`passkey serve\`.`,
  );
}

async function copy(io: Io, source: Store, target: Target): Promise<CopyReport> {
  const progress = showProgress(io, { plain: true });
  let copied = 0;
  const unfinished = (error: unknown): unknown => {
    if (!(error instanceof PasskeyError) || copied === 0) return error;
    const begun = `${groupedCount(copied, 'row')} of ${source.location} ${copied === 1 ? 'is' : 'are'} in ${target.location}. Run the same command again to continue.`;
    const message = error.code === 'interrupted' ? `Interrupted; ${begun}` : `${error.message} ${begun}`;
    return new PasskeyError(error.code, message, { cause: error });
  };
  return interruptible(io, (signal) =>
    copyStore(source, target, {
      signal,
      onProgress(doing, moved) {
        if (doing === 'copy') copied = moved.done;
        progress.show(DOING[doing], moved);
      },
    }).catch((error: unknown) => {
      throw unfinished(error);
    }),
  ).finally(() => progress.clear());
}

/** Maximum number of differences that are shown. Further differences are mostly similar, and `--json` lists more of them. */
const SHOWN = 3;

function sayResult(io: Io, { status, added, kept, differences, found }: CopyReport, target: Target): void {
  for (const difference of differences.slice(0, SHOWN)) warn(io, printable(`  ${difference}`));
  if (found > SHOWN) warn(io, `  … and ${grouped(found - SHOWN)} more`);
  const had = sumCounts(kept) === 0 ? '' : `; ${countsInWords(kept)} had been copied before`;
  const differ = `${groupedCount(found, 'row')} ${found === 1 ? 'differs' : 'differ'}`;
  const message = {
    done: `Copied ${countsInWords(added)}${had}. Every row of ${target.location} was read back and is the same.`,
    refused: `passkey: ${target.location} is neither empty nor a part of a copy: ${differ}. Nothing was changed. Name an empty store as TO, or add to this one with \`passkey store import --merge\`.`,
    differs: `passkey: ${target.location} is not the same: ${differ}, because something else changed it while it was copied. Stop its servers, and copy to an empty store.`,
  }[status];
  (status === 'done' ? say : warn)(io, printable(message));
}

function toDocument({ status, added, kept, differences, found }: CopyReport, source: Store, target: Target): Static<typeof storeCopy> {
  return {
    from: source.location,
    to: target.location,
    status,
    added: countsDocument(added),
    kept: countsDocument(kept),
    differences: [...differences],
    differences_found: found,
  };
}
