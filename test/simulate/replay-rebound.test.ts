import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { AuthenticatorOptions } from '../../src/authenticator/authenticator.js';
import { PERSONAS } from '../../src/authenticator/personas.js';
import { scriptedUser } from '../../src/authenticator/user-verifier.js';
import type { Fixture } from '../../src/fixture/format.js';
import type { Policy } from '../../src/relying-party/policy.js';
import { createKeySource, type Playhouse } from '../../src/simulate/cases/stage.js';
import { startInProcess } from '../../src/simulate/in-process.js';
import { replayRebound } from '../../src/simulate/replay-rebound.js';
import { editCredential, editInner } from './fixture-edits.js';
import { recordSoftwareCeremonies } from './software-ceremonies.js';

let playhouse: Playhouse;
beforeAll(() => {
  playhouse = { server: startInProcess(), remote: undefined, newPrivateKey: createKeySource() };
});
afterAll(() => playhouse.server.close());

describe('replayRebound', () => {
  it.each<[what: string, traits: AuthenticatorOptions, policy: Partial<Policy>]>([
    ['counting and verified', {}, {}],
    ['unverified', { userVerifier: scriptedUser('present') }, {}],
    ['verified only when used', { userVerifier: scriptedUser('present', 'verified') }, {}],
    ['synced', PERSONAS['icloud-keychain'], {}],
    ['of another algorithm, attested', { algorithms: [-8], attestation: 'packed' }, { algorithms: [-8], attestation: 'direct' }],
    [
      'on a security key, counting by threes',
      { attachment: 'cross-platform', transports: ['usb'], signCount: { kind: 'global', start: 5, step: 3 } },
      {},
    ],
    ['with RSA', { algorithms: [-257] }, { userVerification: 'required' }],
  ])('does ceremonies again that were %s', async (_, traits, policy) => {
    for (const fixture of Object.values(await recordSoftwareCeremonies(traits, policy)) as Fixture[]) {
      expect(await replayRebound(fixture, playhouse)).toEqual({ status: 'passed' });
    }
  });

  it.each(['preferred', 'required'] as const)('does without a user handle that was not sent (resident key %s)', async (residentKey) => {
    const { login } = await recordSoftwareCeremonies({}, { residentKey });
    expect(await replayRebound(editInner({ userHandle: null })(login), playhouse)).toEqual({ status: 'passed' });
  });

  it('says what it cannot do again', async () => {
    const { login } = await recordSoftwareCeremonies();
    const { credential: _, ...bare } = login;
    expect(await replayRebound(bare, playhouse)).toEqual({
      status: 'not_applicable',
      reason: 'the recording does not say what credential answered',
    });
    expect(await replayRebound({ ...login, origin: 'android:apk-key-hash:x' }, playhouse)).toEqual({
      status: 'not_applicable',
      reason: 'no browser runs at android:apk-key-hash:x',
    });
    // { 1: 2, 3: -47 (ES256K) }
    const es256k = editCredential(() => ({ publicKey: 'ogECAzgu' }))(login);
    expect(await replayRebound(es256k, playhouse)).toEqual({
      status: 'not_applicable',
      reason: 'the software authenticator cannot sign with ES256K',
    });
  });

  it('fails where the software authenticator would behave in another way', async () => {
    const { login } = await recordSoftwareCeremonies();
    const changed = editCredential(() => ({ signCount: 9 }))(login);
    expect(await replayRebound(changed, playhouse)).toMatchObject({
      status: 'failed',
      mismatches: [{ at: 'behaviour: signCount', expected: '2', received: '9' }, { received: '401 counter_regressed (step sign-count)' }],
    });
  });
});
