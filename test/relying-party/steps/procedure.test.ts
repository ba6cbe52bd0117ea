import { describe, expect, test } from 'vitest';
import { AUTHENTICATION_STEPS } from '../../../src/relying-party/steps/authentication.js';
import { REGISTRATION_STEPS } from '../../../src/relying-party/steps/registration.js';
import { SECTION_ANCHORS } from '../../../src/webauthn/enumerations.js';

describe('the procedures', () => {
  test('are those of §7.1 and §7.2, each with the place in the standard where it stands', () => {
    expect(new Set(REGISTRATION_STEPS.map(({ section }) => section))).toEqual(new Set(['7.1']));
    expect(new Set(AUTHENTICATION_STEPS.map(({ section }) => section))).toEqual(new Set(['7.2']));
    expect(SECTION_ANCHORS['7.1']).toMatch(/#sctn-registering-a-new-credential$/);
    expect(SECTION_ANCHORS['7.2']).toMatch(/#sctn-verifying-assertion$/);
  });

  test('carry the numbers of the revision', () => {
    expect(REGISTRATION_STEPS.map(({ number, slug }) => `${number} ${slug}`)).toEqual([
      '1 options',
      '2 create',
      '3 response',
      '4 client-extension-results',
      '5 client-data-text',
      '6 client-data',
      '7 type',
      '8 challenge',
      '9 origin',
      '10 cross-origin',
      '11 top-origin',
      '12 client-data-hash',
      '13 attestation-object',
      '14 rp-id-hash',
      '15 user-present',
      '16 user-verified',
      '17 backup-flags',
      '18 backup-eligibility',
      '19 backup-state',
      '20 algorithm',
      '21 attestation-format',
      '22 attestation-statement',
      '23 trust-anchors',
      '24 attestation-trust',
      '25 credential-id',
      '26 credential-id-unused',
      '27 credential-record',
      '28 extension-outputs',
      '29 store',
    ]);
    expect(AUTHENTICATION_STEPS.map(({ number, slug }) => `${number} ${slug}`)).toEqual([
      '1 options',
      '2 get',
      '3 response',
      '4 client-extension-results',
      '5 allow-credentials',
      '6 user-handle',
      '7 response-members',
      '8 client-data-text',
      '9 client-data',
      '10 type',
      '11 challenge',
      '12 origin',
      '13 cross-origin',
      '14 top-origin',
      '15 rp-id-hash',
      '16 user-present',
      '17 user-verified',
      '18 backup-flags',
      '19 backup-eligibility',
      '20 client-data-hash',
      '21 signature',
      '22 sign-count',
      '23 extension-outputs',
      '24 credential-record',
      '25 continue',
    ]);
  });
});
