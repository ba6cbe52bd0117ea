import { PasskeyError } from '../../errors.js';
import type { Exchange } from '../target/driver.js';
import type { CaseResult, Mismatch } from './report.js';

/** What a report says besides what became of it. */
interface VerdictDetails {
  /** What was odd without being a failure. */
  readonly remarks?: readonly string[];
  /** What was sent and what came. */
  readonly exchanges?: readonly Exchange[];
  /** The target no longer answers: nothing more can run. */
  readonly gone?: true;
}

export type Verdict = VerdictDetails &
  (
    | { readonly status: 'passed' }
    | { readonly status: 'failed'; readonly mismatches: readonly [Mismatch, ...Mismatch[]] }
    | { readonly status: 'not_applicable'; readonly reason: string }
  );

/** One unit of a run: a fixture replayed in one way, or a case. */
export interface Scenario {
  readonly id: string;
  readonly source: CaseResult['source'];
  readonly replay?: NonNullable<CaseResult['replay']>;
  readonly title: string;
  readonly tags: readonly string[];
  readonly file?: string;
  /** The expected outcome in words. */
  readonly expected: string;
  run(): Promise<Verdict>;
}

/** The tag of what was made wrong on purpose: the invalid cases, and fixtures with a single change to a recording. */
export const INVALID_TAG = 'invalid';

export function verdictOf(mismatches: readonly Mismatch[]): Verdict {
  const [first, ...more] = mismatches;
  return first === undefined ? { status: 'passed' } : { status: 'failed', mismatches: [first, ...more] };
}

/** Thrown to end a scenario early with its verdict. */
export class ScenarioEnded extends Error {
  readonly verdict: Verdict;

  constructor(verdict: Verdict) {
    super(verdict.status);
    this.verdict = verdict;
  }
}

export function notApplicable(reason: string): ScenarioEnded {
  return new ScenarioEnded({ status: 'not_applicable', reason });
}

export function failedAt(at: string, expected: string, received: string): ScenarioEnded {
  return new ScenarioEnded({ status: 'failed', mismatches: [{ at, expected, received }] });
}

export interface Selection {
  /** Ids; `*` matches any text. Empty: all. */
  readonly ids?: readonly string[];
  /** Keeps scenarios with at least one of these tags. Empty: all. */
  readonly tags?: readonly string[];
}

/**
 * The selected scenarios, in their original order.
 *
 * @throws PasskeyError `usage` for an id or tag that matches nothing, and when nothing is left.
 */
export function selectScenarios(scenarios: readonly Scenario[], { ids = [], tags = [] }: Selection = {}): Scenario[] {
  const knownIds = scenarios.map((scenario) => scenario.id);
  const unknownId = ids.find((id) => !knownIds.some((known) => matches(id, known)));
  if (unknownId !== undefined) throw unknown('case', unknownId, knownIds);
  const knownTags = scenarios.flatMap((scenario) => scenario.tags);
  const unknownTag = tags.find((tag) => !knownTags.includes(tag));
  if (unknownTag !== undefined) throw unknown('tag', unknownTag, knownTags);
  const selected = scenarios.filter(
    (scenario) =>
      (ids.length === 0 || ids.some((id) => matches(id, scenario.id))) &&
      (tags.length === 0 || tags.some((tag) => scenario.tags.includes(tag))),
  );
  if (selected.length === 0) {
    throw new PasskeyError('usage', 'Expected at least one case to run, got none. Choose ids and tags that some case has both of.');
  }
  return selected;
}

/** Whether an id is what a pattern says; each part is looked for once, behind the one before, as a regular expression would not. */
function matches(pattern: string, id: string): boolean {
  const [first = '', ...others] = pattern.split('*');
  const last = others.pop();
  if (last === undefined) return id === pattern;
  const end = id.length - last.length;
  if (!id.startsWith(first) || !id.endsWith(last)) return false;
  let at = first.length;
  for (const part of others) {
    const found = id.indexOf(part, at);
    if (found === -1) return false;
    at = found + part.length;
  }
  return at <= end;
}

function unknown(what: string, name: string, known: readonly string[]): PasskeyError {
  const nearest = [...new Set(known)].filter((candidate) => candidate.includes(name) || name.includes(candidate)).slice(0, 5);
  const advice = nearest.length > 0 ? `Did you mean ${nearest.join(', ')}?` : 'Run `passkey simulate --list` to see them all.';
  return new PasskeyError('usage', `There is no ${what} "${name}". ${advice}`);
}
