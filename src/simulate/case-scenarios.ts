import { ALL_CASES } from './cases/all-cases.js';
import { runCase } from './cases/case.js';
import type { Playhouse } from './cases/stage.js';
import { describeExpected, type Scenario } from './scenario.js';

/** Every case as something to run. Tagged by its part, its outcome and its code. */
export function caseScenarios(playhouse: Playhouse): Scenario[] {
  return ALL_CASES.map((played) => ({
    id: played.id,
    source: 'case',
    title: played.title,
    tags: [...new Set(['case', ...played.tags, ...outcomeTags(played.expected)])],
    expected: describeExpected(played.expected),
    run: () => runCase(played, playhouse),
  }));
}

function outcomeTags(expected: (typeof ALL_CASES)[number]['expected']): string[] {
  return expected.outcome === 'verified' ? ['verified'] : ['rejected', expected.code];
}
