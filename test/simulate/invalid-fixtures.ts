import type { Fixture } from '../../src/fixture/format.js';
import { AUTHENTICATION_CHANGES, COMMON_CHANGES, type FixtureChange, type Kind, REGISTRATION_CHANGES } from './fixture-changes.js';

/** A change to a recording of one kind, and the name of the new fixture. */
export interface InvalidFixture extends FixtureChange {
  readonly name: string;
  readonly kind: Kind;
  readonly status: number;
}

function rows(kind: Kind, table: Readonly<Record<string, FixtureChange>>): InvalidFixture[] {
  return Object.entries(table).map(([what, row]) => ({
    ...row,
    kind,
    name: `${kind}-${what}`,
    status: row.status ?? (kind === 'registration' ? 422 : 401),
  }));
}

const commonOf = (kind: Kind) => Object.fromEntries(Object.entries(COMMON_CHANGES).map(([what, row]) => [what, row(kind)]));

export const INVALID_FIXTURES: readonly InvalidFixture[] = [
  ...rows('registration', { ...commonOf('registration'), ...REGISTRATION_CHANGES }),
  ...rows('authentication', { ...commonOf('authentication'), ...AUTHENTICATION_CHANGES }),
];

/** Applies a row to the first recording that it fits; undefined when there is none. */
export function makeInvalid(row: InvalidFixture, recordings: readonly Fixture[]): Fixture | undefined {
  const base = recordings.find(
    (fixture) => fixture.kind === row.kind && fixture.expected.outcome === 'verified' && (row.of?.(fixture) ?? true),
  );
  if (base === undefined) return undefined;
  const { integrity: _, credential, tags: __, ...edited } = row.edit(base);
  return {
    ...edited,
    name: row.name,
    description: `${row.kind === 'registration' ? 'Registration' : 'Authentication'}: ${row.change}`,
    // A refused registration stores nothing.
    ...(row.kind === 'authentication' && credential !== undefined && { credential }),
    expected: { outcome: 'rejected', code: row.code, status: row.status, ...(row.step !== undefined && { step: row.step }) },
    provenance: { ...base.provenance, derivedFrom: base.name, change: row.change },
  };
}
