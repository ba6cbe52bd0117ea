import { describeExpected, type ExpectedAnswer } from './compare-answer.js';
import { type CaseContext, inContext, type RunContext } from './context.js';
import type { ServerSetup } from './in-process.js';
import type { Mismatch } from './report.js';
import { type Scenario, type Verdict, verdictOf } from './scenario.js';
import { testedStep } from './tested-step.js';

/** What only a server in process can offer, with the reason that is given when it is missing. */
const NEEDS = {
  policy: 'needs a policy of its own',
  settings: 'needs server settings of its own',
  clock: "needs to set the server's clock",
  store: "needs to reach into the server's store",
} as const;

export type Need = keyof typeof NEEDS;

/** One row of the catalogue: a ceremony or request, and the answer it must get. */
export interface Case {
  /** `<part>.<what>`, e.g. `register.origin-other-port`. Stable: users select and report cases by it. */
  readonly id: string;
  readonly title: string;
  /** Besides these, every case can be selected by its outcome and its error code. */
  readonly tags: readonly string[];
  /** The expected answer; a refusal names the step of the standard that it tests. */
  readonly expected: ExpectedAnswer;
  /** Policy, settings, clock and store that the case needs. */
  readonly setup?: ServerSetup;
  /** What it needs of the server besides what follows from `setup`. */
  readonly needs?: readonly Need[];
  /** Empty when everything went as expected. */
  run(context: CaseContext): Promise<readonly Mismatch[]>;
}

/** A case before a builder gives it its `run` and the tags of its kind. */
export type CaseSpec = Omit<Case, 'run' | 'tags'> & { readonly tags?: readonly string[] };

function needsOf({ setup = {}, needs = [] }: Case): readonly Need[] {
  const { policy, settings, origins, now, decorateStore } = setup;
  return [
    ...(policy === undefined ? [] : ['policy' as const]),
    ...(settings === undefined && origins === undefined ? [] : ['settings' as const]),
    ...(now === undefined ? [] : ['clock' as const]),
    ...(decorateStore === undefined ? [] : ['store' as const]),
    ...needs,
  ];
}

export async function runCase(each: Case, run: RunContext): Promise<Verdict> {
  const [need] = needsOf(each);
  if (run.remote !== undefined && need !== undefined) return { status: 'not_applicable', reason: NEEDS[need] };
  return inContext(run, { setup: each.setup ?? {} }, async (context) => verdictOf(await each.run(context)));
}

/** Cases as scenarios of a run. */
export function caseScenarios(cases: readonly Case[], run: RunContext): Scenario[] {
  return cases.map((each) => ({
    id: each.id,
    source: 'case',
    title: each.title,
    tags: [...new Set(['case', ...each.tags, ...outcomeTags(each.expected)])],
    expected: describeExpected(each.expected),
    ...testing(each),
    run: () => runCase(each, run),
  }));
}

function testing({ tags, expected }: Case): Pick<Scenario, 'tests'> {
  const tests = testedStep(tags, expected.outcome === 'rejected' ? expected.step : undefined);
  return tests === undefined ? {} : { tests };
}

function outcomeTags(expected: ExpectedAnswer): string[] {
  return expected.outcome === 'verified' ? ['verified'] : ['rejected', expected.code];
}
