import { type CaseResult, caseKey, type SimulateReport } from '../engine/report.js';
import {
  countedEndings,
  ENDINGS,
  failureInShort,
  findEnding,
  grouped,
  isNewFailure,
  listDetails,
  readReason,
  seconds,
  targetName,
} from './words.js';

/**
 * A report as workflow commands of GitHub Actions, a line each: an error for a failure, a notice for a known one.
 * https://docs.github.com/en/actions/reference/workflow-commands-for-github-actions
 */
export function renderAnnotations({ results }: SimulateReport): string {
  return results
    .filter(({ status }) => status === 'failed')
    .map((result) => {
      const ending = findEnding(result);
      const title = `${caseKey(result)} (${ENDINGS[ending].words})`;
      const lines = listDetails(result).map(({ label, text }) => (label === '' ? text : `${label}: ${text}`));
      return `::${isNewFailure(result) ? 'error' : 'notice'} title=${property(title)}::${data([failureInShort(result), ...lines].join('\n'))}\n`;
    })
    .join('');
}

function data(text: string): string {
  return text.replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A');
}

function property(text: string): string {
  return data(text).replaceAll(':', '%3A').replaceAll(',', '%2C');
}

/** GitHub takes 1 MiB of summaries for a step, and shows nothing of a longer one. */
const MAX_SUMMARY_BYTES = 900_000;

/** A report as GitHub Flavored Markdown, for the summary of a job: counts, and each failure to be opened. */
export function renderJobSummary(report: SimulateReport): string {
  const head = [
    `## passkey simulate: ${escaped(targetName(report))}`,
    '',
    `${countedEndings(report)
      .map(({ text }) => text)
      .join(', ')}; ${seconds(report.duration_ms)} s`,
    '',
    ...baselineLines(report),
  ];
  const failures = report.results.filter(({ status }) => status === 'failed');
  const shown: string[] = [];
  let bytes = 0;
  for (const section of failures.map((result) => failureSection(result))) {
    bytes += Buffer.byteLength(section);
    if (bytes > MAX_SUMMARY_BYTES) break;
    shown.push(section);
  }
  const left = failures.length - shown.length;
  const more = left > 0 ? [`${left} more failed; the log of the step has them.`, ''] : [];
  return [...head, ...shown, ...more, ...notApplicableLines(report)].join('\n');
}

function baselineLines({ baseline }: SimulateReport): string[] {
  if (baseline === undefined) return [];
  const fixed = baseline.fixed.map((key) => code(key)).join(', ');
  const missing = baseline.missing.map((key) => code(key)).join(', ');
  return [
    ...(fixed === '' ? [] : [`Failures of the baseline that passed: ${fixed}`, '']),
    ...(missing === '' ? [] : [`Failures of the baseline that did not run: ${missing}`, '']),
  ];
}

function failureSection(result: CaseResult): string {
  const { sign, words } = ENDINGS[findEnding(result)];
  const details = listDetails(result).map(({ label, text }) => `${label.padEnd(10)}${text}`);
  return [
    `<details><summary>${sign} ${code(caseKey(result))} (${words}): ${escaped(failureInShort(result))}</summary>`,
    '',
    `<pre>${escaped(details.join('\n'))}</pre>`,
    '',
    '</details>',
    '',
  ].join('\n');
}

function notApplicableLines({ results }: SimulateReport): string[] {
  const skipped = results.filter(({ status }) => status === 'not_applicable' || status === 'not_run');
  const groups = grouped(skipped, (result) => [`${ENDINGS[findEnding(result)].words}: ${readReason(result)}`]);
  if (groups.size === 0) return [];
  const rows = [...groups].map(([reason, keys]) => `| ${keys.length} | ${escaped(reason)} |`);
  return ['| Cases | Did not run |', '| --: | --- |', ...rows, ''];
}

function code(text: string): string {
  return `<code>${escaped(text)}</code>`;
}

/** As text in HTML; what Markdown would act on is written as an entity too. */
function escaped(text: string): string {
  return text.replaceAll(/[&<>"'|*_`[\]\\~#!@:]/g, (character) => `&#${character.charCodeAt(0)};`);
}
