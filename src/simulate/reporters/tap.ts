import { type CaseReport, type CaseResult, caseKey, failsRun } from '../report/report.js';
import { ENDINGS, findEnding, headingsByCase, readReason, stepName, summaryLine } from './words.js';

/**
 * Renders a report as TAP version 14 (https://testanything.org/tap-version-14-specification.html), with the diagnostics of each failure in
 * YAML. A known or tolerated failure is marked `# TODO`, which no TAP harness counts as a failure. A case that is not applicable or did not
 * run is marked `# SKIP`, with the reason.
 */
export function renderTap(report: CaseReport): string {
  const headings = headingsByCase(report);
  const points = report.results.flatMap((result, index) => testPoint(result, index + 1, headings.get(caseKey(result))));
  return ['TAP version 14', `1..${report.results.length}`, ...points, `# ${oneLine(summaryLine(report))}`, ''].join('\n');
}

function testPoint(result: CaseResult, number: number, finding: string | undefined): string[] {
  const isBad = result.status === 'failed' || result.code !== undefined;
  const point = `${isBad ? 'not ok' : 'ok'} ${number} - ${escaped(caseKey(result))}${directive(result)}`;
  return isBad ? [point, ...diagnostics(result, finding)] : [point, ...listRemarks(result)];
}

function directive(result: CaseResult): string {
  const ending = findEnding(result);
  switch (ending) {
    case 'known':
    case 'tolerated':
      return ` # TODO ${ENDINGS[ending].words}`;
    case 'not_applicable':
    case 'not_run':
      return ` # SKIP ${escaped(`${ENDINGS[ending].words}: ${readReason(result)}`)}`;
    default:
      return '';
  }
}

function diagnostics(result: CaseResult, finding: string | undefined): string[] {
  const { title, file, code, reason, flaky, repeats, tests, mismatches, exchanges, remarks, advice, rerun, duration_ms } = result;
  const members: Readonly<Record<string, unknown>> = {
    message: title,
    finding,
    severity: result.status === 'failed' && !failsRun(result) ? 'todo' : 'fail',
    file,
    code,
    reason,
    flaky,
    repeats,
    tests: tests && stepName(tests),
    mismatches,
    exchanges,
    remarks,
    advice,
    run_alone: rerun,
    duration_ms,
  };
  // JSON is YAML, and needs no rules of its own for quotes, colons and line breaks.
  const lines = Object.entries(members)
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => `  ${name}: ${oneLine(JSON.stringify(value))}`);
  return ['  ---', ...lines, '  ...'];
}

function listRemarks({ remarks = [] }: CaseResult): string[] {
  return remarks.map((remark) => `# ${oneLine(remark)}`);
}

/** Escapes a name or reason for TAP, because a line break would end it and a bare hash would begin a directive. */
function escaped(text: string): string {
  return oneLine(text).replaceAll('\\', '\\\\').replaceAll('#', '\\#');
}

/** Replaces characters that a line reader or YAML might take for the end of a line. */
function oneLine(text: string): string {
  return text.replaceAll(/[\p{Cc}\u2028\u2029]/gu, (character) => `\\u${(character.codePointAt(0) ?? 0).toString(16).padStart(4, '0')}`);
}
