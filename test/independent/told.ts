import { readFile } from 'node:fs/promises';
import { headFinding } from '../../src/simulate/reporters/words.js';
import { ATTESTING_SETTINGS, listTried, whyHidden } from './attesting.js';
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
  /** The first finding. */
  readonly finding?: string | undefined;
}

/** The cause of the first finding, which names the fault, for each fault. */
export async function readFirstFindings(): Promise<ReadonlyMap<string, string>> {
  const faults: Record<string, readonly string[]> = JSON.parse(await readFile(new URL('first-findings.json', import.meta.url), 'utf8'));
  return new Map(Object.entries(faults).flatMap(([cause, ids]) => ids.map((id): [string, string] => [id, cause])));
}

async function checkFault(fault: FaultId, known: readonly string[], cause: string | undefined): Promise<Omit<Check, 'what'>> {
  const { told, first } = await runCatalogue([fault], { setting: settingOf(fault) });
  const finding = first && headFinding(first);
  if (told.length === 0) return { wrong: 'no case tells it' };
  if (!known.some((id) => told.includes(id))) {
    return {
      wrong: `not told by ${known.join(', ') || 'told.json'}, but by ${told.slice(0, 3).join(', ')}: put that into told.json`,
      finding,
    };
  }
  return {
    wrong: first?.cause === cause ? undefined : `expected a first finding with the cause "${cause}"; the first is "${finding}"`,
    finding,
  };
}

async function checkStillTold(fault: FaultId, known: readonly string[]): Promise<Omit<Check, 'what'>> {
  const { told } = await runCatalogue([fault], { setting: settingOf(fault), cases: known });
  return { wrong: told.length === 0 ? `no longer told by ${known.join(', ')}` : undefined };
}

async function checkCorrect(setting: (typeof SETTING_NAMES)[number]): Promise<Omit<Check, 'what'>> {
  const { told } = await runCatalogue([], { setting });
  return { wrong: told.length === 0 ? undefined : `false alarms: ${told.join(', ')}` };
}

/** In a party that takes one attestation statement format, the cases that told a fault in any format tell it, unless the table says why not. */
async function checkAttesting(
  setting: (typeof ATTESTING_SETTINGS)[number],
  known: ReadonlyMap<string, readonly string[]>,
): Promise<Omit<Check, 'what'>> {
  const wrong: string[] = [];
  for (const fault of listTried(setting)) {
    const { told } = await runCatalogue([fault], { setting, cases: known.get(fault) ?? [] });
    const reason = whyHidden(setting, fault);
    if (told.length === 0 && reason === undefined) wrong.push(`${fault} is not told`);
    if (told.length > 0 && reason !== undefined) wrong.push(`${fault} is told by ${told.join(', ')}, although ${reason}`);
  }
  return { wrong: wrong.length === 0 ? undefined : wrong.join('; ') };
}

/**
 * That the correct relying party is silent in every setting, that every fault is told as it was, and that its first finding names it.
 *
 * @param isWhole runs the whole catalogue for each fault, which takes minutes; else the cases that told it, whatever the first finding.
 */
export async function* checkTable({ part, of }: Part, isWhole: boolean): AsyncGenerator<Check> {
  const told = await readTold();
  const causes = await readFirstFindings();
  const check = (id: FaultId, known: readonly string[]) => (isWhole ? checkFault(id, known, causes.get(id)) : checkStillTold(id, known));
  const checks = [
    ...SETTING_NAMES.map((setting) => ({ what: `the correct relying party (${setting})`, run: () => checkCorrect(setting) })),
    ...ATTESTING_SETTINGS.map((setting) => ({
      what: `faults of a party with one format (${setting})`,
      run: () => checkAttesting(setting, told),
    })),
    ...FAULTS.map(({ id }) => ({ what: id, run: () => check(id, told.get(id) ?? []) })),
  ];
  for (const { what, run } of checks.filter((_, index) => index % of === part - 1)) yield { what, ...(await run()) };
}
