import { verifyRegistrationResponse } from '@simplewebauthn/server';
import { describe, expect, test } from 'vitest';
import { SIGNING_ALGORITHMS } from '../../../src/authenticator/algorithms.js';
import { createAttestationAuthority } from '../../../src/authenticator/attestation/authority.js';
import { findAlgorithm, KEY_TYPES } from '../../../src/webauthn/algorithms.js';
import { slugs } from '../../relying-party/attestation/outcome.js';
import { quick, share } from '../../thorough.js';
import { setLibraryRoots, withLibraryTrust } from './library-trust.js';
import { challengeText, judge, ORIGIN, ROOT, RP_ID, registerAtOurs } from './registration.js';
import { attestable, WAYS } from './ways.js';

/** Every way to attest × every algorithm of credentials, against verifiers that trust the test root and no other. */

withLibraryTrust(ROOT);

/** What @simplewebauthn/server refuses although the standard allows it; src/relying-party/differences.ts says why. */
function refusedByLibrary(fmt: string, algorithm: number): boolean {
  const key = findAlgorithm(algorithm);
  if (fmt === 'compound') return true;
  if (fmt !== 'android-key' && fmt !== 'apple') return false;
  return key?.kty !== KEY_TYPES.EC2 || (fmt === 'android-key' && key.crv === 3);
}

describe.each(WAYS)('$name', ({ attestation, fmt }) => {
  test.each(share(attestable(attestation), 6))(
    'of a $name credential: our relying party accepts and trusts it',
    async ({ id: algorithm }) => {
      const { response, passkey } = await registerAtOurs({ authenticator: { attestation }, algorithm });
      const report = await judge(response);
      expect(report).toMatchObject({ fmt, trust: { status: 'trusted' } });
      expect(slugs(report, 'fail')).toEqual([]);
      // The manufacturer of the FIDO Alliance's test tools is none of the registry.
      expect(slugs(report, 'warn')).toEqual(fmt === 'tpm' ? ['certificate-tpm-manufacturer'] : []);
      expect((await passkey()).attestation).toEqual({ format: fmt, trust: 'trusted' });
    },
  );

  const known = attestable(attestation).filter(({ id }) => findAlgorithm(id)?.library === 'always');
  test.each(share(known, 6))('of a $name credential, by @simplewebauthn/server', async ({ id: algorithm }) => {
    const { response } = await registerAtOurs({ authenticator: { attestation }, algorithm });
    const verified = verifyRegistrationResponse({
      response,
      expectedChallenge: challengeText,
      expectedOrigin: ORIGIN,
      expectedRPID: RP_ID,
      supportedAlgorithmIDs: [algorithm],
    });
    if (refusedByLibrary(fmt, algorithm)) await expect(verified).rejects.toThrow(Error);
    else expect(await verified).toMatchObject({ verified: true, registrationInfo: { fmt } });
  });
});

quick.each(WAYS.filter(({ fmt }) => !refusedByLibrary(fmt, -7)))(
  '$name: @simplewebauthn/server refuses it without the test root',
  async ({ attestation }) => {
    const { response } = await registerAtOurs({ authenticator: { attestation }, algorithm: -7 });
    setLibraryRoots([createAttestationAuthority({ seed: 'another' }).root]);
    const options = { response, expectedChallenge: challengeText, expectedOrigin: ORIGIN, expectedRPID: RP_ID };
    await expect(verifyRegistrationResponse(options)).rejects.toThrow(Error);
    setLibraryRoots([ROOT]);
  },
);

quick('every algorithm is attested by at least five ways', () => {
  const counts = SIGNING_ALGORITHMS.map(
    ({ id }) => WAYS.filter(({ attestation }) => attestable(attestation).some((alg) => alg.id === id)).length,
  );
  expect(Math.min(...counts)).toBeGreaterThanOrEqual(5);
});
