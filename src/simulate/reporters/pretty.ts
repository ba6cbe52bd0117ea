import { createColors } from 'picocolors';
import type { CaseResult, Mismatch, SimulateReport } from '../engine/report.js';

export interface PrettyOptions {
  readonly colour: boolean;
}

const SIGNS = { passed: '✓', failed: '✗', not_applicable: '–', not_run: '·' } as const;

/**
 * One line for a passed case; for a failed one also where it failed, what was expected and what was received. Nothing for
 * a case that is not applicable: against a running server there are hundreds, which `renderSummary` groups by reason.
 */
export function renderResult(result: CaseResult, { colour }: PrettyOptions): string {
  if (result.status === 'not_applicable') return '';
  const c = createColors(colour);
  const paint = { passed: c.green, failed: c.red, not_applicable: c.yellow, not_run: c.dim }[result.status];
  const replay = result.replay === undefined ? '' : c.dim(` ${result.replay}`);
  const took = result.status === 'passed' || result.status === 'failed' ? c.dim(` ${Math.round(result.duration_ms)} ms`) : '';
  const reason = result.reason === undefined ? '' : c.dim(` (${result.reason})`);
  // The lines below say what was received.
  const outcome = result.status === 'failed' ? `expected ${result.expected}` : result.expected;
  const line = `${paint(SIGNS[result.status])} ${result.id}${replay}: ${outcome}${took}${reason}`;
  if (result.status !== 'failed') return `${line}\n`;
  const file = result.file === undefined ? [] : [`    file      ${result.file}`];
  const details = result.mismatches.flatMap((mismatch) => renderMismatch(mismatch, { colour }));
  return `${[line, `    ${result.title}`, ...file, ...details].join('\n')}\n`;
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

/** The cases that were not applicable, by reason; how many went as expected, and how long it took. */
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
    const ids = reasons.get(reason) ?? [];
    ids.push(replay === undefined ? id : `${id} ${replay}`);
    reasons.set(reason, ids);
  }
  return [...reasons]
    .map(([reason, ids]) => `${c.yellow(SIGNS.not_applicable)} ${ids.length} not applicable: ${reason}\n${c.dim(wrap(ids))}\n`)
    .join('');
}

const WIDTH = 100;

/** A comma-separated list on indented lines of at most 100 characters. */
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
