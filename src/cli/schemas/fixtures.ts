import type { Static } from 'typebox';
import * as Type from 'typebox';
import type { ExpectedOutcome } from '../../fixture/format.js';
import { orNull, strict } from '../../kernel/schema-kit.js';
import { CEREMONIES } from '../../webauthn/enumerations.js';

const kind = Type.Enum([...CEREMONIES]);
const outcome = Type.Object(
  {
    outcome: Type.Enum(['verified', 'rejected']),
    code: orNull(Type.String({ description: 'Error code of a refusal.' })),
    step: orNull(Type.String({ description: 'Slug of the step that fails.' })),
  },
  strict,
);
type OutcomeRow = Static<typeof outcome>;

/** An outcome as `--json` writes it. */
export function outcomeRow(expected: ExpectedOutcome): OutcomeRow {
  return expected.outcome === 'verified'
    ? { outcome: 'verified', code: null, step: null }
    : { outcome: 'rejected', code: expected.code, step: expected.step ?? null };
}

const source = Type.String({ description: 'Path as given; `-` is standard input; `:LINE` of JSON lines.' });

export const fixtureImport = Type.Object(
  {
    imported: Type.Array(
      Type.Object(
        {
          file: Type.String({ description: 'Where the fixture was written.' }),
          name: Type.String(),
          kind,
          rp_id: Type.String(),
          origin: Type.String(),
          expected: outcome,
          source,
          hint: orNull(Type.String({ description: 'What to change, of a ceremony that is refused.' })),
          remarks: Type.Array(Type.String(), { description: 'What could not be checked.' }),
        },
        strict,
      ),
    ),
    refused: Type.Array(Type.Object({ source, kind, reason: Type.String({ description: 'Why there is no fixture of it.' }) }, strict)),
    repeated: Type.Integer({ minimum: 0, description: 'Ceremonies that came more than once, and were imported once.' }),
  },
  { ...strict, title: 'passkey fixture import --json' },
);
export type FixtureImport = Static<typeof fixtureImport>;

export const fixtureCheck = Type.Object(
  {
    checked: Type.Integer({ minimum: 0 }),
    failed: Type.Integer({ minimum: 0, description: 'Fixtures with a problem.' }),
    fixtures: Type.Array(
      Type.Object(
        {
          file: Type.String(),
          name: orNull(Type.String()),
          kind: orNull(kind),
          expected: orNull(outcome),
          found: orNull({ ...outcome, description: 'What the steps say; null where they say nothing.' }),
          problems: Type.Array(Type.String()),
        },
        strict,
      ),
    ),
  },
  { ...strict, title: 'passkey fixture check --json' },
);
export type FixtureCheck = Static<typeof fixtureCheck>;

export const fixtureList = Type.Array(
  Type.Object(
    {
      file: Type.String(),
      name: Type.String(),
      kind,
      rp_id: Type.String(),
      origin: Type.String(),
      expected: outcome,
      recorded_at: Type.String({ description: 'UTC, such as 2026-01-15T10:30:00.000Z.' }),
      description: orNull(Type.String()),
      tags: Type.Array(Type.String()),
    },
    strict,
  ),
  { title: 'passkey fixture list --json' },
);
export type FixtureRow = Static<typeof fixtureList>[number];
