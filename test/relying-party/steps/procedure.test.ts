import { describe, expect, it } from 'vitest';
import { AUTHENTICATION_CHECKS, CHALLENGE_CHECKS, REGISTRATION_CHECKS } from '../../../src/relying-party/checks.js';
import { AUTHENTICATION_STEPS } from '../../../src/relying-party/steps/authentication.js';
import { REGISTRATION_STEPS } from '../../../src/relying-party/steps/registration.js';

const numbered = (steps: readonly { slug: string; number: number }[]) =>
  Object.fromEntries(steps.map(({ slug, number }) => [slug, number]));

describe('the procedures', () => {
  it('have the steps of the standard, numbered through', () => {
    expect(REGISTRATION_STEPS.map(({ number }) => number)).toEqual(Array.from({ length: 29 }, (_, index) => index + 1));
    expect(AUTHENTICATION_STEPS.map(({ number }) => number)).toEqual(Array.from({ length: 25 }, (_, index) => index + 1));
    expect(new Set(REGISTRATION_STEPS.map(({ section }) => section))).toEqual(new Set(['7.1']));
    expect(new Set(AUTHENTICATION_STEPS.map(({ section }) => section))).toEqual(new Set(['7.2']));
  });

  it('carry the numbers of the revision', () => {
    expect(numbered(REGISTRATION_STEPS)).toMatchObject({
      type: 7,
      challenge: 8,
      origin: 9,
      'cross-origin': 10,
      'top-origin': 11,
      'attestation-object': 13,
      'rp-id-hash': 14,
      'user-present': 15,
      'user-verified': 16,
      'backup-flags': 17,
      algorithm: 20,
      'attestation-format': 21,
      'attestation-statement': 22,
      'attestation-trust': 24,
      'credential-id': 25,
      'credential-id-unused': 26,
      store: 29,
    });
    expect(numbered(AUTHENTICATION_STEPS)).toMatchObject({
      'allow-credentials': 5,
      'user-handle': 6,
      type: 10,
      challenge: 11,
      origin: 12,
      'cross-origin': 13,
      'top-origin': 14,
      'rp-id-hash': 15,
      'user-present': 16,
      'user-verified': 17,
      'backup-flags': 18,
      'backup-eligibility': 19,
      signature: 21,
      'sign-count': 22,
      'credential-record': 24,
      continue: 25,
    });
  });

  it('have every step that the checks name', () => {
    expect(REGISTRATION_STEPS.map(({ slug }) => slug)).toEqual(expect.arrayContaining([...REGISTRATION_CHECKS, ...CHALLENGE_CHECKS]));
    expect(AUTHENTICATION_STEPS.map(({ slug }) => slug)).toEqual(expect.arrayContaining([...AUTHENTICATION_CHECKS, ...CHALLENGE_CHECKS]));
  });
});
