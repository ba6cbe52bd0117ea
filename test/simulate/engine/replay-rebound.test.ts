import { afterAll, describe, expect, test } from 'vitest';
import { PERSONAS } from '../../../src/authenticator/personas/personas.js';
import type { AuthenticatorOptions } from '../../../src/authenticator/settings.js';
import { scriptedUser } from '../../../src/authenticator/user-verifier.js';
import type { Fixture } from '../../../src/fixture/format.js';
import type { Policy } from '../../../src/relying-party/policy.js';
import { openRun } from '../../../src/simulate/engine/context.js';
import { replayRebound } from '../../../src/simulate/engine/replay-rebound.js';
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
      reason: 'the recording does not say what credential answered',
    });
    expect(await replayRebound({ ...login, origin: 'android:apk-key-hash:x' }, run)).toEqual({
      status: 'not_applicable',
      reason: 'no browser runs at android:apk-key-hash:x',
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
