import type { Command } from 'commander';
import { checkStore } from '../../store/inspect.js';
import { addStoreLocation } from '../command.js';
import type { Flags } from '../config/resolve.js';
import { addFlags } from '../flags.js';
import { addHelp } from '../help.js';
import { type Io, print, printJson, warn } from '../io.js';
import { printable } from '../output/printable.js';
import { storeFlag } from '../store-flag.js';
import { describeContent, resolveFile, sayDamages, toDocument } from './report.js';

const DAMAGED = 3;

export function define(command: Command): void {
  addHelp(addStoreLocation(addFlags(command, { json: true })), {
    examples: ['passkey store check', 'passkey store check --json'],
    remarks: ['Nothing is changed. Exits 3 when something is damaged.'],
    common: ['--json'],
    page: 'store.md',
  });
}

/** Runs `passkey store check`. Exits 3 if a part of the store is damaged. */
export async function run(io: Io, flags: Flags): Promise<number> {
  const store = await resolveFile(io, flags);
  const report = await checkStore(store);
  const { damages } = report;
  if (flags.json === true) {
    printJson(io, toDocument(report));
  } else {
    sayDamages(io, report);
    print(
      io,
      printable(
        damages.length === 0
          ? `${report.path} is undamaged: ${describeContent(report)}.`
          : `${report.path} is damaged. Readable: ${describeContent(report)}.`,
      ),
    );
    if (damages.length > 0) {
      warn(io, printable(`Run \`passkey store repair --out FILE${storeFlag(flags.store)}\` to save the readable part to a new file.`));
    }
  }
  return damages.length === 0 ? 0 : DAMAGED;
}
