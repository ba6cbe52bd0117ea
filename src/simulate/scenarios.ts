import { PasskeyError } from '../errors.js';
import { didYouMean } from '../kernel/nearest.js';
import { ALL_CASES } from './cases/all-cases.js';
import { toScenario } from './engine/case.js';
import type { RunContext } from './engine/context.js';
import { type FixtureSource, fixtureScenarios, type Replay } from './engine/fixture-scenarios.js';
import { type Scenario, type Selection, selectScenarios } from './engine/scenario.js';

/** The contents of a run. */
export interface ScenarioOptions {
  /** Fixture files, folders to search, or the texts of files. Empty: none. */
  readonly fixtures: readonly FixtureSource[];
  /** Ways of replay; default: both. */
  readonly replay?: readonly Replay[];
  /** The built-in cases run too; default true. */
  readonly cases?: boolean;
  /** Which scenarios to run; default: all. */
  readonly select?: Selection;
}

/**
 * Every scenario that the options select, in the order in which they run.
 *
 * @throws PasskeyError `fixture_invalid`, or `usage` when nothing is left to run.
 */
export async function listScenarios({ fixtures, replay, cases = true, select }: ScenarioOptions, run: RunContext): Promise<Scenario[]> {
  const recorded = await fixtureScenarios({ sources: fixtures, replays: replay ?? ['verbatim', 'rebound'] }, run);
  const chosen = (select?.ids ?? []).length + (select?.tags ?? []).length > 0;
  // Without a choice, the server in process is spared what it does not have, such as a recovery.
  const found = ALL_CASES.filter((each) => cases && (chosen || run.remote !== undefined || each.lacks?.(run.ownApi) === undefined));
  const all = [...recorded, ...found.map((each) => toScenario(each, run))];
  return selectScenarios(all, select).map((each) => withoutSkipped(each, readSkips(run)));
}

/** @throws PasskeyError `configuration_invalid` for a case that there is not. */
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
    `"skip" of the profile expects the ids of cases; got ${unknown}${near}. passkey simulate --list shows them.`,
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
