import { createColors } from 'picocolors';
import { count } from '../../kernel/wording.js';
import type { CheckResult, DoctorReport } from '../../simulate/doctor/report.js';
import { labelled } from '../output/wrap.js';

interface Style {
  readonly colour: boolean;
  readonly width: number;
}

const SIGNS = { pass: '✓', warn: '!', fail: '✗', skip: '–' } as const;
const INDENT = 10;

/** Renders the checks, the requests that were sent, and how many checks had each result. */
export function renderReport(report: DoctorReport, style: Style): string {
  const { url, rp_id: rpId, checks, requests, summary } = report;
  const { dim } = createColors(style.colour);
  const made = requests.map(({ method, url: to, status }) => dim(`  ${method} ${to}${status === null ? '' : ` ${status}`}`));
  const ends = [`${summary.pass} passed`, count(summary.warn, 'warning'), `${summary.fail} failed`, `${summary.skip} skipped`];
  return [
    `${url}, RP ID ${rpId}`,
    '',
    ...checks.map((check) => renderCheck(check, style)),
    '',
    `${count(requests.length, 'request')}:`,
    ...made,
    '',
    `${ends.join(', ')}\n`,
  ].join('\n');
}

function renderCheck({ id, title, status, found, fix, source }: CheckResult, { colour, width }: Style): string {
  const c = createColors(colour);
  const paint = { pass: c.green, warn: c.yellow, fail: c.red, skip: c.dim }[status];
  const head = labelled(`${paint(SIGNS[status])} `, `${id}: ${found}`, { width, indent: 2 });
  if (fix === undefined) return head;
  const rows = { rule: title, fix };
  const details = Object.entries(rows).map(([label, text]) => labelled(`    ${label}`, text, { width, indent: INDENT }));
  return [head, ...details, `    see   ${source}`].join('\n');
}
