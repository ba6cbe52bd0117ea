import { createHash } from 'node:crypto';
import { formatSecond } from '../../kernel/wording.js';
import { listNames } from '../../webauthn/enumerations.js';
import { asExpected, type CaseReport, type CaseResult, caseKey } from '../report/report.js';
import { SCRIPT, STYLE } from './html-assets.js';
import {
  commandName,
  countedEndings,
  type Detail,
  ENDINGS,
  type Ending,
  failureInShort,
  findEnding,
  findEndingOf,
  listDetails,
  listDoubts,
  listFindingDetails,
  listSources,
  readReason,
  resultsByFinding,
  seconds,
  summaryLine,
  targetName,
} from './words.js';

const ORDER = listNames(ENDINGS);

/**
 * Renders a report as one self-contained HTML file. Its content security policy forbids any other style or script, and every request. The
 * report is readable without the script, which only filters the cases.
 */
export function renderHtml(report: CaseReport): string {
  const verdict = asExpected(report) ? 'passed' : 'failed';
  return [
    '<!doctype html>',
    '<html lang="en">',
    '<head>',
    '<meta charset="utf-8">',
    `<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src '${computeDigest(STYLE)}'; script-src '${computeDigest(SCRIPT)}'; base-uri 'none'; form-action 'none'">`,
    '<meta name="viewport" content="width=device-width, initial-scale=1">',
    '<meta name="color-scheme" content="light dark">',
    `<title>${escaped(summaryLine(report))}</title>`,
    `<style>${STYLE}</style>`,
    '</head>',
    '<body>',
    '<header>',
    `<h1>${commandName(report)} <span class="verdict ${verdict}">${verdict}</span></h1>`,
    `<p>${escaped(
      countedEndings(report)
        .map(({ text }) => text)
        .join(', ') || 'no case',
    )}</p>`,
    ...listDoubts(report).map(({ text }) => `<p class="doubt">${escaped(text)}</p>`),
    facts(report),
    '</header>',
    filters(report),
    '<main>',
    findings(report),
    baseline(report),
    '<h2>Cases</h2>',
    `<ol class="cases">${inOrder(report)
      .map((result) => caseItem(result))
      .join('\n')}</ol>`,
    '<p id="none" hidden>No case matches. Select more outcomes, or search for something else.</p>',
    '</main>',
    `<script>${SCRIPT}</script>`,
    '</body>',
    '</html>',
    '',
  ].join('\n');
}

function computeDigest(text: string): string {
  return `sha256-${createHash('sha256').update(text).digest('base64')}`;
}

function facts(report: CaseReport): string {
  const { started_at, duration_ms, tool_version } = report;
  const rows: readonly (readonly [string, string])[] = [
    ['Target', targetName(report)],
    ['Started', started(started_at)],
    ['Took', `${seconds(duration_ms)} s`],
    ['passkey-cli', tool_version],
  ];
  return `<dl class="facts">${rows.map(([name, value]) => `<div><dt>${name}</dt><dd>${escaped(value)}</dd></div>`).join('')}</dl>`;
}

function started(text: string): string {
  const time = Date.parse(text);
  return Number.isNaN(time) ? text : formatSecond(Math.floor(time / 1000) * 1000);
}

/** Renders the findings, the most serious first. Links lead to their cases further down. */
function findings({ findings: found }: CaseReport): string {
  if (found.length === 0) return '';
  const items = found.map((finding) => {
    const rows = [...listFindingDetails(finding), { label: 'cases', text: finding.cases.join(', ') }].map((detail) => row(detail));
    const { severity } = finding;
    const ending = findEndingOf(finding);
    const words = `<span class="ending ${ending}">${severity}</span> <code>${escaped(finding.cause)}</code>`;
    return `<li><details${ending === 'failed' ? ' open' : ''}><summary>${words} <span>${escaped(finding.title)}</span></summary><dl>${rows.join('')}</dl></details></li>`;
  });
  return `<h2>Findings</h2>\n<ol class="findings">${items.join('\n')}</ol>`;
}

