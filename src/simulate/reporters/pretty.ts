import { createColors } from 'picocolors';
import type { CaseResult, Mismatch, SimulateReport } from '../report.js';

export interface PrettyOptions {
  readonly colour: boolean;
}

const SIGNS = { passed: '✓', failed: '✗', not_applicable: '–', not_run: '·' } as const;

/**
 * One line for what went as expected; for what did not also where, what was expected and what came. Nothing for what is not
 * applicable, which `renderSummary` lists by the reason: against a running server that is hundreds.
 */
export function renderResult(result: CaseResult, { colour }: PrettyOptions): string {
  if (result.status === 'not_applicable') return '';
  const c = createColors(colour);
  const paint = { passed: c.green, failed: c.red, not_applicable: c.yellow, not_run: c.dim }[result.status];
  const replay = result.replay === undefined ? '' : c.dim(` ${result.replay}`);
  const took = result.status === 'passed' || result.status === 'failed' ? c.dim(` ${Math.round(result.duration_ms)} ms`) : '';
  const reason = result.reason === undefined ? '' : c.dim(` (${result.reason})`);
  // Of what went another way, what came is told below.
  const outcome = result.status === 'failed' ? `expected ${result.expected}` : result.expected;
  const line = `${paint(SIGNS[result.status])} ${result.id}${replay}: ${outcome}${took}${reason}`;
  if (result.status !== 'failed') return `${line}\n`;
  const place = result.file === undefined ? [] : [`    file      ${result.file}`];
  const details = result.mismatches.flatMap((mismatch) => renderMismatch(mismatch, { colour }));
  return `${[line, `    ${result.title}`, ...place, ...details].join('\n')}\n`;
}

function renderMismatch({ at, expected, received, hint, step }: Mismatch, { colour }: PrettyOptions): string[] {
  const c = createColors(colour);
  return [
    `    ${c.bold('at')}        ${at}`,
    `    expected  ${c.green(expected)}`,
    `    received  ${c.red(received)}`,
    ...(step === undefined ? [] : renderStep(step)),
    ...(hint === undefined ? [] : [`    hint      ${hint}`]),
  ];
}

function renderStep({ section, number, slug, title, expected, received }: NonNullable<Mismatch['step']>): string[] {
  return [
    `    step      §${section} step ${number}, ${slug}: ${title}`,
    `              the server expected ${expected}`,
    `              and received ${received}`,
  ];
}

/** What was not applicable, by the reason; how many went as expected, and in what time. */
export function renderSummary(report: SimulateReport, { colour }: PrettyOptions): string {
  const c = createColors(colour);
  const { total, passed, failed, not_applicable, not_run } = report.summary;
  const parts = [
    c.green(`${passed} of ${total} as expected`),
    ...(failed > 0 ? [c.red(`${failed} not`)] : []),
    ...(not_applicable > 0 ? [c.yellow(`${not_applicable} not applicable`)] : []),
    ...(not_run > 0 ? [`${not_run} not run`] : []),
  ];
  const target = report.target === 'in-process' ? 'the server in process' : report.target;
  const doubt =
    report.target !== 'in-process' && passed === 0 && failed > 0 ? `Nothing went as expected: is ${target} a passkey server?\n` : '';
  return `${renderNotApplicable(report, { colour })}${parts.join(', ')}; against ${target}, ${(report.duration_ms / 1000).toFixed(2)} s\n${doubt}`;
}

function renderNotApplicable({ results }: SimulateReport, { colour }: PrettyOptions): string {
  const c = createColors(colour);
  const reasons = new Map<string, string[]>();
  for (const { status, id, replay, reason = 'no reason given' } of results) {
    if (status !== 'not_applicable') continue;
    reasons.set(reason, [...(reasons.get(reason) ?? []), replay === undefined ? id : `${id} ${replay}`]);
  }
  return [...reasons]
    .map(([reason, ids]) => `${c.yellow(SIGNS.not_applicable)} ${ids.length} not applicable: ${reason}\n${c.dim(wrap(ids))}\n`)
    .join('');
}

const WIDTH = 100;

/** Items after one another, on indented lines of at most 100 characters. */
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

/** The whole report. A terminal gets the same piece by piece, through `renderResult` and `renderSummary`. */
export function renderPretty(report: SimulateReport, options: PrettyOptions): string {
  return `${report.results.map((result) => renderResult(result, options)).join('')}\n${renderSummary(report, options)}`;
}
