import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { ALL_CASES } from '../../../src/simulate/cases/all-cases.js';
import { findTestedCause } from '../../../src/simulate/findings/causes.js';
import { FAULTY_LIBRARIES, findLibraryFault } from '../../../src/simulate/findings/library-faults.js';
import { asExpected } from '../../../src/simulate/report/report.js';
import { isAtLeast } from '../../../src/simulate/report/severity.js';
import { listCases, type SimulateOptions, simulate } from '../../../src/simulate/simulate.js';
import { readProfile } from '../../../src/simulate/target/read-profile.js';
import { startBetterAuth } from '../../targets/better-auth.js';
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
  ['@simplewebauthn/server', '14.0.1-beta.2', true],
  ['@simplewebauthn/server', '14.1.0-beta.2', false],
  ['@simplewebauthn/server', '14.0.4', false],
  ['@simplewebauthn/server', '14.1.0', false],
  ['@simplewebauthn/server', '140.0.0', false],
  ['@simplewebauthn/server', '12.0.0', false],
  ['constructor', '14.0.3', false],
])('the faults of the versions that were tested explain failures of %s %s: %s', (name, version, explains) => {
  const fault = `${name} ${version} does not look behind the attestation object`;
  expect(findLibraryFault({ name, version }, 'register.attestation-object-trailing-byte')).toEqual(explains ? { library: fault } : {});
  expect(findLibraryFault({ name, version }, 'login.origin-other-site')).toEqual({});
});

test('the last version is the one that is tested', () => {
  const installed = JSON.parse(readFileSync('node_modules/@simplewebauthn/server/package.json', 'utf8')).version;
  expect(FAULTY_LIBRARIES.map(({ versions: [, to] }) => to)).toEqual([installed]);
});

test('a fault that no version has mended has no known attack', async () => {
  const unmended = FAULTY_LIBRARIES.flatMap(({ faults }) => faults.flatMap(({ cases, fixedIn }) => (fixedIn === undefined ? cases : [])));
  const attacks = (await listCases({ fixtures: [] })).filter((each) => isAtLeast(findTestedCause(each).severity, 'high'));
  expect(attacks.map(({ id }) => id).filter((id) => unmended.includes(id))).toEqual([]);
});

test.each([
  ['login.top-origin-own', '13.3.3', '14.0.0'],
  ['login.top-origin-own', '14.0.0', undefined],
  ['register.packed-key-of-p384', '13.3.0', '13.3.1'],
  ['register.packed-key-of-p384', '13.3.1', undefined],
  ['register.tpm-of-rs256', '14.0.0', '14.0.1'],
  ['register.tpm-of-rs256', '14.0.1', undefined],
])('of a failure of %s, version %s is at fault, and fixed in %s', (id, version, fixed) => {
  const found = findLibraryFault({ name: '@simplewebauthn/server', version }, id);
  expect(found.fixed_in).toBe(fixed);
  expect(found.library === undefined).toBe(fixed === undefined);
});

test('a fault that came with a version is not of those before', () => {
  const faultOf = (version: string) =>
    findLibraryFault({ name: '@simplewebauthn/server', version }, 'register.fido-u2f-certificate-of-rsa');
  expect([faultOf('14.0.0'), faultOf('14.0.1').library]).toEqual([{}, expect.stringContaining('14.0.1 does not look at the key')]);
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
        severity: 'note',
        known: true,
      },
    ]);
    expect(asExpected(await run({ failOnLibrary: true }))).toBe(false);
  } finally {
    await target.close();
  }
});

test('a fault of the library that a version has mended fails the run, and says which version', async () => {
  const target = await startBetterAuth();
  try {
    const profile = await readProfile('better-auth', '.');
    const select = { ids: ['login.top-origin-own', 'login.top-origin-without-cross-origin', 'login.signature-doubled'] };
    const report = await simulate({ fixtures: [], version: '0.0.0', select, target: { url: target.url, profile } });
    expect(asExpected(report)).toBe(false);
    expect(report.findings.map(({ title, severity, known = false }) => [title, severity, known])).toEqual([
      ['@simplewebauthn/server 13.3.3 does not look at topOrigin at a login (§7.2 step 14): 2 requests. Upgrade to 14.0.0.', 'high', false],
      [
        '@simplewebauthn/server 13.3.3 reads the signature as BER, and not to its end (§6.5.5): 1 request. Not yours to fix; no attack is known.',
        'note',
        true,
      ],
    ]);
  } finally {
    await target.close();
  }
});
