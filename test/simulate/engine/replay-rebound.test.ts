import { afterAll, describe, expect, test as shared } from 'vitest';
import { createAttestationAuthority } from '../../../src/authenticator/attestation/authority.js';
import { ATTESTATION_NAMES } from '../../../src/authenticator/attestation/named-formats.js';
import { PERSONAS } from '../../../src/authenticator/personas/personas.js';
import type { AuthenticatorOptions } from '../../../src/authenticator/settings.js';
import { scriptedUser } from '../../../src/authenticator/user-verifier.js';
import type { Fixture } from '../../../src/fixture/format.js';
import { asObject, type JsonObject } from '../../../src/kernel/json-value.js';
import type { Policy } from '../../../src/relying-party/policy.js';
import { readBehaviour } from '../../../src/simulate/engine/behaviour.js';
import { openRun } from '../../../src/simulate/engine/open-run.js';
import { replayRebound } from '../../../src/simulate/engine/replay-rebound.js';
import { parseAaguid } from '../../../src/webauthn/aaguid.js';
import { decodeAttestationObject, encodeAttestationObject } from '../../../src/webauthn/attestation-object.js';
import { decodeBase64url, encodeBase64url } from '../../../src/webauthn/base64url.js';
import { writePem } from '../../../src/webauthn/pem.js';
import { share, quick as test } from '../../thorough.js';
import { editCredential, editInner } from '../fixture-edits.js';
import { recordSoftwareCeremonies } from '../software-ceremonies.js';

const run = await openRun();
afterAll(() => run.close());

