import { createPublicKey, verify } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { signingAlgorithm } from '../../src/authenticator/algorithms.js';
import type { AuthenticatorStatus, DiscoverableCredential, GetAssertionRequest } from '../../src/authenticator/ports.js';
import { makeKeyObject, readPrivateKey } from '../../src/authenticator/private-key.js';
import type { AuthenticatorOptions } from '../../src/authenticator/settings.js';
import { cooperativeUser, scriptedUser, type UserOutcome } from '../../src/authenticator/user-verifier.js';
import { concatBytes } from '../../src/kernel/bytes.js';
import { decodeAuthenticatorData } from '../../src/webauthn/authenticator-data.js';
import { clientDataHash, getRequest, granted, makeRequest, RP_ID, systemRandom, takeApart, user, withCredential } from './requests.js';

const allow = (...ids: Uint8Array[]) => ids.map((id) => ({ type: 'public-key', id }) as const);

describe('getAssertion', () => {
  test('signs authenticator data and client data hash with the credential', async () => {
    const { authenticator, id } = await withCredential();
    const answer = granted(await authenticator.getAssertion(getRequest()));
    expect(answer.credentialId).toEqual(id);
    expect(answer.userHandle).toEqual(user('1').id);
    const data = decodeAuthenticatorData(answer.authenticatorData);
    expect(data.flags).toMatchObject({ up: true, uv: true, at: false, ed: false });
    const source = await authenticator.store.find(RP_ID, id);
    const key = createPublicKey(makeKeyObject(readPrivateKey(signingAlgorithm(-7), source?.privateKey ?? new Uint8Array())));
    expect(verify('sha256', concatBytes(answer.authenticatorData, clientDataHash), key, answer.signature)).toBe(true);
  });

  const refusals: { name: string; options?: AuthenticatorOptions; request: Partial<GetAssertionRequest>; status: AuthenticatorStatus }[] = [
    { name: 'nothing for this RP', request: { rpId: 'other.example' }, status: 'CTAP2_ERR_NO_CREDENTIALS' },
    { name: 'none of the list', request: { allowCredentials: allow(systemRandom(32)) }, status: 'CTAP2_ERR_NO_CREDENTIALS' },
    { name: 'an empty list', request: { allowCredentials: [] }, status: 'CTAP2_ERR_NO_CREDENTIALS' },
    {
      name: 'verification, but it cannot any more',
      options: { userVerifier: scriptedUser('verified', 'present') },
      request: {},
      status: 'CTAP2_ERR_UNSUPPORTED_OPTION',
    },
    { name: 'a hash of the wrong length', request: { clientDataHash: new Uint8Array() }, status: 'CTAP1_ERR_INVALID_PARAMETER' },
  ];
  test.each(refusals)('refuses: $name', async ({ options, request, status }) => {
    const { authenticator, id } = await withCredential({ ...options, signCount: { kind: 'per-credential' } });
    expect(await authenticator.getAssertion(getRequest(request))).toMatchObject({ ok: false, status });
    expect(await authenticator.store.find(RP_ID, id)).toMatchObject({ signCount: 0 });
  });

  test('a server-side credential is found by its ID only, and gives no user handle', async () => {
    const { authenticator, id } = await withCredential({}, { requireResidentKey: false });
    expect(await authenticator.getAssertion(getRequest())).toMatchObject({ status: 'CTAP2_ERR_NO_CREDENTIALS' });
    const answer = granted(await authenticator.getAssertion(getRequest({ allowCredentials: allow(id) })));
    expect(answer.credentialId).toEqual(id);
    expect(answer.userHandle).toBeUndefined();
  });

  test('takes the first of the list that it holds', async () => {
    const { authenticator, id: first } = await withCredential();
    const second = takeApart(granted(await authenticator.makeCredential(makeRequest({ user: user('2') })))).id;
    for (const [list, expected] of [
      [allow(systemRandom(32), first, second), first],
      [allow(second, first), second],
    ] as const) {
      expect(granted(await authenticator.getAssertion(getRequest({ allowCredentials: list }))).credentialId).toEqual(expected);
    }
  });

  describe('with several accounts', () => {
    async function threeAccounts(options: AuthenticatorOptions) {
      const { authenticator } = await withCredential(options);
      granted(await authenticator.makeCredential(makeRequest({ user: user('2') })));
      granted(await authenticator.makeCredential(makeRequest({ user: user('3') })));
      return authenticator;
    }

    test('takes the newest by default', async () => {
      const authenticator = await threeAccounts({});
      expect(granted(await authenticator.getAssertion(getRequest())).userHandle).toEqual(user('3').id);
    });

    test('asks which one', async () => {
      const seen: (readonly DiscoverableCredential[])[] = [];
      const authenticator = await threeAccounts({
        chooseAccount(candidates) {
          seen.push(candidates);
          return candidates.find(({ displayName }) => displayName === '2');
        },
      });
      expect(granted(await authenticator.getAssertion(getRequest())).userHandle).toEqual(user('2').id);
      expect(seen.map((list) => list.map(({ name }) => name))).toEqual([['3@example.com', '2@example.com', '1@example.com']]);
    });

    test('the user may close the dialog', async () => {
      const authenticator = await threeAccounts({ chooseAccount: () => undefined });
      expect(await authenticator.getAssertion(getRequest())).toMatchObject({
        status: 'CTAP2_ERR_OPERATION_DENIED',
        message: 'The user picked no account.',
      });
    });

    test('does not ask where there is one', async () => {
      const { authenticator } = await withCredential({ chooseAccount: () => undefined });
      expect(await authenticator.getAssertion(getRequest())).toMatchObject({ ok: true });
    });
  });

  test('a touch where verification is not required', async () => {
    const { authenticator } = await withCredential({ userVerifier: cooperativeUser() });
    const answer = granted(await authenticator.getAssertion(getRequest({ requireUserVerification: false })));
    expect(decodeAuthenticatorData(answer.authenticatorData).flags).toMatchObject({ up: true, uv: false });
  });

  test('the backup state follows the store', async () => {
    const { authenticator, id } = await withCredential({ backupEligible: true });
    await authenticator.store.update(RP_ID, id, (source) => ({ ...source, backupState: true }));
    const answer = granted(await authenticator.getAssertion(getRequest()));
    expect(decodeAuthenticatorData(answer.authenticatorData).flags).toMatchObject({ be: true, bs: true });
  });

  test('a credential that is removed while the user is asked is not used', async () => {
    const { authenticator, id } = await withCredential({
      userVerifier: {
        canVerify: true,
        async verify({ operation }): Promise<UserOutcome> {
          if (operation === 'get') await authenticator.store.remove(RP_ID, id);
          return 'verified';
        },
      },
    });
    expect(await authenticator.getAssertion(getRequest())).toMatchObject({ status: 'CTAP2_ERR_NO_CREDENTIALS' });
  });

  const counters = [
    { signCount: { kind: 'zero' }, first: [0, 0, 0], second: [0, 0] },
    { signCount: { kind: 'per-credential' }, first: [0, 1, 2], second: [0, 1] },
    { signCount: { kind: 'per-credential', start: 7, step: 3 }, first: [7, 10, 13], second: [7, 10] },
    { signCount: { kind: 'global' }, first: [1, 2, 3], second: [4, 5] },
    { signCount: { kind: 'global', start: 100, step: 10 }, first: [110, 120, 130], second: [140, 150] },
  ] as const;
  test.each(counters)('sign counts: $signCount', async ({ signCount, first, second }) => {
    const { authenticator, data, id } = await withCredential({ signCount });
    const count = async (id: Uint8Array) => {
      const answer = granted(await authenticator.getAssertion(getRequest({ allowCredentials: allow(id) })));
      return decodeAuthenticatorData(answer.authenticatorData).signCount;
    };
    expect([data.signCount, await count(id), await count(id)]).toEqual(first);
    const other = takeApart(granted(await authenticator.makeCredential(makeRequest({ user: user('2') }))));
    expect([other.data.signCount, await count(other.id)]).toEqual(second);
  });

  test('racing assertions have different counts', async () => {
    const { authenticator } = await withCredential({ signCount: { kind: 'per-credential' } });
    const answers = await Promise.all(Array.from({ length: 8 }, () => authenticator.getAssertion(getRequest())));
    const counts = answers.map((answer) => decodeAuthenticatorData(granted(answer).authenticatorData).signCount);
    expect(new Set(counts).size).toBe(8);
  });
});
