import { PasskeyError } from '../errors.js';
import { didYouMean } from '../kernel/nearest.js';
import { ALL_CASES } from './cases/all-cases.js';
import { toScenario } from './engine/case.js';
import type { RunContext } from './engine/context.js';
import { type FixtureSource, fixtureScenarios, type Replay } from './engine/fixture-scenarios.js';
import { type Scenario, type Selection, selectScenarios } from './engine/scenario.js';

/** Options that decide which fixtures and cases a run contains. */
export interface ScenarioOptions {
  /** Fixtures to replay: file paths, folders to search, or the contents of files. Empty: no fixtures. */
  readonly fixtures: readonly FixtureSource[];
  /** Ways in which each fixture is replayed; default: both. */
  readonly replay?: readonly Replay[];
  /** Whether the built-in cases run in addition to the fixtures; default: true. */
  readonly cases?: boolean;
  /** Filter for the scenarios to run; default: all. */
  readonly select?: Selection;
}

/**
 * Lists every scenario that the options select, in the order in which the scenarios run.
 *
 * @throws PasskeyError `fixture_invalid`, or `usage` if no scenario is left to run.
 */
export async function listScenarios({ fixtures, replay, cases = true, select }: ScenarioOptions, run: RunContext): Promise<Scenario[]> {
  const recorded = await fixtureScenarios({ sources: fixtures, replays: replay ?? ['verbatim', 'rebound'] }, run);
  const chosen = (select?.ids ?? []).length + (select?.tags ?? []).length > 0;
  // Without a choice, the server in process is spared what it does not have, such as a recovery.
  const found = ALL_CASES.filter((each) => cases && (chosen || run.remote !== undefined || each.lacks?.(run.ownApi) === undefined));
  const all = [...recorded, ...found.map((each) => toScenario(each, run))];
  return selectScenarios(all, select).map((each) => withoutSkipped(each, readSkips(run)));
}

/**
 * Reads the cases that the profile skips, with the reason for each.
 *
 * @throws PasskeyError `configuration_invalid` for a case that does not exist.
 */
function readSkips({ remote }: RunContext): Readonly<Record<string, string>> {
  const skips = remote?.driver.skip ?? {};
  const unknown = Object.keys(skips).find((id) => ALL_CASES.every((each) => each.id !== id));
  if (unknown === undefined) return skips;
  const near = didYouMean(
    unknown,
    ALL_CASES.map(({ id }) => id),
  );
  throw new PasskeyError(
    'configuration_invalid',
    `Expected case IDs in "skip" of the profile; got ${unknown}${near}. passkey simulate --list shows all IDs.`,
  );
}

function withoutSkipped(scenario: Scenario, skips: Readonly<Record<string, string>>): Scenario {
  const reason = Object.hasOwn(skips, scenario.id) ? skips[scenario.id] : undefined;
  if (reason === undefined) return scenario;
  return {
    ...scenario,
    run: () => Promise.resolve({ status: 'not_applicable', reason: `skipped by the profile: ${reason}`, skipped: true }),
  };
}
