import { count } from '../../kernel/wording.js';
import {
  type CaseReport,
  type CaseResult,
  caseKey,
  type Exchange,
  type Finding,
  type ListedCase,
  listUnfit,
  type Mismatch,
} from '../report/report.js';

/** How reporters say things; each writes them in its own format. */

/** The kinds of cases that a reader distinguishes: a failure that fails the run, or does not and why, and a case that could not be judged. */
export type Ending = 'passed' | 'failed' | 'flaky' | 'not_judged' | 'known' | 'tolerated' | 'not_applicable' | 'not_run';

export const ENDINGS: Readonly<Record<Ending, { readonly sign: string; readonly words: string }>> = {
  failed: { sign: '✗', words: 'failed' },
  flaky: { sign: '✗', words: 'flaky' },
  not_judged: { sign: '!', words: 'not judged' },
  known: { sign: '~', words: 'known failure' },
  tolerated: { sign: '~', words: 'tolerated failure' },
  passed: { sign: '✓', words: 'passed' },
  not_applicable: { sign: '–', words: 'not applicable' },
  not_run: { sign: '·', words: 'not run' },
};

export function findEnding({ status, code, known, tolerated, flaky }: CaseResult): Ending {
  if (code !== undefined) return 'not_judged';
  if (status !== 'failed') return status;
  if (known === true) return 'known';
  if (tolerated === true) return 'tolerated';
  return flaky === true ? 'flaky' : 'failed';
}

/** The command that wrote a report: `passkey simulate`. */
export const commandName = ({ format }: CaseReport): string => format.replace('-report', '').replace('-', ' ');

export function targetName({ target }: { readonly target: string }): string {
  return target === 'in-process' ? 'the server in process' : target;
}

/** `1.23` */
export function seconds(milliseconds: number): string {
  return (milliseconds / 1000).toFixed(2);
}

/** How the cases ended, each phrase with the ending that it counts; those that count nothing are left out. */
export function countedEndings({ summary, baseline, incomplete }: CaseReport): { readonly ending: Ending; readonly text: string }[] {
  const { total, passed, failed, known, tolerated, flaky, not_applicable, skipped, not_run, not_judged } = summary;
  const news = failed - known - tolerated;
  const parts: readonly { readonly ending: Ending; readonly number: number; readonly text: string }[] = [
    { ending: 'passed', number: 1, text: `${passed} of ${total} as expected` },
    {
      ending: 'failed',
      number: news,
      text: `${baseline === undefined ? `${news} not` : count(news, 'new failure')}${flaky > 0 ? ` (${flaky} flaky)` : ''}`,
    },
    { ending: 'not_judged', number: not_judged, text: `${not_judged} not judged` },
    { ending: 'known', number: known, text: count(known, 'known failure') },
    { ending: 'tolerated', number: tolerated, text: `${tolerated} tolerated` },
    { ending: 'passed', number: baseline?.fixed.length ?? 0, text: `${baseline?.fixed.length} fixed` },
    {
      ending: 'not_applicable',
      number: not_applicable,
      text: `${not_applicable} not applicable${skipped > 0 ? ` (${skipped} skipped by the profile)` : ''}`,
    },
    { ending: 'not_run', number: not_run - not_judged, text: `${not_run - not_judged} not run` },
    { ending: 'failed', number: incomplete === true ? 1 : 0, text: 'incomplete: the run was interrupted' },
  ];
  return parts.filter(({ number }) => number > 0);
}

/** `3 of 5 as expected, 1 not, 1 not applicable; against the server in process, 1.23 s` */
export function summaryLine(report: CaseReport): string {
  const endings = countedEndings(report).map(({ text }) => text);
  return `${endings.join(', ')}; against ${targetName(report)}, ${seconds(report.duration_ms)} s`;
}

/** Why a case did not run or was not applicable. */
export function readReason({ reason = 'no reason given' }: CaseResult): string {
  return reason;
}

/** Describes the refusal of a case that may have been refused for another reason than its subject. */
export function readUnknownReason({ refusal, usual_refusal: usual }: CaseResult): readonly string[] {
  if (refusal === undefined || usual === undefined) return [];
  const showRefusal = ({ status, code }: NonNullable<CaseResult['refusal']>) =>
    [status, code].filter((part) => part !== undefined).join(' ');
  return [`got ${showRefusal(refusal)}, others of this check ${showRefusal(usual)}`];
}

/** Why a case failed, in one line. */
export function failureInShort({ expected, mismatches: [first] }: CaseResult): string {
  return first === undefined ? `expected ${expected}` : `${first.at}: expected ${first.expected}, received ${first.received}`;
}

/** One labelled line about a case. */
export interface Detail {
  readonly label: string;
  readonly text: string;
  readonly tone?: 'good' | 'bad';
}

/** The heading of a finding: `high, origin: The server does not compare the origin …` */
export function headFinding(finding: Finding): string {
  const { severity, cause, title } = finding;
  const ending = findEndingOf(finding);
  return `${severity}${ending === 'failed' ? '' : ` (${ending})`}, ${cause}: ${title}`;
}

/** How the cases of a finding count. */
export function findEndingOf({ known, tolerated }: Finding): 'failed' | 'known' | 'tolerated' {
  if (known === true) return 'known';
  return tolerated === true ? 'tolerated' : 'failed';
}

