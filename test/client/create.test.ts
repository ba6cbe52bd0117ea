import { describe, expect, test } from 'vitest';
import type { MakeCredentialRequest } from '../../src/authenticator/ports.js';
import type { AuthenticatorOptions } from '../../src/authenticator/settings.js';
import { cooperativeUser, scriptedUser } from '../../src/authenticator/user-verifier.js';
import { toHex } from '../../src/kernel/bytes.js';
import { decodeAttestationObject, encodeAttestationObject } from '../../src/webauthn/attestation-object.js';
import { decodeAuthenticatorData } from '../../src/webauthn/authenticator-data.js';
import { decodeBase64url, encodeBase64url } from '../../src/webauthn/base64url.js';
import { type CborValue, encodeCbor } from '../../src/webauthn/cbor.js';
import { decodeClientData } from '../../src/webauthn/client-data.js';
import type { PublicKeyCredentialCreationOptionsJSON, RegistrationResponseJSON } from '../../src/webauthn/json.js';
import { systemRandom } from '../authenticator/requests.js';
import { PRF, sha256 } from '../webauthn/w3c-vectors.js';
import { CHALLENGE, creation, ORIGIN, registered, setUp } from './ceremony.js';

const dataOf = ({ response }: RegistrationResponseJSON) => decodeAuthenticatorData(decodeBase64url(response.authenticatorData ?? ''));

/** The request that the authenticator sees. */
async function requestFor(change: Partial<PublicKeyCredentialCreationOptionsJSON>, options: AuthenticatorOptions = {}) {
  const seen: MakeCredentialRequest[] = [];
  const { authenticator } = setUp(options);
  const watching = {
    info: authenticator.info,
    getAssertion: authenticator.getAssertion,
    makeCredential(request: MakeCredentialRequest) {
      seen.push(request);
      return authenticator.makeCredential(request);
    },
  };
  await setUp({}, { authenticator: watching }).client.create({ publicKey: creation(change) });
  return seen[0];
}

