import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { TPM_MANUFACTURERS } from '../../node_modules/@simplewebauthn/server/esm/registration/verifications/tpm/constants.js';
import { TPM_MANUFACTURERS as REGISTRY } from '../../src/relying-party/attestation/tpm-certificate.js';
import { LIBRARY_AUTHORIZATIONS } from '../../src/relying-party/ceremony-traits.js';
import { judge, refusal, runSteps, stepsPass } from '../../src/relying-party/judge.js';
import { AUTHENTICATION_STEPS } from '../../src/relying-party/steps/authentication.js';
import type { LibraryVerdict } from '../../src/relying-party/steps/context.js';
import { REGISTRATION_STEPS } from '../../src/relying-party/steps/registration.js';
import { encodeCoseKey } from '../../src/webauthn/cose-key.js';
import { authenticationOf, challenge, registrationOf } from './diagnosis/explained.js';
import { createWorld } from './world.js';

const VERIFIED: LibraryVerdict = { verdict: 'verified' };
const refused = (cause?: unknown): LibraryVerdict => ({ verdict: 'rejected', reason: 'because', cause, at: Date.now() });

const registration = registrationOf({}, { credentialKnown: false }).context;
const authentication = authenticationOf({}).context;

describe('a ceremony of which every step passes', () => {
  test('is accepted when the library agrees', () => {
    const judgement = judge(runSteps(REGISTRATION_STEPS, registration), registration, VERIFIED);
    expect(judgement).toMatchObject({ verdict: 'accepted', decidedBy: 'both', failed: undefined, difference: undefined });
  });

  test.each([
    ['7.1', () => judge(runSteps(REGISTRATION_STEPS, registration), registration, refused('why')), 'attestation-statement'],
    ['7.2', () => judge(runSteps(AUTHENTICATION_STEPS, authentication), authentication, refused('why')), 'signature'],
  ] as const)('of §%s is undecided when the library refuses for no known reason', (_, make, slug) => {
    const judgement = make();
    const code = 'verifiers_disagree';
    expect(judgement).toMatchObject({
      verdict: 'undecided',
      decidedBy: 'library',
      failed: undefined,
      disagreement: { code, received: 'because' },
    });
    expect(judgement.steps.filter(({ status }) => status === 'fail')).toEqual([]);
    expect(judgement.steps.find((step) => step.slug === 'credential-record')).toMatchObject({ status: 'skip' });
    expect(refusal(judgement)).toMatchObject({ code, cause: 'why', step: { slug } });
  });

  test('is undecided when the library was not asked', () => {
    const judgement = judge(runSteps(REGISTRATION_STEPS, registration), registration, undefined);
    expect(judgement).toMatchObject({ verdict: 'undecided', failed: undefined });
    expect(refusal(judgement)).toMatchObject({ code: 'attestation_malformed' });
  });
});

test('a signature that cannot be verified here never counts, whatever the library says', () => {
  const open = AUTHENTICATION_STEPS.map((step) =>
    step.slug === 'signature' ? { ...step, check: () => ({ status: 'skip', reason: 'not known here', open: true }) as const } : step,
  );
  const steps = runSteps(open, authentication);
  expect(stepsPass(steps)).toBe(false);
  for (const library of [VERIFIED, refused(), undefined]) {
    const judgement = judge(steps, authentication, library);
    expect(judgement.verdict).toBe('undecided');
    expect(refusal(judgement)).toMatchObject({ code: 'signature_invalid', step: { slug: 'signature', received: 'not known here' } });
  }
});

/** An ML-DSA-44 key: its kind is right, and its bytes are no key that ever signed. */
const mlDsa = encodeCoseKey({ kty: 7, alg: -48, pub: new Uint8Array(1312).fill(3) });

test('a login with an ML-DSA key is refused where it cannot be verified, as where it is not its signature', async () => {
  const world = createWorld({ policy: { algorithms: [-48] } });
  await world.register({ publicKey: mlDsa });
  await expect(world.authenticate({ signCount: 1 })).rejects.toMatchObject({ code: 'signature_invalid', step: { slug: 'signature' } });
  expect(world.events.at(-1)).toMatchObject({ outcome: 'rejected', decidedBy: 'steps' });
});

test('a challenge that is not open is what a refusal is about, whatever else is wrong', () => {
  const { context } = authenticationOf(
    { type: 'webauthn.create', origin: 'https://evil.example' },
    { challenge: { status: 'used', challenge } },
  );
  const judgement = judge(runSteps(AUTHENTICATION_STEPS, context), context, undefined);
  expect(judgement.failed).toMatchObject({ slug: 'challenge', code: 'challenge_used' });
  expect(judgement.steps.filter(({ status }) => status === 'fail').map(({ slug }) => slug)).toEqual(['type', 'challenge', 'origin']);
});

describe('the manufacturers of TPMs', () => {
  test('that the library knows are those of the registry, and the test tools of the FIDO Alliance', () => {
    expect(REGISTRY.size).toBeGreaterThan(20);
    const known = ['FFFFF1D0', ...REGISTRY.keys()].map((id) => `id:${id}`);
    expect(Object.keys(TPM_MANUFACTURERS).toSorted()).toEqual(known.toSorted());
  });
});

test('the tags of authorization lists that the library knows are those that the table takes it to know', () => {
  const schema = readFileSync(join(import.meta.dirname, '../../node_modules/@peculiar/asn1-android/build/cjs/key_description.js'), 'utf8');
  expect([...schema.matchAll(/context: (\d+)/g)].map(([, tag]) => Number(tag))).toEqual(LIBRARY_AUTHORIZATIONS);
});
