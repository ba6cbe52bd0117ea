import { PasskeyError } from '../errors.js';
import { count } from '../kernel/wording.js';
import { ALL_CASES } from './cases/all-cases.js';
import { type CaseResult, type Misfit, type SimulateReport, summarize } from './engine/report.js';
import { listFindings } from './findings/findings.js';
import { type FailurePolicy, judgeFailure } from './findings/judge-failure.js';

/** The report of a part of a run, and the file that it was read from. */
export interface ReportPart {
  readonly source: string;
  readonly report: SimulateReport;
}

/**
 * Combines the reports of the parts of a run (`--shard`) into that of the whole run. Failures are judged anew, but for those of the
 * baseline, which the parts were held against.
 *
 * @throws PasskeyError `usage` for parts of different runs, and where one is missing or there twice.
 */
export function mergeReports(parts: readonly ReportPart[], policy: FailurePolicy): SimulateReport {
  const [head] = parts;
  if (head === undefined) throw new PasskeyError('usage', 'Expected the reports of the parts of a run; got none.');
  checkSame(head, parts);
  checkComplete(head, parts);
  const reports = parts.map(({ report }) => report);
  const results = inOrder(reports.flatMap((report) => report.results)).map((result) =>
    result.status === 'failed' ? judgeFailure(result, { ...policy, inBaseline: () => result.known_by === 'baseline' }) : result,
  );
  const { shard: _, misfits: __, ...first } = head.report;
  const misfits = mergeMisfits(reports);
  const starts = reports.map(({ started_at }) => Date.parse(started_at));
  const ends = reports.map(({ duration_ms }, index) => (starts[index] ?? 0) + duration_ms);
  return {
    ...first,
    ...(reports.some(({ incomplete }) => incomplete === true) && { incomplete: true as const }),
    started_at: new Date(Math.min(...starts)).toISOString(),
    duration_ms: Math.max(...ends) - Math.min(...starts),
    summary: summarize(results),
    ...(misfits.length > 0 && { misfits }),
    ...(first.baseline && { baseline: mergeBaselines(first.baseline, reports) }),
    findings: listFindings(results, first.profile?.library),
    results,
  };
}

/** Joins what the parts say of their controls, each of which every part runs. */
function mergeMisfits(reports: readonly SimulateReport[]): Misfit[] {
  const joined = new Map<string, Misfit>();
  for (const misfit of reports.flatMap(({ misfits = [] }) => misfits)) {
    joined.set(misfit.control, { ...misfit, cases: misfit.cases + (joined.get(misfit.control)?.cases ?? 0) });
  }
  return [...joined.values()];
}

/** Joins what the parts say of one baseline. A failure that is missing from every part did not run at all. */
function mergeBaselines(
  first: NonNullable<SimulateReport['baseline']>,
  reports: readonly SimulateReport[],
): NonNullable<SimulateReport['baseline']> {
  const fixed = reports.flatMap(({ baseline }) => baseline?.fixed ?? []);
  const missing = first.missing.filter((key) => reports.every(({ baseline }) => baseline?.missing.includes(key)));
  return { ...first, fixed, missing };
}

/** Brings results into the order of a whole run: fixtures by their files, then the cases of the catalogue. */
function inOrder(results: readonly CaseResult[]): CaseResult[] {
  const places = new Map(ALL_CASES.map(({ id }, index) => [id, index]));
  const place = ({ source, id }: CaseResult) => (source === 'fixture' ? -1 : (places.get(id) ?? places.size));
  const name = ({ file = '', id, replay }: CaseResult) => `${file} ${id} ${replay === 'verbatim' ? 0 : 1}`;
  return results.toSorted((one, other) => place(one) - place(other) || (name(one) < name(other) ? -1 : 1));
}

/** The facts that the parts of one run share. */
const SHARED: Readonly<Record<string, (report: SimulateReport) => string>> = {
  'the target': ({ target }) => target,
  'the profile': ({ profile }) => profile?.file ?? profile?.name ?? 'none',
  'the version of passkey': ({ tool_version }) => tool_version,
  'the number of parts': ({ shard }) => String(shard?.count ?? 1),
  'the number of cases in all parts': ({ shard, results }) => String(shard?.cases ?? results.length),
  'the baseline': ({ baseline }) => (baseline === undefined ? 'none' : `that of ${baseline.started_at}`),
};

function checkSame(first: ReportPart, parts: readonly ReportPart[]): void {
  for (const [fact, read] of Object.entries(SHARED)) {
    const other = parts.find(({ report }) => read(report) !== read(first.report));
    if (other === undefined) continue;
    const difference = `${fact} is ${read(first.report)} in ${first.source} and ${read(other.report)} in ${other.source}`;
    throw new PasskeyError('usage', `Expected the parts of one run; ${difference}. Give the reports of runs that differ in --shard only.`);
  }
}

function checkComplete({ report: first }: ReportPart, parts: readonly ReportPart[]): void {
  const total = first.shard?.count ?? 1;
  const found = (index: number) => parts.filter(({ report }) => (report.shard?.index ?? 1) === index).map(({ source }) => source);
  const places = Array.from({ length: total }, (_, index) => ({ name: `${index + 1}/${total}`, sources: found(index + 1) }));
  const double = places.find(({ sources }) => sources.length > 1);
  if (double !== undefined) {
    const files = double.sources.join(' and ');
    throw new PasskeyError('usage', `Expected each part once; part ${double.name} is in ${files}. Leave one of them out.`);
  }
  const missing = places.filter(({ sources }) => sources.length === 0).map(({ name }) => name);
  if (missing.length > 0) {
    throw new PasskeyError(
      'usage',
      `Expected ${count(total, 'part')}; got no report of ${missing.join(', ')}. Run \`passkey simulate --shard ${missing[0]}\`, and give its report too.`,
    );
  }
  const cases = first.shard?.cases ?? first.results.length;
  const got = parts.reduce((sum, { report }) => sum + report.results.length, 0);
  if (got === cases) return;
  throw new PasskeyError(
    'usage',
    `Expected ${count(cases, 'case')} in all parts; got ${got}. Run every part with the same selection of cases.`,
  );
}
