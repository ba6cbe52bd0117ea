import { createColors } from 'picocolors';
import { count } from '../../kernel/wording.js';
import { type CaseReport, type CaseResult, caseKey } from '../report/report.js';
import {
  countedEndings,
  type Detail,
  ENDINGS,
  type Ending,
  failureInShort,
  findEnding,
  findEndingOf,
  grouped,
  headFinding,
  listDoubts,
  listFindingDetails,
  listOutcome,
  readReason,
  readUnknownReason,
  resultsByFinding,
  SHOWN_CASES,
  seconds,
  targetName,
} from './words.js';

interface PrettyOptions {
  readonly colour: boolean;
  /** If true, shows every case of a finding, and its requests and responses as completely as they were recorded. */
  readonly verbose?: boolean;
}

type Colours = ReturnType<typeof createColors>;

function choosePaint(c: Colours, ending: Ending): (text: string) => string {
  return {
    passed: c.green,
    failed: c.red,
    flaky: c.red,
    known: c.yellow,
    tolerated: c.yellow,
    not_judged: c.red,
    not_applicable: c.yellow,
    not_run: c.dim,
  }[ending];
}

/**
 * Renders the line for one case while the run goes on. Returns an empty string for a case that is not applicable. A run against a running
 * server has hundreds of these cases, which `renderEnd` groups by reason.
 */
export function renderResult(result: CaseResult, { colour }: PrettyOptions): string {
  const ending = findEnding(result);
  if (ending === 'not_applicable') return '';
  const c = createColors(colour);
  const replay = result.replay === undefined ? '' : c.dim(` ${result.replay}`);
  const took = ending === 'not_run' ? '' : c.dim(` ${Math.round(result.duration_ms)} ms`);
  const why = result.reason ?? (['known', 'tolerated', 'flaky'].includes(ending) ? ENDINGS[ending].words : undefined);
  const outcome = result.status === 'failed' ? `expected ${result.expected}` : result.expected;
  return `${choosePaint(c, ending)(ENDINGS[ending].sign)} ${result.id}${replay}: ${outcome}${took}${why === undefined ? '' : c.dim(` (${why})`)}\n`;
}

/**
 * Renders everything after the lines of the cases: every finding with some of its cases, remarks, inapplicable cases by reason, the
 * comparison with the baseline, how many cases went as expected, and the duration.
 */
export function renderEnd(report: CaseReport, { colour, verbose = false }: PrettyOptions): string {
  const c = createColors(colour);
  const findings = renderFindings(report, c, verbose);
  const notes = [
    ...renderGroups(
      c,
      'not_applicable',
      grouped(withEnding(report, 'not_applicable'), (result) => [readReason(result)]),
    ),
    ...renderGroups(
      c,
      'not_run',
      grouped(withEnding(report, 'not_run'), (result) => [readReason(result)]),
    ),
    ...renderGroups(
      c,
      'not_judged',
      grouped(withEnding(report, 'not_judged'), (result) => [readReason(result)]),
    ),
    ...(verbose ? renderUnknownReasons(report, c) : []),
    ...renderRemarks(report, c),
    ...renderBaseline(report, c),
  ];
  const parts = countedEndings(report).map(({ ending, text }) => (ending === 'not_run' ? text : choosePaint(c, ending)(text)));
  const last = `${parts.join(', ')}; against ${targetName(report)}, ${seconds(report.duration_ms)} s\n`;
  return [...renderDoubts(report, c), ...findings, `${notes.join('')}${last}${doubt(report)}`].join('\n');
}

function withEnding({ results }: CaseReport, ending: Ending): CaseResult[] {
  return results.filter((result) => findEnding(result) === ending);
}

function renderDoubts(report: CaseReport, c: Colours): string[] {
  return listDoubts(report).map(({ text, details }) => `${c.red(c.bold(text))}\n${joinDetails(details, c)}`);
}

/** Maximum number of characters for findings shown in full. With the lines of a thousand cases, the output is then at most 200 kB. */
const MAX_CHARACTERS = 100_000;

function renderFindings(report: CaseReport, c: Colours, verbose: boolean): string[] {
  let characters = 0;
  return resultsByFinding(report).map(({ finding, results }) => {
    const heading = `${choosePaint(c, findEndingOf(finding))(c.bold(headFinding(finding)))}\n`;
    const text = verbose ? results.map((result) => renderFailure(result, c)).join('') : renderSome(results, c);
    const whole = `${heading}${joinDetails(listFindingDetails(finding), c)}${text}`;
    characters += whole.length;
    return verbose || characters <= MAX_CHARACTERS ? whole : `${heading}${c.dim('    --verbose shows its cases')}\n`;
  });
}