/** Renders the filters, which stay hidden until the script makes them work. */
function filters({ results }: CaseReport): string {
  const numbers = new Map<Ending, number>();
  for (const result of results) numbers.set(findEnding(result), (numbers.get(findEnding(result)) ?? 0) + 1);
  const boxes = ORDER.flatMap((ending) => {
    const number = numbers.get(ending);
    return number === undefined
      ? []
      : [`<label class="${ending}"><input type="checkbox" value="${ending}" checked> ${ENDINGS[ending].words} <b>${number}</b></label>`];
  });
  return [
    '<form id="filters" role="search" hidden>',
    `<fieldset><legend>Show</legend>${boxes.join('')}</fieldset>`,
    '<label class="find">Find <input type="search" id="find" autocomplete="off" spellcheck="false" placeholder="id, tag, step, text"></label>',
    '<p id="shown" role="status"></p>',
    '</form>',
  ].join('\n');
}

function baseline({ baseline: earlier }: CaseReport): string {
  if (earlier === undefined) return '';
  const { started_at, fixed, missing } = earlier;
  const listed = (what: string, keys: readonly string[]) =>
    keys.length === 0 ? [] : [`<p>${what}: ${keys.map((key) => `<code>${escaped(key)}</code>`).join(', ')}</p>`];
  return [
    '<section class="baseline">',
    '<h2>Baseline</h2>',
    `<p>The run of ${escaped(started(started_at))} against ${escaped(targetName(earlier))}.</p>`,
    ...listed('Earlier failures that pass now', fixed),
    ...listed('Earlier failures that did not run now', missing),
    '</section>',
  ].join('\n');
}

/** Sorts cases for the report: failures first, in the order of their findings, then the others in the order of the run. */
function inOrder(report: CaseReport): CaseResult[] {
  return [...resultsByFinding(report).flatMap(({ results }) => results), ...report.results.filter(({ status }) => status !== 'failed')];
}

function caseItem(result: CaseResult): string {
  const ending = findEnding(result);
  const { sign, words } = ENDINGS[ending];
  return [
    `<li data-ending="${ending}"><details>`,
    `<summary><span class="ending ${ending}"><span aria-hidden="true">${sign}</span> ${words}</span>`,
    ` <code>${escaped(caseKey(result))}</code> <span class="short">${escaped(inShort(result))}</span></summary>`,
    `<dl>${[...listDetails(result), ...more(result)].map((detail) => row(detail)).join('')}</dl></details></li>`,
  ].join('');
}

function inShort(result: CaseResult): string {
  if (result.status === 'failed') return failureInShort(result);
  return result.status === 'passed' ? result.expected : readReason(result);
}

/** Lists the details that the report shows for a case when the reader expands it. */
function more(result: CaseResult): Detail[] {
  const { status, expected, attestation_format: format, tags, duration_ms } = result;
  return [
    ...listSources(result),
    ...(status === 'failed' ? [] : [{ label: 'expected', text: expected }]),
    ...(format === undefined ? [] : [{ label: 'format', text: format }]),
    ...(tags.length === 0 ? [] : [{ label: 'tags', text: tags.join(' ') }]),
    ...(status === 'passed' || status === 'failed' ? [{ label: 'took', text: `${Math.round(duration_ms)} ms` }] : []),
  ];
}

const VERBATIM = ['sent', 'came', 'run alone', 'file'];

/** Renders a detail as a row. A detail without a label belongs to the row above. */
function row({ label, text, tone }: Detail): string {
  const shown = VERBATIM.includes(label) ? `<code>${escaped(text)}</code>` : escaped(text);
  return `${label === '' ? '' : `<dt>${label}</dt>`}<dd${tone === undefined ? '' : ` class="${tone}"`}>${shown}</dd>`;
}

function escaped(text: string): string {
  return text.replaceAll(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}
