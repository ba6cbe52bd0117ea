import { fileURLToPath } from 'node:url';
import { beforeAll, describe, expect, test } from 'vitest';
import { findFixtureFiles } from '../../src/fixture/find.js';
import type { Fixture } from '../../src/fixture/format.js';
import { readFixture } from '../../src/fixture/read.js';
import { computeIntegrity } from '../../src/fixture/write.js';
import { readBehaviour } from '../../src/simulate/engine/behaviour.js';
import { simulate } from '../../src/simulate/simulate.js';
import { INVALID_FIXTURES, makeInvalid } from './invalid-fixtures.js';

const FIXTURES = fileURLToPath(new URL('../../fixtures', import.meta.url));
const readAll = async (folder: string) => Promise.all((await findFixtureFiles([`${FIXTURES}/${folder}`])).map((file) => readFixture(file)));

let recorded: Fixture[];
let invalid: Fixture[];
beforeAll(async () => {
  [recorded, invalid] = await Promise.all([readAll('recorded'), readAll('invalid')]);
});

describe('the shipped fixtures', () => {
  test('replay as expected, in both ways', async () => {
    const report = await simulate({ fixtures: [FIXTURES], cases: false, version: '0.0.0' });
    expect(report.results.filter(({ status }) => status === 'failed')).toEqual([]);
    // Every recording is repeated too, those with attestation certificates as well.
    expect(report.summary).toMatchObject({ not_applicable: 0, passed: 2 * recorded.length + invalid.length });
  });

  test('were recorded in a browser: registrations and logins, with and without user verification, discoverable', () => {
    for (const { provenance } of recorded) {
      expect(provenance).toMatchObject({ tool: 'passkey serve', userAgent: expect.stringContaining('Chrome/') });
    }
    const has = (kind: Fixture['kind'], fits: (fixture: Fixture) => boolean) =>
      recorded.some((fixture) => fixture.kind === kind && fits(fixture));
    for (const kind of ['registration', 'authentication'] as const) {
      expect(has(kind, (fixture) => readBehaviour(fixture.response).userVerified)).toBe(true);
      expect(has(kind, (fixture) => !readBehaviour(fixture.response).userVerified)).toBe(true);
    }
    expect(has('authentication', ({ ceremony }) => ceremony.discoverable === true)).toBe(true);
    expect(has('authentication', ({ ceremony }) => ceremony.discoverable === false)).toBe(true);
  });

  test('match their digests', () => {
    for (const fixture of [...recorded, ...invalid]) expect(fixture.integrity, fixture.name).toBe(computeIntegrity(fixture));
  });

  test('are invalid by a single change to a recorded one', () => {
    const made = INVALID_FIXTURES.map((row) => makeInvalid(row, recorded));
    const byName = (a: Fixture | undefined, b: Fixture | undefined) => ((a?.name ?? '') < (b?.name ?? '') ? -1 : 1);
    const signed = made.map((fixture) => fixture && { ...fixture, integrity: computeIntegrity(fixture) });
    expect(invalid.toSorted(byName), 'run npx tsx test/simulate/make-invalid.ts').toEqual(signed.toSorted(byName));
    expect(invalid.length).toBeGreaterThanOrEqual(15);
  });
});
