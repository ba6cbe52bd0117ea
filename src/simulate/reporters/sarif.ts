import { createHash } from 'node:crypto';
import { count } from '../../kernel/wording.js';
import type { CaseReport, CaseResult, Finding } from '../report/report.js';
import { commandName, listDoubts, listFindingDetails, resultsByFinding, SHOWN_CASES } from './words.js';

/** SARIF levels of the severities. `score` is the CVSS score from which GitHub derives its own severity. */
const LEVELS = {
  critical: { level: 'error', score: '9.5' },
  high: { level: 'error', score: '8.0' },
  medium: { level: 'warning', score: '5.0' },
  low: { level: 'warning', score: '2.0' },
  note: { level: 'note', score: undefined },
} as const satisfies Record<Finding['severity'], unknown>;

/**
 * Converts a report to SARIF 2.1.0 (https://docs.oasis-open.org/sarif/sarif/v2.1.0/), with a rule for each cause and a result for each
 * finding. Leaves out findings that only the baseline has: GitHub opens an alert for every result, and closes alerts that have none.
 */
export function toSarif(report: CaseReport): unknown {
  const rules = [...new Map(report.findings.map((finding) => [finding.cause, toRule(finding)])).values()];
  return {
    $schema: 'https://json.schemastore.org/sarif-2.1.0.json',
    version: '2.1.0',
    runs: [
      {
        tool: { driver: { name: 'passkey-cli', semanticVersion: report.tool_version, rules } },
        invocations: [describeInvocation(report)],
        columnKind: 'utf16CodeUnits',
        results: resultsByFinding(report).map(({ finding, results }) => ({
          ruleId: finding.cause,
          ruleIndex: rules.findIndex(({ id }) => id === finding.cause),
          level: LEVELS[finding.severity].level,
          message: { text: writeMessage(finding) },
          locations: [locate(report, finding)],
          partialFingerprints: { primaryLocationLineHash: fingerprint(finding) },
          ...(report.baseline && { baselineState: results.some(isInBaseline) ? 'unchanged' : 'new' }),
          ...suppress(results),
          properties: { severity: finding.severity, cases: finding.cases },
        })),
      },
    ],
  };
}

function describeInvocation(report: CaseReport) {
  const doubts = listDoubts(report).map(({ text }) => ({ level: 'error', message: { text } }));
  return {
    executionSuccessful: report.incomplete !== true && report.summary.not_judged === 0 && doubts.length === 0,
    startTimeUtc: report.started_at,
    ...(doubts.length > 0 && { toolExecutionNotifications: doubts }),
  };
}

function toRule(finding: Finding) {
  const { cause, severity, title, gain, references } = finding;
  const { level, score } = LEVELS[severity];
  const rule = withoutNumbers(title);
  const details = listFindingDetails(finding).filter(({ label }) => label !== 'run alone');
  return {
    id: cause,
    shortDescription: { text: rule },
    fullDescription: { text: gain ?? rule },
    help: {
      text: details.map(({ label, text }) => `${label}: ${text}`).join('\n') || rule,
      markdown: details.map(({ label, text }) => `**${label}** ${text}`).join('\n\n') || rule,
    },
    defaultConfiguration: { level },
    properties: { tags: ['security', 'passkey', ...references.map(nameTag)], ...(score !== undefined && { 'security-severity': score }) },
  };
}

/**
 * Removes the count of this run's responses, which follows the last colon of a title, so that the same mistake always has the same name.
 */
const withoutNumbers = (title: string): string => title.replace(/:[^:]*$/, '.');

/** Makes a tag from a reference, e.g. `external/cwe/cwe-020`, which GitHub recognizes. */
const nameTag = (reference: string): string =>
  reference.replace(/^CWE-(\d+)$/, (_, number: string) => `external/cwe/cwe-${number.padStart(3, '0')}`);

function writeMessage({ title, cases, rerun }: Finding): string {
  const left = cases.length - SHOWN_CASES;
  const shown = `${cases.slice(0, SHOWN_CASES).join(', ')}${left > 0 ? ` and ${count(left, 'case')} more` : ''}`;
  return [title, `Shown by ${shown}.`, ...(rerun === undefined ? [] : [`Reproduce it with: ${rerun}`])].join('\n');
}

/**
 * Returns the profile's file as the location of a finding, because the server's own files are unknown. GitHub accepts no result without the
 * path of a file.
 */
function locate(report: CaseReport, { cases }: Finding) {
  return {
    physicalLocation: {
      artifactLocation: { uri: encodeURI(report.profile?.file ?? commandName(report).replace(' ', '-')), uriBaseId: '%SRCROOT%' },
      region: { startLine: 1 },
    },
    logicalLocations: cases.slice(0, 1).map((key) => ({ fullyQualifiedName: key })),
  };
}

/**
 * Identifies a finding by its cause alone, so that the identity stays the same when the profile's file changes. GitHub reads only this
 * fingerprint.
 */
const fingerprint = ({ cause }: Finding): string => `${createHash('sha256').update(cause).digest('hex').slice(0, 16)}:1`;

const isInBaseline = ({ known_by: by }: CaseResult): boolean => by === 'baseline';

/**
 * Marks a finding as suppressed if all its failures are in the baseline or are faults of a library. Other tolerated failures stay open,
 * because no decision about them is recorded.
 */
function suppress(results: readonly CaseResult[]) {
  const reasons = new Set(results.map(({ known_by: by }) => by));
  if (reasons.size === 0 || reasons.has(undefined)) return {};
  const justification = reasons.has('baseline')
    ? 'The baseline has this failure.'
    : 'A fault of the library, which the application cannot fix.';
  return { suppressions: [{ kind: 'external', status: 'accepted', justification }] };
}
