import type { Static } from 'typebox';
import * as Type from 'typebox';
import { PasskeyError } from '../../errors.js';
import { describeValue, type SchemaError, schemaErrors } from '../../fixture/schema-errors.js';
import { locateJsonError, locateValue } from '../../kernel/json-location.js';
import { asObject } from '../../kernel/json-value.js';
import { count } from '../../kernel/wording.js';
import { type CaseReport, type CaseResult, caseKey, type SimulateReport } from '../report/report.js';

/** Formats of the reports that can be read: those of `simulate` and of `browse --check`. */
const FORMATS = ['passkey-simulate-report', 'passkey-page-report'] as const;
type Format = (typeof FORMATS)[number];
const [FORMAT] = FORMATS;
/** Current version of the report format. It increases when an older reader would misread a report. */
const FORMAT_VERSION = 1;

/**
 * The members of an earlier report that this program needs. All other members are ignored, because another version of the program may have
 * written them.
 */
const EarlierReportSchema = Type.Object({
  format: Type.Enum([...FORMATS]),
  version: Type.Literal(FORMAT_VERSION),
  tool_version: Type.Optional(Type.String({ description: 'a text' })),
  incomplete: Type.Optional(Type.Literal(true)),
  target: Type.String({ description: 'a text' }),
  started_at: Type.String({ description: 'a text' }),
  results: Type.Array(
    Type.Object({
      id: Type.String({ description: 'a text' }),
      replay: Type.Optional(Type.Enum(['verbatim', 'rebound'])),
      status: Type.Enum(['passed', 'failed', 'not_applicable', 'not_run']),
      code: Type.Optional(Type.String({ description: 'a text' })),
      cause: Type.Optional(Type.String({ description: 'a text' })),
    }),
  ),
});

/** A report of an earlier run, as written by `--reporter json`. */
export type EarlierReport = Static<typeof EarlierReportSchema>;

/**
 * Parses the JSON text of a report. Error messages call the report by the name in `source`.
 *
 * @param expected the format that the report must have.
 *
 * @throws PasskeyError `usage` naming the position, what was expected and what was received.
 */
export function parseReport(text: string, source: string, expected: Format = FORMAT): EarlierReport {
  const json = text.replace(/^\uFEFF/, '');
  const wrong = locateJsonError(json);
  if (wrong !== undefined) throw notAReport(`${source}:${wrong.line}:${wrong.column}`, wrong, expected);
  const document: unknown = JSON.parse(json);
  const { format, version } = asObject(document);
  if (format === expected && typeof version === 'number' && version > FORMAT_VERSION) {
    throw new PasskeyError(
      'usage',
      `${source}: expected version ${FORMAT_VERSION} of the report format; got version ${version}, written by a newer version of passkey. Update passkey, or create the report again with this version.`,
    );
  }
  const [error] =
    format === expected
      ? schemaErrors(EarlierReportSchema, document)
      : [{ pointer: '/format', expected: JSON.stringify(expected), received: describeValue(format) }];
  if (error === undefined) return document as EarlierReport;
  const at = locateValue(json, error.pointer);
  throw notAReport(at === undefined ? source : `${source}:${at.line}:${at.column}`, error, expected);
}

function notAReport(place: string, { pointer = '', expected, received }: Partial<SchemaError>, format: Format): PasskeyError {
  const command = format === FORMAT ? 'passkey simulate' : 'passkey browse --check';
  const member = pointer === '' ? '' : ` ${pointer}:`;
  return new PasskeyError(
    'usage',
    `${place}:${member} expected ${expected}, received ${received}. Pass a report written by \`${command} --reporter json=FILE\`.`,
  );
}

/**
 * Writes the part of a report that `--baseline` reads. Each failure has its own line, and the lines are sorted, so that version control
 * shows useful differences.
 */
export function writeBaseline({ format, version, tool_version, target, started_at, results }: CaseReport): string {
  const failed = results.filter(({ status }) => status === 'failed').toSorted((one, other) => (caseKey(one) < caseKey(other) ? -1 : 1));
  const lines = failed.map(({ id, replay, status, cause }) => `    ${JSON.stringify({ id, replay, status, cause })}`);
  const head = JSON.stringify({ format, version, tool_version, target, started_at }, undefined, 2).replace(/\n\}$/, '');
  return `${head},\n  "results": [\n${lines.join(',\n')}\n  ]\n}\n`;
}

/**
 * Refuses the report of an interrupted run, because cases that did not run might have failed.
 *
 * @param source names the report in messages.
 * @throws PasskeyError `usage` for the report of an interrupted run.
 */
export function refuseIncomplete({ incomplete, results }: EarlierReport, source: string): void {
  if (incomplete !== true) return;
  const lacks = count(results.filter(({ status }) => status === 'not_run').length, 'case');
  throw new PasskeyError(
    'usage',
    `${source}: expected the report of a complete run; that run was interrupted, and its report lacks ${lacks}. Pass the report of another run, or add --allow-incomplete.`,
  );
}

/** Lists the keys of the cases that failed in an earlier run or could not be judged. See `caseKey`. */
export function failedIn({ results }: EarlierReport): ReadonlySet<string> {
  return new Set(results.filter(({ status, code }) => status === 'failed' || code !== undefined).map((result) => caseKey(result)));
}

/** An earlier report with which this run is compared. */
interface Baseline {
  readonly earlier: EarlierReport;
  /** Status of each case in the earlier report, by the case's key. */
  readonly statuses: ReadonlyMap<string, CaseResult['status']>;
  /** Failures in the earlier report of cases that no longer exist, because they were renamed or removed. */
  readonly gone: EarlierReport['results'];
}

/**
 * Prepares an earlier report for comparison.
 *
 * @param ids IDs of all existing cases; fixtures are not included, because users add and remove them.
 */
export function openBaseline(earlier: EarlierReport, ids: ReadonlySet<string>): Baseline {
  const gone = earlier.results.filter(({ id, replay, status }) => status === 'failed' && replay === undefined && !ids.has(id));
  return { earlier, gone, statuses: new Map(earlier.results.map((result) => [caseKey(result), result.status])) };
}

/**
 * Finds out whether the baseline contains this failure. Also accepts a failure with the same cause whose case no longer exists, because
 * that case may have been renamed.
 */
export function hasFailure({ statuses, gone }: Baseline, { id, replay, cause }: Pick<CaseResult, 'id' | 'replay' | 'cause'>): boolean {
  const then = statuses.get(caseKey({ id, replay }));
  return then === undefined ? gone.some((each) => each.cause !== undefined && each.cause === cause) : then === 'failed';
}

/** Lists the failures in the baseline that no longer occur: those whose case now passes, and those whose case did not run. */
export function compareToBaseline(results: readonly CaseResult[], { earlier, gone }: Baseline): NonNullable<SimulateReport['baseline']> {
  const now = new Map(results.map((result) => [caseKey(result), result.status]));
  const causes = new Set(results.map(({ cause }) => cause));
  const renamed = new Set(gone.filter(({ cause }) => cause !== undefined && causes.has(cause)).map((result) => caseKey(result)));
  const failed = earlier.results.filter(({ status }) => status === 'failed').map((result) => caseKey(result));
  const others = failed.filter((key) => now.get(key) !== 'failed' && !renamed.has(key));
  const fixed = others.filter((key) => now.get(key) === 'passed');
  return {
    target: earlier.target,
    started_at: earlier.started_at,
    fixed,
    missing: others.filter((key) => !fixed.includes(key)),
  };
}