/** Why the run says less than it seems to, in sentences that come before all findings. */
export function listDoubts(report: CaseReport): { readonly text: string; readonly details: readonly Detail[] }[] {
  const unfit = listUnfit(report).map(({ answer, times }) => `${answer} × ${times}`);
  const misfits = (report.misfits ?? []).map(({ control, cases, mismatches, exchanges }) => ({
    text: `The honest ceremony ${control} fails${cases === 0 ? '' : `, so that ${count(cases, 'case')} could not be judged`}.`,
    details: [
      ...mismatches.flatMap((mismatch) => mismatchDetails(mismatch)),
      ...exchanges.flatMap((exchange) => exchangeDetails(exchange)),
    ],
  }));
  return [
    ...misfits,
    ...(unfit.length === 0
      ? []
      : [{ text: `The server is not fit to be tested: requests that prepare cases got ${unfit.join(', ')}.`, details: [] }]),
  ];
}

/** All lines about a finding, except its cases. */
export function listFindingDetails({ gain, advice, steps, references, rerun }: Finding): Detail[] {
  return [
    ...(gain === undefined ? [] : [{ label: 'gain', text: gain }]),
    ...(advice === undefined ? [] : [{ label: 'advice', text: advice }]),
    ...(steps.length === 0 ? [] : [{ label: 'tests', text: steps.join('; ') }]),
    ...listSources({ references }),
    ...(rerun === undefined ? [] : [{ label: 'run alone', text: rerun }]),
  ];
}

/** How many cases of a finding are shown if there are more. */
export const SHOWN_CASES = 3;

/** The failed cases of each finding. */
export function resultsByFinding({ findings, results }: CaseReport): { readonly finding: Finding; readonly results: CaseResult[] }[] {
  const byKey = new Map(results.map((result) => [caseKey(result), result]));
  return findings.map((finding) => ({ finding, results: finding.cases.flatMap((key) => byKey.get(key) ?? []) }));
}

/** The headings of findings by the keys of their cases. */
export function headingsByCase({ findings }: CaseReport): ReadonlyMap<string, string> {
  return new Map(findings.flatMap((finding) => finding.cases.map((key): [string, string] => [key, headFinding(finding)])));
}

/** All lines about a failed case: its subject, the place of the failure, request and answer, why it matters, and how to run it alone. */
export function listDetails(result: CaseResult): Detail[] {
  const { advice, rerun } = result;
  return [
    ...listOutcome(result),
    ...(advice === undefined ? [] : [{ label: 'advice', text: advice }]),
    ...(rerun === undefined ? [] : [{ label: 'run alone', text: rerun }]),
  ];
}

/** All lines about a failed case below its finding, which has the rest. */
export function listOutcome(result: CaseResult): Detail[] {
  const { mismatches, exchanges = [], remarks = [], repeats } = result;
  return [
    ...listNames(result),
    ...(repeats === undefined ? [] : [{ label: 'repeats', text: `${repeats.passed} passed, ${repeats.failed} failed` }]),
    ...mismatches.flatMap((mismatch) => mismatchDetails(mismatch)),
    ...exchanges.flatMap((exchange) => exchangeDetails(exchange)),
    ...remarks.map((text) => ({ label: 'remark', text })),
  ];
}

/** The catalogue's description of a case: the input, the answer of a correct server, the step that it tests, why it matters. */
export function describeListed(listed: ListedCase): Detail[] {
  const { expected, tests, advice, reason } = listed;
  return [
    ...listNames(listed),
    ...(tests === undefined ? [] : [{ label: 'revision', text: tests.revision }]),
    ...listSources(listed),
    { label: 'expected', text: expected },
    ...(advice === undefined ? [] : [{ label: 'why', text: advice }]),
    ...(reason === undefined ? [] : [{ label: 'not here', text: reason }]),
  ];
}

function listNames({ title, tests, file }: ListedCase): Detail[] {
  return [
    { label: 'case', text: title },
    ...(tests === undefined ? [] : [{ label: 'tests', text: stepName(tests) }]),
    ...(tests?.rule === undefined ? [] : [{ label: 'rule', text: tests.rule }]),
    ...(file === undefined ? [] : [{ label: 'file', text: file }]),
  ];
}

/** The standards for auditors that a finding or a case has to do with. */
export const listSources = ({ references = [] }: Pick<ListedCase, 'references'>): Detail[] =>
  references.length === 0 ? [] : [{ label: 'see', text: references.join(', ') }];

function mismatchDetails({ at, expected, received, hint, step }: Mismatch): Detail[] {
  return [
    { label: 'at', text: at },
    { label: 'expected', text: expected, tone: 'good' },
    { label: 'received', text: received, tone: 'bad' },
    ...(step === undefined
      ? []
      : [
          { label: 'step', text: stepName(step) },
          { label: '', text: `the server expected ${step.expected}` },
          { label: '', text: `and received ${step.received}` },
        ]),
    ...(hint === undefined ? [] : [{ label: 'hint', text: hint }]),
  ];
}

function exchangeDetails({ request, sent, status, received }: Exchange): Detail[] {
  return [
    { label: 'sent', text: sent === '' ? request : `${request} ${sent}` },
    { label: 'came', text: [status, received].filter((part) => part !== undefined && part !== '').join(' ') },
  ];
}

/** `§7.2 step 21, signature: The signature verifies` */
export function stepName({ section, number, slug, title }: Omit<NonNullable<CaseResult['tests']>, 'revision'>): string {
  return `§${section} step ${number}, ${slug}: ${title}`;
}

/** The keys of cases by a text that several share, such as the reason why they are not applicable. */
export function grouped(results: readonly CaseResult[], textsOf: (result: CaseResult) => readonly string[]): Map<string, string[]> {
  const groups = new Map<string, string[]>();
  for (const result of results) {
    for (const text of textsOf(result)) groups.set(text, [...(groups.get(text) ?? []), caseKey(result)]);
  }
  return groups;
}
