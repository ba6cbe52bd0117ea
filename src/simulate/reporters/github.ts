import { count } from '../../kernel/wording.js';
import { type CaseReport, type CaseResult, caseKey, type Finding } from '../report/report.js';
import {
  commandName,
  countedEndings,
  ENDINGS,
  failureInShort,
  findEnding,
  findEndingOf,
  grouped,
  headFinding,
  listDoubts,
  listFindingDetails,
  listOutcome,
  readReason,
  resultsByFinding,
  SHOWN_CASES,
  seconds,
  targetName,
} from './words.js';

/** Maximum number of annotations of one kind that GitHub shows for a step. */
const MAX_ANNOTATIONS = 10;

/**
 * Renders the most serious findings as workflow commands of GitHub Actions, one line each: an error, or a notice if none of the finding's
 * failures fails the run. https://docs.github.com/en/actions/reference/workflow-commands-for-github-actions
 */
export function renderAnnotations(report: CaseReport): string {
  const doubts = listDoubts(report).map(({ text, details }) => {
    const lines = [text, ...details.map((detail) => `${detail.label}: ${detail.text}`)];
    return `::error title=${property('not judged')}::${data(lines.join('\n'))}\n`;
  });
  const findings = resultsByFinding(report)
    .slice(0, MAX_ANNOTATIONS)
    .map(({ finding, results }) => {
      const { severity, cause, title } = finding;
      const details = listFindingDetails(finding).map(({ label, text }) => `${label}: ${text}`);
      const shown = results.slice(0, SHOWN_CASES).map((result) => `${caseKey(result)}: ${failureInShort(result)}`);
      const left = results.length - shown.length;
      const lines = [title, ...details, ...shown, ...(left > 0 ? [`and ${count(left, 'more case')} in the summary`] : [])];
      return `::${findEndingOf(finding) === 'failed' ? 'error' : 'notice'} title=${property(`${severity}, ${cause}`)}::${data(lines.join('\n'))}\n`;
    });
  return [...doubts, ...findings].slice(0, MAX_ANNOTATIONS).join('');
}

function data(text: string): string {
  return text.replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A');
}

function property(text: string): string {
  return data(text).replaceAll(':', '%3A').replaceAll(',', '%2C');
}

/** Maximum size of a job summary in bytes. GitHub accepts 1 MiB for each step, and shows nothing of a longer summary. */
const MAX_SUMMARY_BYTES = 900_000;

/** Renders a report as GitHub Flavored Markdown for a job summary: counts, and an expandable section for each finding with its cases. */
export function renderJobSummary(report: CaseReport): string {
  const head = [
    `## ${commandName(report)}: ${escaped(targetName(report))}`,
    '',
    `${countedEndings(report)
      .map(({ text }) => text)
      .join(', ')}; ${seconds(report.duration_ms)} s`,
    '',
    ...listDoubts(report).flatMap(({ text }) => [`**${escaped(text)}**`, '']),
    ...baselineLines(report),
  ];
  const shown: string[] = [];
  let bytes = 0;
  for (const each of resultsByFinding(report)) {
    const section = findingSection(each);
    bytes += Buffer.byteLength(section);
    if (bytes > MAX_SUMMARY_BYTES) break;
    shown.push(section);
  }
  const left = report.findings.length - shown.length;
  const more = left > 0 ? [`${count(left, 'more finding')} in the log of the step.`, ''] : [];
  return [...head, ...shown, ...more, ...notApplicableLines(report)].join('\n');
}

function baselineLines({ baseline }: CaseReport): string[] {
  if (baseline === undefined) return [];
  const fixed = baseline.fixed.map((key) => code(key)).join(', ');
  const missing = baseline.missing.map((key) => code(key)).join(', ');
  return [
    ...(fixed === '' ? [] : [`Failures of the baseline that passed: ${fixed}`, '']),
    ...(missing === '' ? [] : [`Failures of the baseline that did not run: ${missing}`, '']),
  ];
}

/** Renders a finding with its first case in full, and each other case on one line. */
function findingSection({
  finding,
  results: [first, ...others],
}: {
  readonly finding: Finding;
  readonly results: readonly CaseResult[];
}): string {
  const details = [...listFindingDetails(finding), ...(first === undefined ? [] : listOutcome(first))];
  const lines = details.map(({ label, text }) => `${label.padEnd(10)}${text}`);
  const more = others.map((result) => `${ENDINGS[findEnding(result)].sign} ${caseKey(result)}: ${failureInShort(result)}`);
  return [
    `<details><summary>${escaped(headFinding(finding))}</summary>`,
    '',
    `<pre>${escaped([...lines, ...more].join('\n'))}</pre>`,
    '',
    '</details>',
    '',
  ].join('\n');
}

function notApplicableLines({ results }: CaseReport): string[] {
  const skipped = results.filter(({ status }) => status === 'not_applicable' || status === 'not_run');
  const groups = grouped(skipped, (result) => [`${ENDINGS[findEnding(result)].words}: ${readReason(result)}`]);
  if (groups.size === 0) return [];
  const rows = [...groups].map(([reason, keys]) => `| ${keys.length} | ${escaped(reason)} |`);
  return ['| Cases | Did not run |', '| --: | --- |', ...rows, ''];
}

function code(text: string): string {
  return `<code>${escaped(text)}</code>`;
}

/** Escapes text for HTML. Characters with a meaning in Markdown become entities too. */
function escaped(text: string): string {
  return text.replaceAll(/[&<>"'|*_`[\]\\~#!@:]/g, (character) => `&#${character.charCodeAt(0)};`);
}
