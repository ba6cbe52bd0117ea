import { readFile } from 'node:fs/promises';
import { type Part, runCatalogue, SETTING_NAMES } from './catalogue.js';
import { FAULTS, type FaultId } from './faults.js';
import { settingOf } from './settings.js';

/** Cases that tell each fault, some of all that do: what one of them told must stay told. */
export async function readTold(): Promise<ReadonlyMap<string, readonly string[]>> {
  const told: Record<string, readonly string[]> = JSON.parse(await readFile(new URL('told.json', import.meta.url), 'utf8'));
  return new Map(Object.entries(told));
}

export interface Check {
  readonly what: string;
  /** Undefined: it is as it should be. */
  readonly wrong: string | undefined;
}

/** What is wrong with how the catalogue tells a fault; undefined: a case tells it. */
async function checkFault(fault: FaultId, known: readonly string[]): Promise<string | undefined> {
  const setting = settingOf(fault);
  const { told } = known.length > 0 ? await runCatalogue([fault], { setting, cases: known }) : { told: [] };
  if (told.length > 0) return undefined;
  const all = await runCatalogue([fault], { setting });
  const before = known.length > 0 ? `no longer told by ${known.join(', ')}` : 'not in told.json';
  if (all.told.length === 0) return `${before}, nor by any other case`;
  return `${before}, but by ${all.told.slice(0, 3).join(', ')}: put that into told.json`;
}

async function checkCorrect(setting: (typeof SETTING_NAMES)[number]): Promise<string | undefined> {
  const { told } = await runCatalogue([], { setting });
  return told.length === 0 ? undefined : `false alarms: ${told.join(', ')}`;
}

/** That the correct relying party is silent in every setting, and that every fault is told as it was. */
export async function* checkTable({ part, of }: Part): AsyncGenerator<Check> {
  const told = await readTold();
  const checks = [
    ...SETTING_NAMES.map((setting) => ({ what: `the correct relying party (${setting})`, run: () => checkCorrect(setting) })),
    ...FAULTS.map(({ id }) => ({ what: id, run: () => checkFault(id, told.get(id) ?? []) })),
  ];
  for (const { what, run } of checks.filter((_, index) => index % of === part - 1)) yield { what, wrong: await run() };
}
