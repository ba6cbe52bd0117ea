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
  /** Which of them to run; default: all. */
  readonly select?: Selection;
}

/**
 * Every scenario that the options select, in the order in which they run.
 *
 * @throws PasskeyError `fixture_invalid`, or `usage` when nothing is left to run.
 */
export async function listScenarios({ fixtures, replay, cases = true, select }: ScenarioOptions, run: RunContext): Promise<Scenario[]> {
  const recorded = await fixtureScenarios({ sources: fixtures, replays: replay ?? ['verbatim', 'rebound'] }, run);
  return selectScenarios([...recorded, ...(cases ? ALL_CASES.map((each) => toScenario(each, run)) : [])], select);
}
