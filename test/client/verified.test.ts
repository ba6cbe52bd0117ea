import { verifyAuthenticationResponse, verifyRegistrationResponse } from '@simplewebauthn/server';
import { describe, expect, test } from 'vitest';
import { SIGNING_ALGORITHMS } from '../../src/authenticator/algorithms.js';
import { cooperativeUser } from '../../src/authenticator/user-verifier.js';
import { findAlgorithm } from '../../src/webauthn/algorithms.js';
import { isRegistrableSuffix } from '../../src/webauthn/registrable-suffix.js';
import { fc, PROPERTY_RUNS } from '../properties.js';
import { CHALLENGE, creation, ORIGIN, RP_ID, request, setUp } from './ceremony.js';
import { type Expected, verifyAuthentication, verifyRegistration } from './independent.js';

const UP = 0x01;
const UV = 0x04;
const AT = 0x40;
const expected = { challenge: CHALLENGE, origin: ORIGIN, rpId: RP_ID, flags: UP | UV, signCount: 1 } satisfies Expected;

/** Whether @simplewebauthn/server can verify it here. */
function isKnownToLibrary(alg: number): boolean {
  const { library } = findAlgorithm(alg) ?? {};
  return library === 'always' || (library === 'node-24' && Number.parseInt(process.versions.node, 10) >= 24);
}

describe.each(SIGNING_ALGORITHMS)('$name ($id)', ({ id: alg }) => {
  const library = isKnownToLibrary(alg);
  test.each([
    { attestation: 'none', residentKey: 'required' },
    { attestation: 'none', residentKey: 'discouraged' },
    { attestation: 'packed', residentKey: 'required' },
  ] as const)(
    `$attestation, $residentKey: verifies independently${library ? ' and by the library' : ''}`,
    async ({ attestation, residentKey }) => {
      const { client } = setUp({ algorithms: [alg], attestation, signCount: { kind: 'per-credential', start: 1 } });
      const publicKey = creation({
        pubKeyCredParams: [{ type: 'public-key', alg }],
        attestation: 'direct',
        authenticatorSelection: { residentKey, userVerification: 'required' },
      });
      const registration = await client.create({ publicKey });
      const { coseKey, fmt } = await verifyRegistration(registration, { ...expected, flags: expected.flags | AT });
      expect(fmt).toBe(attestation);
      // Nothing but what was asked for identifies the credential: server-side ones give no user handle.
      const discoverable = residentKey === 'required';
      const allowCredentials = discoverable ? [] : [{ type: 'public-key', id: registration.id }];
      const authentication = await client.get({ publicKey: request({ allowCredentials }) });
      expect(authentication.response.userHandle).toBe(discoverable ? 'MQ' : undefined);
      await verifyAuthentication(authentication, coseKey, { ...expected, signCount: 2 });
      if (!library) return;

      const common = { expectedChallenge: CHALLENGE, expectedOrigin: ORIGIN, expectedRPID: RP_ID, requireUserVerification: true };
      const made = await verifyRegistrationResponse({ response: registration, ...common, supportedAlgorithmIDs: [alg] });
      expect(made).toMatchObject({
        verified: true,
        registrationInfo: { fmt: attestation, userVerified: true, credential: { counter: 1 } },
      });
      if (!made.verified) throw new Error('Expected the registration to verify.');
      const { credential } = made.registrationInfo;
      const got = await verifyAuthenticationResponse({ response: authentication, ...common, credential });
      expect(got).toMatchObject({ verified: true, authenticationInfo: { newCounter: 2, userVerified: true } });
    },
  );
});

describe('whatever the options', () => {
  const settings = fc.record({
    challenge: fc.uint8Array({ minLength: 16, maxLength: 64 }).map((bytes) => Buffer.from(bytes).toString('base64url')),
    userId: fc.uint8Array({ minLength: 1, maxLength: 64 }).map((bytes) => Buffer.from(bytes).toString('base64url')),
    name: fc.string({ unit: 'grapheme' }),
    // Not a public suffix such as `a.fk`: no page below it may use one.
    host: fc.domain().filter((host) => isRegistrableSuffix(host, `www.${host}`)),
    port: fc.option(fc.integer({ min: 1024, max: 65535 })),
    parent: fc.boolean(),
    topOrigin: fc.option(
      fc.domain().map((host) => `https://${host}`),
      { nil: undefined },
    ),
    alg: fc.constantFrom(-7, -8),
    attestation: fc.constantFrom<'none' | 'packed'>('none', 'packed'),
    userVerification: fc.constantFrom('required', 'preferred', 'discouraged'),
    canVerify: fc.boolean(),
    backup: fc.constantFrom([false, false], [true, false], [true, true]),
    idLength: fc.integer({ min: 16, max: 1023 }),
  });

  test('a registration and an authentication verify independently', async () => {
    await fc.assert(
      fc.asyncProperty(settings, async ({ challenge, userId, name, host, port, parent, topOrigin, alg, attestation, ...rest }) => {
        const origin = new URL(`https://${parent ? 'www.' : ''}${host}${port === null ? '' : `:${port}`}`).origin;
        const canVerify = rest.canVerify || rest.userVerification === 'required';
        const [backupEligible = false, backupState = false] = rest.backup;
        const { client } = setUp(
          {
            attestation,
            backupEligible,
            backupState,
            credentialIdLength: rest.idLength,
            userVerifier: cooperativeUser({ canVerify }),
          },
          { origin, ...(topOrigin !== undefined && { topOrigin }) },
        );
        const uv = canVerify && rest.userVerification !== 'discouraged' ? UV : 0;
        const flags = UP | uv | (backupEligible ? 0x08 : 0) | (backupState ? 0x10 : 0);
        const crossOrigin = topOrigin !== undefined;
        const wanted = { challenge, origin, rpId: host, crossOrigin, ...(topOrigin && { topOrigin }), flags, signCount: 0 };
        const registration = await client.create({
          publicKey: creation({
            challenge,
            rp: { id: host, name },
            user: { id: userId, name, displayName: name },
            pubKeyCredParams: [{ type: 'public-key', alg }],
            attestation: 'direct',
            authenticatorSelection: { residentKey: 'required', userVerification: rest.userVerification },
          }),
        });
        const { coseKey } = await verifyRegistration(registration, { ...wanted, flags: flags | AT });
        const { userVerification } = rest;
        const authentication = await client.get({ publicKey: request({ challenge, rpId: host, userVerification }) });
        expect(authentication).toMatchObject({ id: registration.id, response: { userHandle: userId } });
        await verifyAuthentication(authentication, coseKey, wanted);
      }),
      { numRuns: PROPERTY_RUNS / 10 },
    );
  });
});
