import { describe, expect, test } from 'vitest';
import { createAuthenticator } from '../../src/authenticator/authenticator.js';
import type { AuthenticatorStatus, MakeCredentialRequest } from '../../src/authenticator/ports.js';
import type { AuthenticatorOptions } from '../../src/authenticator/settings.js';
import { cooperativeUser, scriptedUser, type UserOutcome, type UserPrompt } from '../../src/authenticator/user-verifier.js';
import { granted, makeRequest, RP_ID, systemRandom, takeApart, user, withCredential } from './requests.js';

describe('makeCredential', () => {
  test('answers with the attested credential data of a stored credential', async () => {
    const aaguid = systemRandom(16);
    const { authenticator, data, attested, fmt, attStmt } = await withCredential({ aaguid, credentialIdLength: 20 });
    expect(fmt).toBe('none');
    expect(attStmt.size).toBe(0);
    expect(attested.aaguid).toEqual(aaguid);
    expect(attested.credentialId).toHaveLength(20);
    expect(data.flags).toMatchObject({ up: true, uv: true, be: false, bs: false, at: true, ed: false });
    const source = await authenticator.store.find(RP_ID, attested.credentialId);
    expect(source).toMatchObject({ rpId: RP_ID, rpName: 'Example', user: user('1'), algorithm: -7, discoverable: true, signCount: 0 });
  });

  const refusals: [
    name: string,
    request: Partial<MakeCredentialRequest>,
    status: AuthenticatorStatus,
    message: RegExp,
    options?: AuthenticatorOptions,
  ][] = [
    [
      'no common algorithm',
      { pubKeyCredParams: [{ type: 'public-key', alg: -999 }] },
      'CTAP2_ERR_UNSUPPORTED_ALGORITHM',
      /Expected one of the algorithms -7 \(ES256\), .*asked for -999/,
    ],
    ['no algorithm at all', { pubKeyCredParams: [] }, 'CTAP2_ERR_UNSUPPORTED_ALGORITHM', /asked for none/],
    [
      'discoverable, but it stores nothing',
      {},
      'CTAP2_ERR_UNSUPPORTED_OPTION',
      /discoverable credential was required/,
      { residentKey: false },
    ],
    [
      'verification, but it cannot',
      {},
      'CTAP2_ERR_UNSUPPORTED_OPTION',
      /User verification was required/,
      { userVerifier: cooperativeUser({ canVerify: false }) },
    ],
    [
      'large blobs, but it has none',
      { extensions: { largeBlob: { support: 'required' } } },
      'CTAP2_ERR_UNSUPPORTED_OPTION',
      /Large blobs were required/,
      { extensions: [] },
    ],
    [
      'the user touches where verification is required',
      {},
      'CTAP2_ERR_OPERATION_DENIED',
      /present but did not verify/,
      { userVerifier: { canVerify: true, verify: () => 'present' } },
    ],
    ['a hash of the wrong length', { clientDataHash: new Uint8Array(31) }, 'CTAP1_ERR_INVALID_PARAMETER', /hash of 32 bytes; got 31/],
    ['no RP ID', { rp: { id: '', name: '' } }, 'CTAP1_ERR_INVALID_PARAMETER', /Expected an RP ID/],
    ['a user handle that is too long', { user: user('x'.repeat(65)) }, 'CTAP1_ERR_INVALID_PARAMETER', /1 to 64 bytes; got 65/],
  ];
  test.each(refusals)('refuses: %s', async (_, request, status, message, options) => {
    const authenticator = createAuthenticator(options);
    const answer = await authenticator.makeCredential(makeRequest(request));
    expect(answer).toEqual({ ok: false, status, message: expect.stringMatching(message) });
    expect(await authenticator.store.list()).toEqual([]);
  });

  test("takes the first of the client's algorithms that it has", async () => {
    const { authenticator } = await withCredential(
      { algorithms: [-7, -8] },
      { pubKeyCredParams: [-999, -8, -7].map((alg) => ({ type: 'public-key', alg })) },
    );
    expect(await authenticator.store.list()).toMatchObject([{ algorithm: -8 }]);
  });

  test('excludes a credential that it holds, with consent only', async () => {
    const outcomes: UserOutcome[] = ['verified', 'verified', 'denied'];
    const { authenticator, id } = await withCredential({ userVerifier: scriptedUser(...outcomes) });
    const excludeCredentials = [{ type: 'public-key', id: systemRandom(32) } as const, { type: 'public-key', id } as const];
    expect(await authenticator.makeCredential(makeRequest({ excludeCredentials }))).toMatchObject({
      ok: false,
      status: 'CTAP2_ERR_CREDENTIAL_EXCLUDED',
    });
    expect(await authenticator.makeCredential(makeRequest({ excludeCredentials }))).toMatchObject({
      ok: false,
      status: 'CTAP2_ERR_OPERATION_DENIED',
    });
  });

  test('does not exclude for another RP, nor by the ID of a stranger', async () => {
    const { authenticator, id } = await withCredential();
    const excludeCredentials = [{ type: 'public-key', id } as const];
    const rp = { id: 'other.example', name: 'Other' };
    expect(await authenticator.makeCredential(makeRequest({ rp, excludeCredentials }))).toMatchObject({ ok: true });
    const stranger = [{ type: 'public-key', id: systemRandom(32) } as const];
    expect(await authenticator.makeCredential(makeRequest({ excludeCredentials: stranger }))).toMatchObject({ ok: true });
  });

  test('one discoverable credential a user and RP: the new one replaces the old one', async () => {
    const { authenticator, id: old } = await withCredential();
    const second = takeApart(granted(await authenticator.makeCredential(makeRequest())));
    granted(await authenticator.makeCredential(makeRequest({ user: user('2') })));
    granted(await authenticator.makeCredential(makeRequest({ requireResidentKey: false })));
    const held = await authenticator.store.list(RP_ID);
    expect(held.map(({ user: { name }, discoverable }) => [name, discoverable])).toEqual([
      ['1@example.com', true],
      ['2@example.com', true],
      ['1@example.com', false],
    ]);
    expect(await authenticator.store.find(RP_ID, old)).toBeUndefined();
    expect(held[0]?.id).toEqual(second.id);
  });

  const discoverability = [
    { residentKey: true, alwaysDiscoverable: false, required: false, expected: false },
    { residentKey: true, alwaysDiscoverable: false, required: true, expected: true },
    { residentKey: true, alwaysDiscoverable: true, required: false, expected: true },
    { residentKey: false, alwaysDiscoverable: true, required: false, expected: false },
  ];
  test.each(discoverability)('discoverable or not: %o', async ({ required, expected, ...options }) => {
    const { made, authenticator } = await withCredential(options, { requireResidentKey: required });
    expect(made.discoverable).toBe(expected);
    expect(await authenticator.discover(RP_ID)).toHaveLength(expected ? 1 : 0);
  });

  const flags: [name: string, expected: object, options: AuthenticatorOptions, request?: Partial<MakeCredentialRequest>][] = [
    ['a touch', { up: true, uv: false, be: false, bs: false }, {}, { requireUserVerification: false }],
    ['a user who verifies unasked', { up: true, uv: true }, { userVerifier: scriptedUser('verified') }, { requireUserVerification: false }],
    [
      'nobody is asked (conditional create)',
      { up: false, uv: false },
      { userVerifier: scriptedUser('denied') },
      { requireUserPresence: false, requireUserVerification: false },
    ],
    ['may be backed up', { be: true, bs: false }, { backupEligible: true }],
    ['is backed up', { be: true, bs: true }, { backupEligible: true, backupState: true }],
  ];
  test.each(flags)('flags: %s', async (_, expected, options, request) => {
    const { data } = await withCredential(options, request);
    expect(data.flags).toMatchObject(expected);
  });

  test('tells the user what is asked', async () => {
    const prompts: UserPrompt[] = [];
    const verify = (prompt: UserPrompt) => {
      prompts.push(prompt);
      return 'verified' as const;
    };
    await withCredential({ userVerifier: { canVerify: true, verify } });
    expect(prompts).toEqual([{ operation: 'create', rpId: RP_ID, userVerification: true }]);
  });

  test('a cancelled operation stores nothing', async () => {
    const controller = new AbortController();
    const verify = () => {
      controller.abort();
      return 'verified' as const;
    };
    const authenticator = createAuthenticator({ userVerifier: { canVerify: true, verify } });
    expect(await authenticator.makeCredential(makeRequest({ signal: controller.signal }))).toMatchObject({
      status: 'CTAP2_ERR_KEEPALIVE_CANCEL',
    });
    expect(await authenticator.store.list()).toEqual([]);
  });

  test('takes an attestation format of yours', async () => {
    const format = { fmt: 'acme', statement: () => new Map([['answer', 42]]) };
    const { fmt, attStmt } = await withCredential({ attestation: format });
    expect([fmt, attStmt.get('answer')]).toEqual(['acme', 42]);
  });
});
