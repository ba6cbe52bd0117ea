import { type CaseReport, type CaseResult, caseKey, failsRun } from '../report/report.js';
import { commandName, ENDINGS, failureInShort, findEnding, headingsByCase, listDetails, readReason } from './words.js';

/**
 * Renders a report as JUnit XML, in the form that Jenkins, GitLab and others read. A known or tolerated failure, and a case that is not
 * applicable or did not run, is `skipped` with the reason, because a build that counts failures must not fail for it. A case that could not
 * be judged is an `error`.
 */
export function renderJunit(report: CaseReport): string {
  const { summary, results, duration_ms, started_at, target, tool_version } = report;
  const headings = headingsByCase(report);
  const failures = results.filter((result) => failsRun(result)).length;
  const counts = { tests: summary.total, failures, errors: summary.not_judged };
  const time = toSeconds(duration_ms);
  const skipped = summary.total - summary.passed - failures - summary.not_judged;
  const name = commandName(report);
  const suite = { name, ...counts, skipped, time, timestamp: started_at.replace(/(?:\.\d+)?Z$/, '') };
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuites${attributes({ name, ...counts, time })}>`,
    `  <testsuite${attributes(suite)}>`,
    '    <properties>',
    `      <property${attributes({ name: 'target', value: target })}/>`,
    `      <property${attributes({ name: 'passkey-cli', value: tool_version })}/>`,
    ...(report.incomplete === true ? [`      <property${attributes({ name: 'incomplete', value: 'true' })}/>`] : []),
    '    </properties>',
    ...results.map((result) => testCase(result, headings.get(caseKey(result)), name.slice('passkey '.length))),
    '  </testsuite>',
    '</testsuites>',
    '',
  ].join('\n');
}

/** Makes the class name by which CI servers group cases: `simulate.case.register`, `simulate.fixture.verbatim`. */
function nameClass({ id, source, replay }: CaseResult, command: string): string {
  return `${command}.${source}.${replay ?? (id.includes('.') ? id.slice(0, id.indexOf('.')) : 'other')}`;
}

function testCase(result: CaseResult, finding: string | undefined, command: string): string {
  const start = `    <testcase${attributes({ name: caseKey(result), classname: nameClass(result, command), time: toSeconds(result.duration_ms) })}`;
  const children = [...writeReferences(result), ...writeOutcome(result, finding), ...writeOutput(result, finding)];
  return children.length === 0 ? `${start}/>` : [`${start}>`, ...children, '    </testcase>'].join('\n');
}

function writeReferences({ references }: CaseResult): string[] {
  if (references === undefined) return [];
  const property = `<property${attributes({ name: 'references', value: references.join(', ') })}/>`;
  return [`      <properties>${property}</properties>`];
}

function writeOutcome(result: CaseResult, finding: string | undefined): string[] {
  const ending = findEnding(result);
  switch (ending) {
    case 'passed':
      return [];
    case 'failed':
    case 'flaky':
      return [`      <failure${attributes({ type: ending, message: failureInShort(result) })}>${text(asLines(result, finding))}</failure>`];
    case 'not_judged':
      return [
        `      <error${attributes({ type: result.code ?? ending, message: readReason(result) })}>${text(asLines(result, finding))}</error>`,
      ];
    case 'known':
    case 'tolerated':
      return [`      <skipped${attributes({ message: `${ENDINGS[ending].words}: ${failureInShort(result)}` })}/>`];
    case 'not_applicable':
    case 'not_run':
      return [`      <skipped${attributes({ message: `${ENDINGS[ending].words}: ${readReason(result)}` })}/>`];
  }
}

/** Lists the details of a case that did not fail. */
function writeOutput(result: CaseResult, finding: string | undefined): string[] {
  if (result.status === 'failed' && !failsRun(result)) return [`      <system-out>${text(asLines(result, finding))}</system-out>`];
  if (result.status === 'failed' || result.remarks === undefined) return [];
  return [`      <system-out>${text(result.remarks.join('\n'))}</system-out>`];
}

function asLines(result: CaseResult, finding: string | undefined): string {
  return [...(finding === undefined ? [] : [{ label: 'finding', text: finding }]), ...listDetails(result)]
    .map((detail) => `${detail.label.padEnd(10)}${detail.text}`)
    .join('\n');
}

/** Converts milliseconds to seconds, written without an exponent, as the schema requires. */
function toSeconds(milliseconds: number): string {
  return (milliseconds / 1000).toFixed(3);
}

function attributes(values: Readonly<Record<string, string | number>>): string {
  return Object.entries(values)
    .map(([name, value]) => ` ${name}="${attribute(String(value))}"`)
    .join('');
}

/** Matches characters that XML 1.0 (2.2) cannot represent. */
const NO_CHARACTER = /[^\t\n\r\u0020-\uD7FF\uE000-\uFFFD\u{10000}-\u{10FFFF}]/gu;

function text(value: string): string {
  return value
    .replace(NO_CHARACTER, (character) => `\\u${(character.codePointAt(0) ?? 0).toString(16).padStart(4, '0')}`)
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('\r', '&#13;');
}

/** Escapes an attribute value, including white space, which an XML parser would replace with spaces. */
function attribute(value: string): string {
  return text(value).replaceAll('"', '&quot;').replaceAll('\n', '&#10;').replaceAll('\t', '&#9;');
}
