import type { Static } from 'typebox';
import * as Type from 'typebox';
import { PasskeyError } from '../errors.js';
import { describeValue, type SchemaError, schemaErrors } from '../fixture/schema-errors.js';
import { locateJsonError, locateValue } from '../kernel/json-location.js';
import { objectOf } from '../kernel/json-value.js';
import { type CaseResult, caseKey, type SimulateReport } from './engine/report.js';

const FORMAT = 'passkey-simulate-report';

/** What is read of an earlier report; its other members may be those of another version of the tool. */
const EarlierReportSchema = Type.Object({
  format: Type.Literal(FORMAT),
  version: Type.Literal(1),
  target: Type.String({ description: 'a text' }),
  started_at: Type.String({ description: 'a text' }),
  results: Type.Array(
    Type.Object({
      id: Type.String({ description: 'a text' }),
      replay: Type.Optional(Type.Enum(['verbatim', 'rebound'])),
      status: Type.Enum(['passed', 'failed', 'not_applicable', 'not_run']),
    }),
  ),
});

/** A report of an earlier run, as `--reporter json` writes it. */
export type EarlierReport = Static<typeof EarlierReportSchema>;

/**
 * Reads the text of a report; `source` names it in messages.
 *
 * @throws PasskeyError `usage` naming the position, what was expected and what was received.
 */
export function parseReport(text: string, source: string): EarlierReport {
  const json = text.replace(/^\uFEFF/, '');
  const wrong = locateJsonError(json);
  if (wrong !== undefined) throw notAReport(`${source}:${wrong.line}:${wrong.column}`, wrong);
  const document: unknown = JSON.parse(json);
  const { format } = objectOf(document);
  const [error] =
    format === FORMAT
      ? schemaErrors(EarlierReportSchema, document)
      : [{ pointer: '/format', expected: JSON.stringify(FORMAT), received: describeValue(format) }];
  if (error === undefined) return document as EarlierReport;
  const at = locateValue(json, error.pointer);
  throw notAReport(at === undefined ? source : `${source}:${at.line}:${at.column}`, error);
}

function notAReport(place: string, { pointer = '', expected, received }: Partial<SchemaError>): PasskeyError {
  const member = pointer === '' ? '' : ` ${pointer}:`;
  return new PasskeyError(
    'usage',
    `${place}:${member} expected ${expected}, received ${received}. Give a report that \`passkey simulate --reporter json=FILE\` wrote.`,
  );
}

/** Keys of the cases that failed in an earlier run; see `caseKey`. */
export function failedIn({ results }: EarlierReport): ReadonlySet<string> {
  return new Set(results.filter(({ status }) => status === 'failed').map((result) => caseKey(result)));
}

/** What became of the failures of the baseline that are none now. */
export function compareToBaseline(results: readonly CaseResult[], baseline: EarlierReport): NonNullable<SimulateReport['baseline']> {
  const now = new Map(results.map((result) => [caseKey(result), result.status]));
  const gone = [...failedIn(baseline)].filter((key) => now.get(key) !== 'failed');
  const fixed = gone.filter((key) => now.get(key) === 'passed');
  return {
    target: baseline.target,
    started_at: baseline.started_at,
    fixed,
    missing: gone.filter((key) => !fixed.includes(key)),
  };
}
