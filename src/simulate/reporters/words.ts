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

/** This module words the contents of a report; each reporter then writes them in its own format. */

/** How a case ended. Failures are divided into those that fail the run (`failed`, `flaky`) and those that do not (`known`, `tolerated`). */
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

/** Names the command that wrote a report, e.g. `passkey simulate`. */
export const commandName = ({ format }: CaseReport): string => format.replace('-report', '').replace('-', ' ');

export function targetName({ target }: { readonly target: string }): string {
  return target === 'in-process' ? 'the server in process' : target;
}

/** Converts milliseconds to seconds with two decimal places, e.g. `1.23`. */
export function seconds(milliseconds: number): string {
  return (milliseconds / 1000).toFixed(2);
}

/**
 * Counts how the cases ended. Each entry has the phrase, e.g. `3 of 5 as expected`, and the ending that it counts. Endings without cases
 * are left out.
 */
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

/** Summarizes a report on one line: `3 of 5 as expected, 1 not, 1 not applicable; against the server in process, 1.23 s` */
export function summaryLine(report: CaseReport): string {
  const endings = countedEndings(report).map(({ text }) => text);
  return `${endings.join(', ')}; against ${targetName(report)}, ${seconds(report.duration_ms)} s`;
}

/** Reads the reason why a case did not run or was not applicable. */
export function readReason({ reason = 'no reason given' }: CaseResult): string {
  return reason;
}

/** Describes the refusal of a case if the target may have refused it for another reason than the one that the case tests. */
export function readUnknownReason({ refusal, usual_refusal: usual }: CaseResult): readonly string[] {
  if (refusal === undefined || usual === undefined) return [];
  const showRefusal = ({ status, code }: NonNullable<CaseResult['refusal']>) =>
    [status, code].filter((part) => part !== undefined).join(' ');
  return [`got ${showRefusal(refusal)}; most cases of this check got ${showRefusal(usual)}`];
}

/** Explains on one line why a case failed. */
export function failureInShort({ expected, mismatches: [first] }: CaseResult): string {
  return first === undefined ? `expected ${expected}` : `${first.at}: expected ${first.expected}, received ${first.received}`;
}

/** A line of text about a case, with a label. */
export interface Detail {
  readonly label: string;
  readonly text: string;
  readonly tone?: 'good' | 'bad';
}

/** Makes the heading of a finding: `high, origin: The server does not compare the origin …` */
export function headFinding(finding: Finding): string {
  const { severity, cause, title } = finding;
  const ending = findEndingOf(finding);
  return `${severity}${ending === 'failed' ? '' : ` (${ending})`}, ${cause}: ${title}`;
}

/** Decides whether the cases of a finding count as failed, known or tolerated. */
export function findEndingOf({ known, tolerated }: Finding): 'failed' | 'known' | 'tolerated' {
  if (known === true) return 'known';
  return tolerated === true ? 'tolerated' : 'failed';
}

/** Lists reasons why the run proves less than it seems to, as sentences to print before all findings. */
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

/** Lists all details of a finding except its cases. */
export function listFindingDetails({ gain, advice, steps, references, rerun }: Finding): Detail[] {
  return [
    ...(gain === undefined ? [] : [{ label: 'gain', text: gain }]),
    ...(advice === undefined ? [] : [{ label: 'advice', text: advice }]),
    ...(steps.length === 0 ? [] : [{ label: 'tests', text: steps.join('; ') }]),
    ...listSources({ references }),
    ...(rerun === undefined ? [] : [{ label: 'run alone', text: rerun }]),
  ];
}

/** Maximum number of cases that are shown for a finding. */
export const SHOWN_CASES = 3;

/** Groups the failed cases by finding. */
export function resultsByFinding({ findings, results }: CaseReport): { readonly finding: Finding; readonly results: CaseResult[] }[] {
  const byKey = new Map(results.map((result) => [caseKey(result), result]));
  return findings.map((finding) => ({ finding, results: finding.cases.flatMap((key) => byKey.get(key) ?? []) }));
}

/** Maps the keys of cases to the headings of their findings. */
export function headingsByCase({ findings }: CaseReport): ReadonlyMap<string, string> {
  return new Map(findings.flatMap((finding) => finding.cases.map((key): [string, string] => [key, headFinding(finding)])));
}

/** Lists all details of a failed case: what it tests, where it failed, request and response, why it matters, and how to run it alone. */
export function listDetails(result: CaseResult): Detail[] {
  const { advice, rerun } = result;
  return [
    ...listOutcome(result),
    ...(advice === undefined ? [] : [{ label: 'advice', text: advice }]),
    ...(rerun === undefined ? [] : [{ label: 'run alone', text: rerun }]),
  ];
}

/** Lists the details of a failed case that its finding does not show already. */
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

/** Describes a case of the catalogue: the input, a correct server's response, the tested step, and why the case matters. */
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

/** Lists the security standards that a finding or case refers to, for auditors. */
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

/** Names a step: `§7.2 step 21, signature: The signature verifies` */
export function stepName({ section, number, slug, title }: Omit<NonNullable<CaseResult['tests']>, 'revision'>): string {
  return `§${section} step ${number}, ${slug}: ${title}`;
}

/** Groups the keys of cases by a message that they share, such as the reason why they are not applicable. */
export function grouped(results: readonly CaseResult[], textsOf: (result: CaseResult) => readonly string[]): Map<string, string[]> {
  const groups = new Map<string, string[]>();
  for (const result of results) {
    for (const text of textsOf(result)) groups.set(text, [...(groups.get(text) ?? []), caseKey(result)]);
  }
  return groups;
}