describe('create()', () => {
  test('answers with the JSON of a PublicKeyCredential', async () => {
    const transports = ['usb', 'internal', 'hybrid', 'usb'];
    const { response } = await registered({ transports });
    expect(response).toEqual({
      id: expect.stringMatching(/^[\w-]{43}$/),
      rawId: response.id,
      type: 'public-key',
      response: {
        clientDataJSON: expect.any(String),
        attestationObject: expect.any(String),
        authenticatorData: expect.any(String),
        publicKey: expect.any(String),
        publicKeyAlgorithm: -7,
        // Lexicographical, each once.
        transports: ['hybrid', 'internal', 'usb'],
      },
      authenticatorAttachment: 'platform',
      clientExtensionResults: {},
    });
    expect(decodeClientData(decodeBase64url(response.response.clientDataJSON)).raw).toEqual({
      type: 'webauthn.create',
      challenge: CHALLENGE,
      origin: ORIGIN,
      crossOrigin: false,
    });
  });

  const frames = [
    { frame: {}, crossOrigin: false },
    { frame: { crossOrigin: true }, crossOrigin: true },
    { frame: { topOrigin: 'https://top.test' }, crossOrigin: true, topOrigin: 'https://top.test' },
    { frame: { topOrigin: ORIGIN, crossOrigin: true }, crossOrigin: true, topOrigin: ORIGIN },
  ];
  test.each(frames)('client data in a frame: %o', async ({ frame, ...expected }) => {
    const { response } = await setUp({}, frame).client.create({ publicKey: creation() });
    const { crossOrigin, topOrigin } = decodeClientData(decodeBase64url(response.clientDataJSON));
    expect({ crossOrigin, ...(topOrigin !== undefined && { topOrigin }) }).toEqual(expected);
  });

  test.each([
    ['https://login.example.com', undefined, 'login.example.com'],
    ['https://login.example.com:8443', 'example.com', 'example.com'],
    ['http://localhost:7277', undefined, 'localhost'],
    ['http://localhost.:7277', undefined, 'localhost.'],
    ['http://a.app.localhost:7277', 'app.localhost', 'app.localhost'],
    ['https://www.xn--bcher-kva.example', 'xn--bcher-kva.example', 'xn--bcher-kva.example'],
    ['https://example.co.uk', 'example.co.uk', 'example.co.uk'],
    ['https://github.io', 'github.io', 'github.io'],
  ])('from %s with rp.id %s the RP ID is %s', async (origin, id, rpId) => {
    const { client, authenticator } = setUp({}, { origin });
    await client.create({ publicKey: creation({ rp: { name: 'x', ...(id !== undefined && { id }) } }) });
    expect(await authenticator.store.list()).toMatchObject([{ rpId }]);
  });

  const selections: [
    PublicKeyCredentialCreationOptionsJSON['authenticatorSelection'],
    AuthenticatorOptions,
    Partial<MakeCredentialRequest>,
  ][] = [
    [undefined, {}, { requireResidentKey: false, requireUserVerification: true }],
    [{}, {}, { requireResidentKey: false, requireUserVerification: true }],
    [{ requireResidentKey: true }, {}, { requireResidentKey: true }],
    [{ requireResidentKey: true, residentKey: 'discouraged' }, {}, { requireResidentKey: false }],
    [{ residentKey: 'preferred' }, {}, { requireResidentKey: true }],
    [{ residentKey: 'preferred' }, { residentKey: false }, { requireResidentKey: false }],
    [{ residentKey: 'required' }, {}, { requireResidentKey: true }],
    [{ userVerification: 'discouraged' }, {}, { requireUserVerification: false }],
    [{ userVerification: 'preferred' }, { userVerifier: cooperativeUser({ canVerify: false }) }, { requireUserVerification: false }],
    [{ userVerification: 'required' }, {}, { requireUserVerification: true }],
    [{ authenticatorAttachment: 'platform' }, {}, {}],
    [{ authenticatorAttachment: 'cross-platform' }, { attachment: 'cross-platform' }, {}],
  ];
  test.each(selections)('authenticatorSelection %j of %o', async (authenticatorSelection, options, expected) => {
    const change = authenticatorSelection && { authenticatorSelection };
    const { authenticatorSelection: _, ...rest } = creation();
    const { client } = setUp(options);
    await client.create({ publicKey: { ...rest, ...change } });
    expect(await requestFor({ authenticatorSelection: authenticatorSelection ?? {} }, options)).toMatchObject(expected);
  });

  test('an empty list of parameters stands for ES256 and RS256', async () => {
    const request = await requestFor({ pubKeyCredParams: [] });
    expect(request?.pubKeyCredParams).toEqual([-7, -257].map((alg) => ({ type: 'public-key', alg })));
  });

  describe('conditional mediation', () => {
    test('makes a passkey without asking anybody', async () => {
      const { client } = setUp({ userVerifier: scriptedUser('denied') });
      const publicKey = creation({ authenticatorSelection: { residentKey: 'required', userVerification: 'preferred' } });
      const response = await client.create({ publicKey, mediation: 'conditional' });
      expect(dataOf(response).flags).toMatchObject({ up: false, uv: false, at: true });
    });

    test('asks where verification is required', async () => {
      const { client } = setUp();
      const publicKey = creation({ authenticatorSelection: { userVerification: 'required' } });
      expect(dataOf(await client.create({ publicKey, mediation: 'conditional' })).flags).toMatchObject({ up: true, uv: true });
    });
  });

  describe('attestation conveyance', () => {
    const aaguid = systemRandom(16);
    const zeros = new Uint8Array(16);
    /** Always attests, whatever it is asked for, as authenticators before CTAP 2.3 do. */
    const stubborn = (x5c: boolean) => ({
      fmt: 'packed',
      statement() {
        const statement = new Map<CborValue, CborValue>(Object.entries({ alg: -7, sig: zeros }));
        return x5c ? statement.set('x5c', [zeros]) : statement;
      },
    });
    const alwaysPacked = (x5c: boolean, id: Uint8Array) => {
      const { authenticator } = setUp({ attestation: stubborn(x5c), aaguid: id });
      return {
        info: authenticator.info,
        getAssertion: authenticator.getAssertion,
        makeCredential: (request: MakeCredentialRequest) => authenticator.makeCredential({ ...request, attestationFormats: [] }),
      };
    };
    test.each([
      { attestation: 'none', x5c: false, id: aaguid, fmt: 'none' },
      { attestation: 'none', x5c: true, id: aaguid, fmt: 'none' },
      { attestation: 'none', x5c: true, id: zeros, fmt: 'none' },
      { attestation: 'none', x5c: false, id: zeros, fmt: 'packed' },
      { attestation: undefined, x5c: false, id: aaguid, fmt: 'none' },
      { attestation: 'indirect', x5c: true, id: aaguid, fmt: 'packed' },
      { attestation: 'direct', x5c: true, id: aaguid, fmt: 'packed' },
      { attestation: 'enterprise', x5c: true, id: aaguid, fmt: 'packed' },
    ])('$attestation, x5c $x5c: $fmt', async ({ attestation, x5c, id, fmt }) => {
      const { client } = setUp({}, { authenticator: alwaysPacked(x5c, id) });
      const { response } = await client.create({ publicKey: creation(attestation === undefined ? {} : { attestation }) });
      const decoded = decodeAttestationObject(decodeBase64url(response.attestationObject));
      expect([decoded.fmt, decoded.attStmt.size > 0]).toEqual([fmt, fmt !== 'none']);
      // Level 3 keeps the AAGUID.
      expect(decodeAuthenticatorData(decoded.authData).attestedCredentialData?.aaguid).toEqual(id);
      expect(decodeBase64url(response.authenticatorData ?? '')).toEqual(decoded.authData);
    });

    test('asks for a format that fits', async () => {
      const attestationFormats = ['tpm', 'packed'];
      expect(await requestFor({ attestation: 'direct', attestationFormats })).toMatchObject({ attestationFormats });
      expect(await requestFor({ attestation: 'none', attestationFormats })).toMatchObject({ attestationFormats: ['none'] });
    });
  });

  test('a key that the client does not know has no SPKI', async () => {
    const { authenticator } = setUp();
    const strange = {
      ...authenticator,
      async makeCredential(request: MakeCredentialRequest) {
        const answer = await authenticator.makeCredential(request);
        if (!answer.ok) return answer;
        const decoded = decodeAttestationObject(answer.attestationObject);
        const prefix = decoded.authData.slice(0, 55 + 32);
        // ML-DSA-44.
        const key = new Map<CborValue, CborValue>([
          [1, 7],
          [3, -48],
          [-1, systemRandom(1312)],
        ]);
        const authData = Uint8Array.from([...prefix, ...encodeCbor(key)]);
        const attestationObject = encodeAttestationObject({ ...decoded, authData });
        return { ok: true, attestationObject } as const;
      },
    };
    const { response } = await setUp({}, { authenticator: strange }).client.create({ publicKey: creation() });
    expect(response.publicKeyAlgorithm).toBe(-48);
    expect(response).not.toHaveProperty('publicKey');
  });

  describe('extensions', () => {
    test.each([
      [{ residentKey: 'required' }, {}, true],
      [{ residentKey: 'discouraged' }, {}, false],
      [{ residentKey: 'discouraged' }, { alwaysDiscoverable: true }, true],
      [{ residentKey: 'preferred' }, { residentKey: false }, false],
    ])('credProps with %o of %o: rk %s', async (authenticatorSelection, options, rk) => {
      const { response } = await registered(options, { authenticatorSelection, extensions: { credProps: true } });
      expect(response.clientExtensionResults).toEqual({ credProps: { rk } });
    });

    test('credProps false is not asked for', async () => {
      expect((await registered({}, { extensions: { credProps: false } })).response.clientExtensionResults).toEqual({});
    });

    test("prf inputs are hashed as in the standard's vectors", async () => {
      const saltsOf = async (...inputs: [first: string, second?: string]) => {
        const [first, second] = inputs;
        const extensions = { prf: { eval: { first, ...(second !== undefined && { second }) } } };
        const salts = (await requestFor({ extensions }))?.extensions.prf?.eval;
        return [salts?.first, salts?.second].flatMap((salt) => (salt === undefined ? [] : toHex(sha256(salt))));
      };
      const [first, second] = [encodeBase64url(PRF.inputs.first), encodeBase64url(PRF.inputs.second)];
      expect(await saltsOf(first)).toEqual(PRF.hashes.salts.slice(0, 1));
      expect(await saltsOf(first, second)).toEqual(PRF.hashes.salts);
    });
  });
});
