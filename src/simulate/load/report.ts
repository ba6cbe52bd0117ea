import type { Static } from 'typebox';
import * as Type from 'typebox';
import { orNull, strict } from '../../kernel/schema-kit.js';

const Count = Type.Integer({ minimum: 0 });
const Milliseconds = Type.Number({ minimum: 0 });

const OutcomesSchema = Type.Object({ accepted: Count, refused: Count, failed: Count, broken: Count }, strict);

const PercentilesSchema = Type.Object(
  { p50: Milliseconds, p90: Milliseconds, p99: Milliseconds, p99_9: Milliseconds, max: Milliseconds },
  { ...strict, description: 'milliseconds, from an HDR histogram with three significant digits' },
);

const MeasuredSchema = Type.Object(
  {
    ...OutcomesSchema.properties,
    latency_ms: Type.Union([PercentilesSchema, Type.Null()], { description: 'of the accepted requests; null if there are none' }),
  },
  strict,
);

const PaceSchema = Type.Union([
  Type.Object({ kind: Type.Literal('concurrency'), concurrency: Type.Integer({ minimum: 1 }) }, strict),
  Type.Object({ kind: Type.Literal('rate'), per_second: Type.Number({ exclusiveMinimum: 0 }) }, strict),
]);

const ErrorSchema = Type.Object(
  {
    at: Type.Enum(['account', 'options', 'register', 'login', 'client'], {
      description: 'the request, or "client": the options cannot be used',
    }),
    outcome: Type.Enum(['refused', 'failed', 'broken']),
    count: Type.Integer({ minimum: 1 }),
    first: Type.String({ description: 'the message of the first error' }),
  },
  strict,
);

const FindingSchema = Type.Object(
  {
    credential_id: Type.String(),
    expected: Type.String(),
    received: Type.String(),
  },
  strict,
);

const CheckedSchema = Type.Object({ checked: Count, wrong: Count }, strict);

const CheckSchema = Type.Object(
  {
    status: Type.Enum(['kept', 'lost', 'unanswered', 'not_run'], {
      description: '"unanswered": some checks got no answer, so nothing is proved; "not_run": interrupted, or nothing to check',
    }),
    acknowledged: Type.Integer({ minimum: 0, description: 'registrations that the target accepted' }),
    logins: Type.Object(CheckedSchema.properties, { ...strict, description: 'registered passkeys that must still log in' }),
    counters: Type.Object(CheckedSchema.properties, {
      ...strict,
      description: 'passkeys whose last acknowledged sign count must not be accepted again',
    }),
    lists: Type.Object(CheckedSchema.properties, { ...strict, description: 'users whose excludeCredentials must name their passkeys' }),
    unanswered: Type.Integer({ minimum: 0, description: 'checks that got no answer, or a 429' }),
    findings: Type.Array(FindingSchema, { description: 'the first 20' }),
  },
  { ...strict, description: 'whether the target has kept everything that it acknowledged' },
);

/** Schema of the document that `passkey simulate --load --json` prints, shipped as `passkey-load-report.schema.json`. */
export const loadReportSchema = Type.Object(
  {
    format: Type.Literal('passkey-load-report'),
    version: Type.Literal(1),
    tool_version: Type.String(),
    target: Type.String({ description: '"in-process" or the URL of the server under test' }),
    started_at: Type.String(),
    pace: PaceSchema,
    mix: Type.Object({ registrations: Count, logins: Count }, strict),
    asked_ms: Type.Number({ exclusiveMinimum: 0, description: 'the requested time during which ceremonies begin' }),
    duration_ms: Type.Number({ minimum: 0, description: 'the time until the last ceremony ended' }),
    interrupted: Type.Boolean(),
    ceremonies: Type.Object(
      {
        registration: OutcomesSchema,
        login: OutcomesSchema,
        latency_ms: orNull(PercentilesSchema),
        per_second: Type.Number({ minimum: 0, description: 'accepted ones' }),
        not_started: Type.Integer({ minimum: 0, description: 'ceremonies that were due, but too many were running' }),
        unfinished: Type.Integer({ minimum: 0, description: 'ceremonies that were running when the run was interrupted' }),
      },
      strict,
    ),
    requests: Type.Object(
      { account: MeasuredSchema, options: MeasuredSchema, register: MeasuredSchema, login: MeasuredSchema },
      { ...strict, description: 'with --rate, latency counts from when the ceremony was due' },
    ),
    errors: Type.Array(ErrorSchema),
    client: Type.Object(
      {
        share: Type.Number({ minimum: 0, maximum: 1, description: 'the part of the time of the run that client and authenticator took' }),
        busy: Type.Number({ minimum: 0, maximum: 1, description: 'the part of the time of the run in which this process was not idle' }),
        late_ms: orNull(PercentilesSchema),
      },
      { ...strict, description: 'whether the client itself limited the figures; late_ms: how late ceremonies began, with --rate' },
    ),
    check: CheckSchema,
    left: Type.Array(Type.String(), { description: 'what could not be deleted; the first 20' }),
  },
  strict,
);

export type LoadReport = Static<typeof loadReportSchema>;
export type LoadPace = Static<typeof PaceSchema>;
export type LoadMix = LoadReport['mix'];
export type LoadCheck = Static<typeof CheckSchema>;
export type Percentiles = Static<typeof PercentilesSchema>;
export type Outcomes = Static<typeof OutcomesSchema>;
export type LoadError = Static<typeof ErrorSchema>;
/** Kinds of requests that are measured. `account` makes an account before a registration, if the profile says how. */
export type RequestKind = keyof LoadReport['requests'];
export type CeremonyKind = 'registration' | 'login';

/** Maximum number of findings in a report, and of things that could not be deleted. */
export const MAX_LISTED = 20;

/**
 * Checks whether the run passed: the target accepted something, and it has kept everything it acknowledged. Refusals and failures under
 * load do not fail the run.
 */
export function isKept({ check }: LoadReport): boolean {
  return check.status === 'kept';
}
