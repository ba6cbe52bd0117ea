import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { ALL_CASES } from '../../../src/simulate/cases/all-cases.js';
import { asExpected } from '../../../src/simulate/engine/report.js';
import { FAULTY_LIBRARIES, findLibraryFault } from '../../../src/simulate/findings/library-faults.js';
import { type SimulateOptions, simulate } from '../../../src/simulate/simulate.js';
import { readProfile } from '../../../src/simulate/target/read-profile.js';
import { startSimpleWebAuthn } from '../../targets/simplewebauthn.js';

test('each fault is of cases that exist, each of which has one', () => {
  const ids = new Set(ALL_CASES.map(({ id }) => id));
  for (const { faults } of FAULTY_LIBRARIES) {
    const cases = faults.flatMap((fault) => fault.cases);
    expect(cases.filter((id) => !ids.has(id))).toEqual([]);
    expect(new Set(cases).size).toBe(cases.length);
  }
});

test.each([
  ['@simplewebauthn/server', '14', true],
  ['@simplewebauthn/server', '14.0.0', true],
  ['@simplewebauthn/server', '14.0.3', true],
  ['@simplewebauthn/server', '13.2', true],
  ['@simplewebauthn/server', '14.0.4', false],
  ['@simplewebauthn/server', '14.1.0', false],
  ['@simplewebauthn/server', '140.0.0', false],
  ['@simplewebauthn/server', '12.0.0', false],
  ['constructor', '14.0.3', false],
])('the faults of the versions that were tested explain failures of %s %s: %s', (name, version, explains) => {
  const fault = `${name} ${version} does not look behind the attestation object`;
  expect(findLibraryFault({ name, version }, 'register.attestation-object-trailing-byte')).toBe(explains ? fault : undefined);
  expect(findLibraryFault({ name, version }, 'login.origin-other-site')).toBeUndefined();
});

test('the last version of a row is the one that is tested', () => {
  const installed = ['node_modules/@better-auth/passkey/node_modules', 'node_modules'].map(
    (folder) => JSON.parse(readFileSync(`${folder}/@simplewebauthn/server/package.json`, 'utf8')).version,
  );
  expect(FAULTY_LIBRARIES.map(({ versions: [, to] }) => to)).toEqual(installed);
});

test('a fault of the library is a finding of its own, and fails the run only when it should', async () => {
  const target = await startSimpleWebAuthn();
  try {
    const profile = await readProfile('simplewebauthn', '.');
    const run = (options: Partial<SimulateOptions>) =>
      simulate({
        fixtures: [],
        version: '0.0.0',
        select: { ids: ['login.default', 'login.signature-doubled', 'login.signature-third-number'] },
        target: { url: target.url, profile },
        ...options,
      });
    const report = await run({});
    expect(asExpected(report)).toBe(true);
    expect(report.findings).toMatchObject([
      {
        title:
          '@simplewebauthn/server 14.0.3 reads the signature as BER, and not to its end (§6.5.5): 2 requests. Not yours to fix; no attack is known.',
        cases: ['login.signature-doubled', 'login.signature-third-number'],
        known: true,
      },
    ]);
    expect(asExpected(await run({ failOnLibrary: true }))).toBe(false);
  } finally {
    await target.close();
  }
});