describe('replayRebound', () => {
  test.each<[what: string, traits: AuthenticatorOptions, policy: Partial<Policy>]>([
    ['counting and verified', {}, {}],
    ['unverified', { userVerifier: scriptedUser('present') }, {}],
    ['verified only at the login', { userVerifier: scriptedUser('present', 'verified') }, {}],
    ['synced', PERSONAS['icloud-keychain'], {}],
    ['attested, with another algorithm', { algorithms: [-8], attestation: 'packed' }, { algorithms: [-8], attestation: 'direct' }],
    [
      'on a security key, counting by threes',
      { attachment: 'cross-platform', transports: ['usb'], signCount: { kind: 'global', start: 5, step: 3 } },
      {},
    ],
    ['with RSA', { algorithms: [-257] }, { userVerification: 'required' }],
  ])('repeats ceremonies that were %s', async (_, traits, policy) => {
    for (const fixture of Object.values(await recordSoftwareCeremonies(traits, policy)) as Fixture[]) {
      expect(await replayRebound(fixture, run)).toEqual({ status: 'passed' });
    }
  });

  shared.each(share(ATTESTATION_NAMES, 3))('repeats an attestation: %s', async (attestation) => {
    const algorithm = attestation === 'tpm' ? -257 : -7;
    const aaguid = attestation === 'fido-u2f' ? new Uint8Array(16) : parseAaguid('fbfc3007-154e-4ecc-8c0b-6e020557d7bd');
    const policy = { attestation: 'direct', algorithms: [algorithm] } as const;
    const { registration } = await recordSoftwareCeremonies({ attestation, aaguid, algorithms: [algorithm] }, policy);
    expect(readBehaviour(registration.response).attested?.format).toBe(attestation === 'packed-x5c' ? 'packed' : attestation);
    expect(await replayRebound(registration, run)).toEqual({ status: 'passed' });
    // A recording that was trusted for the roots of its maker is trusted for those of the software authenticator.
    if (attestation === 'none' || attestation === 'packed') return;
    const attestationRoots = [writePem(createAttestationAuthority({ seed: 'another maker' }).root)];
    const trusted = {
      ...registration,
      ceremony: { ...registration.ceremony, policy: { ...registration.ceremony.policy, attestationRoots } },
    };
    expect(await replayRebound(trusted, run)).toEqual({ status: 'passed' });
  });

  test.each([
    ['mine', 'the software authenticator cannot make attestations of the format "mine"'],
    ['fido-u2f', 'the attestation format fido-u2f does not support keys of EdDSA'],
  ])('cannot repeat the attestation %s of an EdDSA key', async (fmt, reason) => {
    const { registration } = await recordSoftwareCeremonies({ algorithms: [-8] }, { algorithms: [-8] });
    const { attestationObject } = asObject(registration.response['response']);
    const object = decodeAttestationObject(decodeBase64url(String(attestationObject)));
    const changed = editInner({ attestationObject: encodeBase64url(encodeAttestationObject({ ...object, fmt })) })(registration);
    expect(await replayRebound(changed, run)).toEqual({ status: 'not_applicable', reason });
  });

  const asked = { credentialProtectionPolicy: 'userVerificationRequired' };
  const prf = { prf: { eval: { first: 'AAAA' } } };
  test.each<
    [
      what: string,
      traits: AuthenticatorOptions,
      extensions: { create?: JsonObject; get?: JsonObject },
      shown: readonly [string[], string[]],
    ]
  >([
    ['credProtect, asked for', {}, { create: asked }, [['credProtect'], []]],
    ['credProtect, asked for in vain', { extensions: [] }, { create: asked }, [[], []]],
    ['prf of a platform', {}, { create: prf, get: prf }, [[], []]],
    ['prf of a security key', { extensions: ['hmac-secret'] }, { create: prf, get: prf }, [['hmac-secret'], ['hmac-secret']]],
    ['credBlob', {}, { create: { credBlob: 'AAAA' }, get: { getCredBlob: true } }, [['credBlob'], ['credBlob']]],
    ['minPinLength', { minPinLengthRpIds: ['localhost'] }, { create: { minPinLength: true } }, [['minPinLength'], []]],
    ['largeBlob', {}, { create: { largeBlob: { support: 'required' } }, get: { largeBlob: { read: true } } }, [[], []]],
  ])('repeats extensions: %s', async (_, traits, extensions, shown) => {
    const { registration, login } = await recordSoftwareCeremonies(
      traits,
      { userVerification: 'required', residentKey: 'required' },
      undefined,
      extensions,
    );
    expect([registration, login].map(({ response }) => readBehaviour(response).extensions)).toEqual(shown);
    for (const fixture of [registration, login]) expect(await replayRebound(fixture, run)).toEqual({ status: 'passed' });
  });

  test('repeats a protection that no page asked for, as browsers ask security keys for it', async () => {
    const { registration } = await recordSoftwareCeremonies({}, {}, undefined, {
      create: { credentialProtectionPolicy: 'userVerificationOptionalWithCredentialIDList' },
    });
    const { extensions: _, ...options } = registration.ceremony.options;
    const unasked = { ...registration, ceremony: { ...registration.ceremony, options } };
    expect(readBehaviour(unasked.response)).toMatchObject({ extensions: ['credProtect'], protection: 2 });
    expect(await replayRebound(unasked, run)).toEqual({ status: 'passed' });
  });

  const LEVELS = ['userVerificationOptional', 'userVerificationOptionalWithCredentialIDList', 'userVerificationRequired'] as const;
  const WEAKER = ['preferred', 'discouraged'] as const;
  const answers = LEVELS.flatMap((answered) =>
    [undefined, ...LEVELS].flatMap((wanted) => WEAKER.map((level) => ({ answered, wanted, level }))),
  );
  test.each(answers)(
    'repeats the protection $answered, where $wanted was asked for beside "$level"',
    async ({ answered, wanted, level }) => {
      const { registration } = await recordSoftwareCeremonies({}, { userVerification: 'required', residentKey: 'required' }, undefined, {
        create: { credentialProtectionPolicy: answered },
      });
      const { extensions: _, ...options } = registration.ceremony.options;
      const extensions =
        wanted === undefined ? undefined : { credentialProtectionPolicy: wanted, enforceCredentialProtectionPolicy: false };
      const policy = { ...registration.ceremony.policy, userVerification: level, residentKey: level };
      const ceremony = { ...registration.ceremony, options: { ...options, ...(extensions && { extensions }) }, policy };
      expect(await replayRebound({ ...registration, ceremony }, run)).toEqual({ status: 'passed' });
    },
  );

  test('repeats a protection that was asked for in vain, which Chromium would refuse to ask for', async () => {
    const { registration } = await recordSoftwareCeremonies({ extensions: [] }, {});
    const asked = { credentialProtectionPolicy: 'userVerificationRequired', enforceCredentialProtectionPolicy: false };
    const ceremony = { ...registration.ceremony, options: { ...registration.ceremony.options, extensions: asked } };
    expect(await replayRebound({ ...registration, ceremony }, run)).toEqual({ status: 'passed' });
  });

  test.each(['preferred', 'required'] as const)('sends no user handle where none was recorded (resident key %s)', async (residentKey) => {
    const { login } = await recordSoftwareCeremonies({}, { residentKey });
    expect(await replayRebound(editInner({ userHandle: null })(login), run)).toEqual({ status: 'passed' });
  });

  test.each([[[]], [undefined]])('repeats a registration and a login that name no transports (%j)', async (transports) => {
    const { registration, login } = await recordSoftwareCeremonies({ transports: [] });
    expect(await replayRebound(editInner({ transports })(registration), run)).toEqual({ status: 'passed' });
    expect(await replayRebound(editCredential(() => ({ transports: [] }))(login), run)).toEqual({ status: 'passed' });
  });

  test('says what it cannot repeat', async () => {
    const { login } = await recordSoftwareCeremonies();
    const { credential: _, ...bare } = login;
    expect(await replayRebound(bare, run)).toEqual({
      status: 'not_applicable',
      reason: 'the recording does not say which credential answered',
    });
    expect(await replayRebound({ ...login, origin: 'android:apk-key-hash:x' }, run)).toEqual({
      status: 'not_applicable',
      reason: 'browsers run no ceremonies on android:apk-key-hash:x',
    });
    // { 1: 3, 3: -65535 (RS1) }
    const rs1 = editCredential(() => ({ publicKey: 'ogEDAzn__g' }))(login);
    expect(await replayRebound(rs1, run)).toEqual({
      status: 'not_applicable',
      reason: 'the software authenticator cannot sign with RS1',
    });
  });

  test('fails if the software authenticator behaves differently', async () => {
    const { login } = await recordSoftwareCeremonies();
    const changed = editCredential(() => ({ signCount: 9 }))(login);
    expect(await replayRebound(changed, run)).toMatchObject({
      status: 'failed',
      mismatches: [{ at: 'behaviour: signCount', expected: '2', received: '9' }, { received: '401 counter_regressed (step sign-count)' }],
    });
  });
});
