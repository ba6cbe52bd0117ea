import type { Static } from 'typebox';
import * as Type from 'typebox';
import { orNull, strict } from '../../kernel/schema-kit.js';

const ExchangeSchema = Type.Object(
  {
    request: Type.String({ description: 'method and path, or the command of an exec' }),
    sent: Type.String({ description: 'body, shortened' }),
    status: orNull(Type.Integer()),
    received: Type.String({ description: 'shortened body, or the reason why there is none' }),
  },
  strict,
);

const MisfitSchema = Type.Object(
  {
    pointer: Type.String({ description: 'JSON Pointer of the line of the profile, e.g. /register/0/take/id' }),
    place: Type.String({ description: 'position of that line: file, line and column' }),
    line: Type.String({ description: 'the value at that position, as shortened JSON' }),
    expected: Type.String(),
    received: Type.String(),
    change: Type.String({ description: 'what to do' }),
  },
  { ...strict, description: 'the line of the profile that did not fit' },
);

const StepSchema = Type.Object(
  {
    name: Type.String(),
    status: Type.Enum(['passed', 'failed', 'skipped']),
    said: Type.String({ description: 'result of the step in words' }),
    remarks: Type.Array(Type.String(), { description: 'deviations from the standard that browsers or the profile tolerate' }),
    exchanges: Type.Array(ExchangeSchema),
    misfit: Type.Optional(MisfitSchema),
  },
  strict,
);

const MeasuredSchema = Type.Object(
  {
    member: Type.Enum(
      [
        'logins',
        'formats',
        'trust',
        'algorithms',
        'userVerification',
        'passkeys',
        'selfAttestation',
        'counter',
        'afterRefusal',
        'publicKeys',
      ],
      { description: 'of `has`' },
    ),
    value: Type.Optional(Type.Unknown({ description: 'absent if the cases contradict each other' })),
    evidence: Type.String({ description: 'results of the cases that reveal the value' }),
  },
  strict,
);

const FoundSchema = Type.Object(
  {
    rp_id: orNull(Type.String()),
    algorithms: Type.Array(Type.Integer(), { description: 'COSE algorithms that the creation options offer' }),
    attestation: orNull(Type.String({ description: 'attestation conveyance that the creation options request' })),
    formats: Type.Array(Type.String(), { description: 'attestation statement formats that were accepted' }),
    user_verification: orNull(Type.String({ description: 'user verification that the creation options request' })),
    resident_key: orNull(Type.String()),
    logins: Type.Array(Type.Enum(['named', 'discoverable']), { description: 'kinds of login that were accepted' }),
    witness: Type.Boolean({ description: 'whether whoami distinguished a signed-in session from another' }),
    unknown_user: orNull(
      Type.Enum(['options', 'refused'], {
        description: 'how the server answers a request to log in a user without a passkey by name; null if not tried',
      }),
    ),
    library: orNull(
      Type.String({ description: 'the library whose error text a refusal contains, as `library.name` of a profile names it' }),
    ),
    measured: Type.Array(MeasuredSchema, { description: 'what the probe revealed and, if the profile fits, the cases' }),
    has: Type.Record(Type.String(), Type.Unknown(), { description: 'members that `has` of the profile could state' }),
  },
  strict,
);

/** Output of `passkey simulate --probe --json`; published as `simulate-probe.schema.json`. */
export const probeReportSchema = Type.Object(
  {
    format: Type.Literal('passkey-probe-report'),
    version: Type.Literal(1),
    profile: Type.String(),
    url: Type.String(),
    origin: Type.String(),
    passed: Type.Boolean(),
    answered: Type.Boolean({ description: 'false if requests were sent and none was answered' }),
    steps: Type.Array(StepSchema),
    found: FoundSchema,
  },
  { ...strict, title: 'passkey simulate --probe --json' },
);

export type ProbeReport = Static<typeof probeReportSchema>;
export type ProbeStep = Static<typeof StepSchema>;
export type ProbeFound = Static<typeof FoundSchema>;
export type Measured = Static<typeof MeasuredSchema>;

/** Converts measurements to members of `has` in a profile. Leaves out a measurement if its cases contradict each other. */
export function toCapabilities(measured: readonly Measured[]): ProbeFound['has'] {
  return Object.fromEntries(measured.flatMap(({ member, value }) => (value === undefined ? [] : [[member, value]])));
}

/** A line of the profile that does not match how the target behaves. */
export type Misfit = Static<typeof MisfitSchema>;
