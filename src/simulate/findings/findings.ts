import { findFix } from '../../explain/library-fixes.js';
import { count } from '../../kernel/wording.js';
import { type CaseResult, caseKey, type Finding, failsRun } from '../report/report.js';
import { SEVERITY_NAMES } from '../report/severity.js';
import type { Cause, CombinedCause } from './cause.js';
import { CAUSES, COMBINED_CAUSES, findCause, raise, readConduct } from './causes.js';
import { listReferences } from './references.js';

interface Failure {
  readonly result: CaseResult;
  readonly cause: Cause;
}

interface Group {
  readonly cause: Cause | CombinedCause;
  readonly own: CaseResult[];
  readonly others: CaseResult[];
}

/**
 * Groups failed cases into findings by their common cause, the most serious finding first. Failures that are known or tolerated become
 * separate findings at the end.
 *
 * @param library name of the library that the target uses; the advice names an option or call of this library
 */
export function listFindings(results: readonly CaseResult[], library?: string): Finding[] {
  const failed = joinRules(results.filter(({ status }) => status === 'failed').map((result) => ({ result, cause: findCause(result) })));
  // The case that proves most counts for the cause.
  const found = new Map(failed.toSorted((one, other) => bySeverity(other.cause, one.cause)).map(({ cause }) => [cause.id, cause]));
  const hasPassed = (pattern: RegExp) => results.some(({ id, status }) => status === 'passed' && pattern.test(id));
  const isCombined = ({ of, passed, unpassed }: CombinedCause) =>
    of.every((id) => found.has(id)) && (passed === undefined || hasPassed(passed)) && (unpassed === undefined || !hasPassed(unpassed));
  const combined = COMBINED_CAUSES.filter((each) => isCombined(each));
  const groups = new Map<string, Group>();
  for (const { result, cause } of failed) {
    const parent = findRoot(found.get(cause.id) ?? cause, found);
    const root = combined.find(({ of, takes = [] }) => [...of, ...takes].includes(parent.id)) ?? parent;
    const key = `${root.id} ${failsRun(result)} ${result.known ?? false}`;
    const group = groups.get(key) ?? { cause: root, own: [], others: [] };
    groups.set(key, { ...group, cause: raise(group.cause, cause) });
    (root.id === cause.id || !('cases' in root) ? group.own : group.others).push(result);
  }
  return [...groups.values()].map((group) => toFinding(group, library)).toSorted(compareFindings);
}

/**
 * Matches cases whose acceptance suggests that the server does not verify statements of an attestation format at all. The format counts as
 * unverified if several other rules fail too. If several formats count as unverified, all formats do.
 */
const UNVERIFIED = /-(?:signature|nonce|both-wrong)$/;
const MAX_RULES = 3;
const MAX_FORMATS = 2;

/** Replaces many failed rules about attestation statements with a single cause: the server does not verify statements. */
function joinRules(failed: readonly Failure[]): readonly Failure[] {
  const rules = new Map<string, Set<string>>();
  for (const { result, cause } of failed) {
    if (testsStatement(result)) rules.set(result.attestation_format, (rules.get(result.attestation_format) ?? new Set()).add(cause.id));
  }
  const telltale = new Set(failed.flatMap(({ result }) => (UNVERIFIED.test(result.id) ? [result.attestation_format] : [])));
  const unverified = [...rules].filter(([format, ids]) => telltale.has(format) && ids.size > MAX_RULES).map(([format]) => format);
  const all = unverified.length > MAX_FORMATS;
  return failed.map(({ result, cause }) => {
    if (!testsStatement(result) || !(all || unverified.includes(result.attestation_format))) return { result, cause };
    const which = all ? '' : ` of format ${result.attestation_format}`;
    const says = `The server does not verify attestation statements${which}: it accepted {registrations}.`;
    const { proof: _, ...others } = cause;
    return { result, cause: { ...others, id: `attestation-statement${which}`, severity: 'medium', says } };
  });
}

const testsStatement = (result: CaseResult): result is CaseResult & { readonly attestation_format: string } =>
  result.attestation_format !== undefined && result.tests?.slug === 'attestation-statement' && readConduct(result) === 'accepted';

/** Finds the broadest cause that includes this one and that the run also found. */
function findRoot(cause: Cause, found: ReadonlyMap<string, Cause>): Cause {
  const parent = (cause.within ?? []).map((id) => found.get(id)).find((each) => each !== undefined);
  return parent === undefined ? cause : findRoot(parent, found);
}

function toFinding({ cause, own, others }: Group, library: string | undefined): Finding {
  const results = [...own, ...others];
  const { rerun, known, tolerated } = results[0] ?? {};
  const advice = results[0] && readAdvice(results[0], library);
  return {
    cause: cause.id,
    severity: cause.severity,
    title: cause.says
      .replace('{example}', () => readExample(cause, results))
      .replace(/\{(\w+)s\}/, (_, noun: string) => count(results.length, noun)),
    ...(cause.gain !== undefined && { gain: cause.gain }),
    ...(advice !== undefined && { advice }),
    steps: [...new Set(results.flatMap(({ tests }) => (tests ? [`§${tests.section} step ${tests.number}, ${tests.slug}`] : [])))],
    references: [...listReferences(cause.id)],
    cases: results.map((result) => caseKey(result)),
    ...(known && { known }),
    ...(tolerated && { tolerated }),
    ...(rerun !== undefined && { rerun }),
  };
}

/**
 * Explains why a failed case matters and what to change. If an option or a call of the library performs the missing check, the advice names
 * it.
 */
function readAdvice(result: CaseResult, library: string | undefined): string | undefined {
  const conduct = readConduct(result);
  // The profile may be wrong, and the server right.
  if (conduct === 'unreadable') return undefined;
  const isOwn = result.library === undefined && (conduct === 'accepted' || conduct === 'owner');
  const fix = isOwn && result.tests ? findFix(library, result.tests.slug) : undefined;
  return fix === undefined
    ? result.advice
    : [result.advice, `In ${library}, look at ${fix}.`].filter((part) => part !== undefined).join(' ');
}

/**
 * Returns the title of an example case. If the server wrongly refused, the example is a valid case, or the preparation of an invalid one.
 */
function readExample({ when }: Group['cause'], results: readonly CaseResult[]): string {
  const [first] = results;
  if (first === undefined || when !== 'refused') return first?.title ?? '';
  const valid = results.find(({ tags }) => !tags.includes('rejected'));
  return valid?.title ?? `the preparation of "${first.title}"`;
}

/** Returns the position of a finding's cause in the table. Causes outside the table come last. */
function rank(finding: Finding): number {
  if (COMBINED_CAUSES.some(({ id }) => id === finding.cause)) return -1;
  const place = CAUSES.findIndex(({ id }) => id === finding.cause);
  return place === -1 ? CAUSES.length : place;
}

type Serious = Pick<Finding, 'severity'>;
const bySeverity = (one: Serious, other: Serious): number => SEVERITY_NAMES.indexOf(one.severity) - SEVERITY_NAMES.indexOf(other.severity);

/** Checks whether a finding is excused from failing the run, because its cases are known or tolerated. */
const isExcused = ({ known, tolerated }: Pick<Finding, 'known' | 'tolerated'>): boolean => known === true || tolerated === true;

function compareFindings(one: Finding, other: Finding): number {
  return (
    Number(isExcused(one)) - Number(isExcused(other)) ||
    bySeverity(one, other) ||
    rank(one) - rank(other) ||
    other.cases.length - one.cases.length
  );
}
