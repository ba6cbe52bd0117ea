import { describe, expect, test } from 'vitest';
import type { AuthenticatorExtensionInputs, MakeCredentialRequest } from '../../src/authenticator/ports.js';
import { toHex } from '../../src/kernel/bytes.js';
import { decodeAuthenticatorData } from '../../src/webauthn/authenticator-data.js';
import { encodeBase64url } from '../../src/webauthn/base64url.js';
import { PRF, sha256 } from '../webauthn/w3c-vectors.js';
import { getRequest, granted, makeRequest, RP_ID, systemRandom, user, withCredential } from './requests.js';

const requested = (extensions: AuthenticatorExtensionInputs): Partial<MakeCredentialRequest> => ({ extensions });
const salts = { first: systemRandom(32), second: systemRandom(32) };

describe('prf', () => {
  test("repeats the standard's vectors", async () => {
    const { authenticator, id } = await withCredential();
    await authenticator.store.update(RP_ID, id, (source) => ({
      ...source,
      prf: { withVerification: PRF.credRandom, withoutVerification: systemRandom(32) },
    }));
    const { first, second } = PRF.salts;
    const evaluate = async (prf: AuthenticatorExtensionInputs['prf'] & object) => {
      const { unsignedExtensionOutputs } = granted(await authenticator.getAssertion(getRequest({ extensions: { prf } })));
      const results = unsignedExtensionOutputs?.prf?.results;
      return [results?.first, results?.second].flatMap((output) => (output === undefined ? [] : toHex(sha256(output))));
    };
    expect(await evaluate({ eval: { first } })).toEqual(PRF.hashes.outputs.slice(0, 1));
    expect(await evaluate({ eval: { first, second } })).toEqual(PRF.hashes.outputs);
  });

  test('is one function a credential, the same at registration and later, another without verification', async () => {
    const { authenticator, made, id } = await withCredential({}, requested({ prf: { eval: salts } }));
    expect(made.unsignedExtensionOutputs?.prf).toMatchObject({ enabled: true });
    const evaluate = async (requireUserVerification: boolean) => {
      const prf = { evalByCredential: { [encodeBase64url(id)]: salts, AAAA: { first: systemRandom(32) } } };
      const answer = await authenticator.getAssertion(getRequest({ requireUserVerification, extensions: { prf } }));
      return granted(answer).unsignedExtensionOutputs?.prf?.results;
    };
    const results = await evaluate(true);
    expect(results).toEqual(made.unsignedExtensionOutputs?.prf?.results);
    expect(results?.first).toHaveLength(32);
    expect(results?.first).not.toEqual(results?.second);
    expect(await evaluate(false)).not.toEqual(results);
  });

  test('is not there unless it was asked for at registration, or where it is switched off', async () => {
    const { authenticator, made } = await withCredential();
    expect(made.unsignedExtensionOutputs).toEqual({});
    const later = granted(await authenticator.getAssertion(getRequest({ extensions: { prf: { eval: salts } } })));
    expect(later.unsignedExtensionOutputs).toEqual({ prf: {} });
    const without = await withCredential({ extensions: [] }, requested({ prf: { eval: salts } }));
    expect(without.made.unsignedExtensionOutputs).toEqual({ prf: { enabled: false } });
  });
});

describe('largeBlob', () => {
  const blob = systemRandom(100);

  test('is written and read with a discoverable credential', async () => {
    const { authenticator, made, id } = await withCredential({}, requested({ largeBlob: { support: 'required' } }));
    expect(made.unsignedExtensionOutputs).toEqual({ largeBlob: { supported: true } });
    const get = async (largeBlob: AuthenticatorExtensionInputs['largeBlob']) => {
      const allowCredentials = [{ type: 'public-key', id } as const];
      const answer = await authenticator.getAssertion(getRequest({ allowCredentials, extensions: { ...(largeBlob && { largeBlob }) } }));
      return granted(answer).unsignedExtensionOutputs?.largeBlob;
    };
    expect(await get({ read: true })).toEqual({});
    expect(await get({ write: blob })).toEqual({ written: true });
    expect(await get({ read: true })).toEqual({ blob });
    expect(await get(undefined)).toBeUndefined();
  });

  test('is not supported with a server-side credential', async () => {
    const { authenticator, made, id } = await withCredential(
      {},
      { requireResidentKey: false, ...requested({ largeBlob: { support: 'preferred' } }) },
    );
    expect(made.unsignedExtensionOutputs).toEqual({ largeBlob: { supported: false } });
    const allowCredentials = [{ type: 'public-key', id } as const];
    const answer = granted(await authenticator.getAssertion(getRequest({ allowCredentials, extensions: { largeBlob: { write: blob } } })));
    expect(answer.unsignedExtensionOutputs).toEqual({ largeBlob: { written: false } });
  });
});

