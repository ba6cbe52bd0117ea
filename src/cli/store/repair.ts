import { resolve } from 'node:path';
import type { Command } from 'commander';
import * as Type from 'typebox';
import { PasskeyError } from '../../errors.js';
import { strict } from '../../kernel/schema-kit.js';
import { groupedCount } from '../../kernel/wording.js';
import { repairStore } from '../../store/inspect.js';
import { addStoreLocation } from '../command.js';
import type { Flags } from '../config/resolve.js';
import { addFlags } from '../flags.js';
import { addHelp } from '../help.js';
import { type Io, print, printJson, say } from '../io.js';
import { printable } from '../output/printable.js';
import { describeContent, reportMembers, resolveFile, sayDamages, toDocument } from './report.js';

export function define(command: Command): void {
  addFlags(command, { out: 'the new file', json: true });
  addHelp(addStoreLocation(command), {
    examples: ['passkey store repair --out repaired.jsonl'],
    remarks: ['The store itself is not changed. Check the damage that is listed, then replace the store with the new file.'],
    common: ['--out', '--json'],
    page: 'store.md',
  });
}

export const storeRepair = Type.Object(
  { ...reportMembers, out: Type.String({ description: 'The new file.' }) },
  { ...strict, title: 'passkey store repair --json' },
);

/** Runs `passkey store repair`. */
export async function run(io: Io, flags: Flags): Promise<void> {
  const store = await resolveFile(io, flags);
  if (typeof flags.out !== 'string' || flags.out === '') throw new PasskeyError('usage', 'Name the new file with --out.');
  const out = resolve(io.cwd, flags.out);
  const report = await repairStore(store, out);
  if (flags.json === true) return printJson(io, { ...toDocument(report), out });
  sayDamages(io, report);
  print(io, printable(out));
  say(
    io,
    printable(
      `Saved ${describeContent(report)}; ${report.damages.length === 0 ? 'nothing was damaged' : `${groupedCount(report.damages.length, 'fault')} left out`}.`,
    ),
  );
}