/** Renders the first case of a finding in full, and each of the next few on one line. */
function renderSome([first, ...others]: readonly CaseResult[], c: Colours): string {
  if (first === undefined) return '';
  const shown = others.slice(0, SHOWN_CASES - 1).map((result) => `${headFailure(result, c)}: ${failureInShort(result)}\n`);
  const left = others.length - shown.length;
  return [
    `${headFailure(first, c)}\n${joinDetails(listOutcome(first).map(cutExchange), c)}`,
    ...shown,
    ...(left > 0 ? [c.dim(`  and ${count(left, 'case')} more; --verbose shows them\n`)] : []),
  ].join('');
}

function headFailure(result: CaseResult, c: Colours): string {
  const ending = findEnding(result);
  return `  ${choosePaint(c, ending)(`${ENDINGS[ending].sign} ${c.bold(caseKey(result))}`)} ${c.dim(`(${ENDINGS[ending].words})`)}`;
}

/** Renders a failure without the details that its finding already shows. */
function renderFailure(result: CaseResult, c: Colours): string {
  return `${headFailure(result, c)}\n${joinDetails(listOutcome(result), c)}`;
}

/** Shortens a request or response to one line. `--verbose` shows more of it. */
function cutExchange(detail: Detail): Detail {
  const { label, text } = detail;
  return (label === 'sent' || label === 'came') && text.length > EXCHANGE ? { ...detail, text: `${text.slice(0, EXCHANGE)}…` } : detail;
}

const joinDetails = (details: readonly Detail[], c: Colours) => details.map((detail) => `${renderDetail(detail, c)}\n`).join('');

function renderDetail({ label, text, tone }: Detail, c: Colours): string {
  const name = label === 'at' ? c.bold(label.padEnd(10)) : label.padEnd(10);
  return `    ${name}${tone === undefined ? text : tone === 'good' ? c.green(text) : c.red(text)}`;
}

function renderGroups(c: Colours, ending: Ending, groups: ReadonlyMap<string, readonly string[]>): string[] {
  const { sign, words } = ENDINGS[ending];
  return [...groups].map(([reason, keys]) => `${choosePaint(c, ending)(sign)} ${keys.length} ${words}: ${reason}\n${c.dim(wrap(keys))}\n`);
}

function renderUnknownReasons({ results }: CaseReport, c: Colours): string[] {
  const groups = grouped(results, readUnknownReason);
  return [...groups].map(([reason, keys]) => `${c.yellow('?')} ${keys.length} refused, reason unknown: ${reason}\n${c.dim(wrap(keys))}\n`);
}

function renderRemarks({ results }: CaseReport, c: Colours): string[] {
  const groups = grouped(results, ({ remarks = [] }) => [...new Set(remarks)]);
  return [...groups].map(([remark, keys]) => `${c.yellow('!')} ${remark}\n${c.dim(wrap(keys))}\n`);
}

function renderBaseline({ baseline }: CaseReport, c: Colours): string[] {
  if (baseline === undefined) return [];
  const { fixed, missing } = baseline;
  return [
    ...(fixed.length > 0 ? [`${c.green('✓')} ${count(fixed.length, 'failure')} of the baseline passed\n${c.dim(wrap(fixed))}\n`] : []),
    ...(missing.length > 0
      ? [`${c.dim('·')} ${count(missing.length, 'failure')} of the baseline did not run\n${c.dim(wrap(missing))}\n`]
      : []),
  ];
}

/** Warns about a run that proves little: all its failures are tolerated, or the target accepted nothing. */
function doubt(report: CaseReport): string {
  const { passed, failed, known, tolerated } = report.summary;
  if (report.target === 'in-process' || report.format !== 'passkey-simulate-report') return '';
  if (passed === 0 && failed === 0) return '';
  if (passed === 0 && known + tolerated === failed) {
    return 'All these failures are tolerated: they are in the baseline, faults of the library, or less serious than --fail-on.\n';
  }
  if (passed === 0) return 'Nothing went as expected. If that surprises you, check --url, and check the profile with --probe.\n';
  const accepted = withEnding(report, 'passed').some(({ tags }) => tags.includes('verified'));
  return accepted
    ? ''
    : 'No ceremony was accepted in this run, so a target that refuses everything would pass it too. Also run register.default and login.default.\n';
}

const WIDTH = 100;

/** Maximum number of characters of a request or response, so that it fits on one line with its label. */
const EXCHANGE = WIDTH - 15;

/** Wraps a comma-separated list into indented lines of at most 100 characters. */
function wrap(items: readonly string[]): string {
  const lines: string[] = [];
  for (const [index, item] of items.entries()) {
    const text = index === items.length - 1 ? item : `${item},`;
    const last = lines.at(-1);
    if (last === undefined || last.length + text.length + 1 > WIDTH) lines.push(`    ${text}`);
    else lines[lines.length - 1] = `${last} ${text}`;
  }
  return lines.join('\n');
}