describe('credBlob', () => {
  const get = (authenticator: Awaited<ReturnType<typeof withCredential>>['authenticator']) =>
    authenticator.getAssertion(getRequest({ extensions: { credBlob: true } })).then((answer) => {
      return decodeAuthenticatorData(granted(answer).authenticatorData).extensions;
    });

  test.each([
    [32, true],
    [33, false],
  ])('of %i bytes is stored: %s', async (size, stored) => {
    const { authenticator, data } = await withCredential({}, requested({ credBlob: new Uint8Array(size).fill(5) }));
    expect(data.extensions).toEqual(new Map([['credBlob', stored]]));
    expect(await get(authenticator)).toEqual(new Map([['credBlob', new Uint8Array(stored ? size : 0).fill(5)]]));
  });

  test('is answered only by an authenticator that has the extension', async () => {
    const blob = requested({ credBlob: Uint8Array.of(1) });
    const without = await withCredential({ extensions: ['credProtect'] }, blob);
    expect([without.data.extensions, await get(without.authenticator)]).toEqual([undefined, undefined]);
    const serverSide = await withCredential({}, { ...blob, requireResidentKey: false });
    expect(serverSide.data.extensions).toEqual(new Map([['credBlob', false]]));
  });
});

describe('minPinLength', () => {
  test.each([
    ['an RP of the list', [RP_ID], ['minPinLength'] as const, true, new Map([['minPinLength', 6]])],
    ['another RP', ['other.example'], ['minPinLength'] as const, true, undefined],
    ['an RP that does not ask', [RP_ID], ['minPinLength'] as const, false, undefined],
    ['an authenticator without it', [RP_ID], [], true, undefined],
  ])('is told to %s', async (_, minPinLengthRpIds, extensions, minPinLength, expected) => {
    const options = { minPinLength: 6, minPinLengthRpIds, extensions };
    const { data } = await withCredential(options, requested(minPinLength ? { minPinLength } : {}));
    expect(data.extensions).toEqual(expected);
  });
});

describe('credProtect', () => {
  test('stands in the signed authenticator data', async () => {
    const { data } = await withCredential({}, requested({ credProtect: 3 }));
    expect(data.flags.ed).toBe(true);
    expect(data.extensions).toEqual(new Map([['credProtect', 3]]));
  });

  const visibility = [
    { level: 1, list: false, uv: false, visible: true },
    { level: 2, list: false, uv: false, visible: false },
    { level: 2, list: true, uv: false, visible: true },
    { level: 2, list: false, uv: true, visible: true },
    { level: 3, list: true, uv: false, visible: false },
    { level: 3, list: true, uv: true, visible: true },
  ] as const;
  test.each(visibility)('level $level, allow list $list, verification $uv: visible $visible', async ({ level, list, uv, visible }) => {
    const { authenticator, id } = await withCredential({}, requested({ credProtect: level }));
    const request = getRequest({ requireUserVerification: uv, ...(list && { allowCredentials: [{ type: 'public-key', id }] }) });
    expect((await authenticator.getAssertion(request)).ok).toBe(visible);
  });

  test('hides the credential from excludeCredentials without verification', async () => {
    const { authenticator, id } = await withCredential({}, requested({ credProtect: 3 }));
    const excludeCredentials = [{ type: 'public-key', id } as const];
    const without = makeRequest({ user: user('2'), excludeCredentials, requireUserVerification: false });
    expect((await authenticator.makeCredential(without)).ok).toBe(true);
    expect(await authenticator.makeCredential({ ...without, requireUserVerification: true })).toMatchObject({
      status: 'CTAP2_ERR_CREDENTIAL_EXCLUDED',
    });
  });
});
