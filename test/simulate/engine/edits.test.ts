import { createPublicKey, verify } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { createAttestationAuthority } from '../../../src/authenticator/attestation/authority.js';
import { ATTESTATION_NAMES, type AttestationName } from '../../../src/authenticator/attestation/named-formats.js';
import { createAuthenticator } from '../../../src/authenticator/authenticator.js';
import { createClient } from '../../../src/client/client.js';
import { concatBytes } from '../../../src/kernel/bytes.js';
import { asObject, type JsonObject } from '../../../src/kernel/json-value.js';
import { DEFAULT_POLICY } from '../../../src/relying-party/policy.js';
import { createRelyingParty } from '../../../src/relying-party/relying-party.js';
import { setKeyMembers, setPublicKey } from '../../../src/simulate/engine/authenticator-data-edits.js';
import { setClientData } from '../../../src/simulate/engine/client-data-edits.js';
import {
  editAuthentication,
  editRegistration,
  flipBit,
  inPaddedBase64url,
  inStandardBase64,
  type RegistrationEdits,
  setSignCount,
} from '../../../src/simulate/engine/edits.js';
import { digest, foreignKey } from '../../../src/simulate/engine/signers.js';
import { createMemoryStore } from '../../../src/store/memory.js';
import { type AttestationObject, decodeAttestationObject } from '../../../src/webauthn/attestation-object.js';
import { decodeBase64url, encodeBase64url } from '../../../src/webauthn/base64url.js';
import { COSE_LABELS } from '../../../src/webauthn/cose-key.js';
import { writePem } from '../../../src/webauthn/pem.js';

const challenge = 'AAAAAAAAAAAAAAAAAAAAAA';
const authenticator = createAuthenticator({ algorithms: [-7], alwaysDiscoverable: true });
const client = createClient({ authenticator, origin: 'https://example.org' });
const registration = await client.create({
  publicKey: {
    challenge,
    rp: { id: 'example.org', name: 'Example' },
    user: { id: 'dXNlcg', name: 'u', displayName: 'U' },
    pubKeyCredParams: [{ type: 'public-key', alg: -7 }],
  },
});
const authentication = await client.get({ publicKey: { challenge, rpId: 'example.org' } });
const source = await authenticator.store.find('example.org', decodeBase64url(registration.id));
if (source === undefined) throw new Error('Expected a credential; got none.');

const edited = async (edits: RegistrationEdits) => asObject((await editRegistration(registration, source, edits)).response);

/** Members of a response that are no base64url, or copies that stay as they are. */
const NOT_BINARY: ReadonlySet<string> = new Set(['transports', 'publicKey', 'publicKeyAlgorithm']);

describe('the unsigned copies in a registration', () => {
  test('are those of the changed data', async () => {
    const copies = await edited({ authenticatorData: setPublicKey(foreignKey().cose) });
    const { authData } = decodeAttestationObject(decodeBase64url(String(copies.attestationObject)));
    expect(copies.authenticatorData).toBe(encodeBase64url(authData));
    expect(copies.publicKey).toBe(encodeBase64url(foreignKey().spki));
    expect(copies.publicKeyAlgorithm).toBe(-7);
  });

  test('are left out where a browser could not read the data', async () => {
    const { publicKey, publicKeyAlgorithm, authenticatorData } = await edited({
      authenticatorData: setKeyMembers([COSE_LABELS.alg, undefined]),
    });
    expect([publicKey, publicKeyAlgorithm, authenticatorData]).toEqual([undefined, undefined, undefined]);
  });

  test('stay where nothing changes', async () => {
    expect(await edited({})).toEqual(registration.response);
  });
});

describe('an attestation statement', () => {
  const owner = { type: 'User', id: 1 };
  const origin = 'https://example.org';
  const policy = {
    ...DEFAULT_POLICY,
    attestation: 'direct',
    algorithms: [-7],
    attestationRoots: [writePem(createAttestationAuthority().root)],
  } as const;

  /** Registers an edited response at a relying party of ours, and returns the sign count that it stores. */
  async function register(attestation: AttestationName, edits: RegistrationEdits): Promise<number> {
    const newChallenge = () => new Uint8Array(32).fill(7);
    const relyingParty = createRelyingParty({ store: createMemoryStore(), policy, origins: [], now: Date.now, newChallenge });
    const publicKey = await relyingParty.beginRegistration({
      user: { owner, id: Uint8Array.of(1), name: 'ada@example.org', displayName: 'Ada' },
      rpId: 'example.org',
      rpName: 'Example',
      origins: [origin],
      client: 'test',
    });
    const own = createAuthenticator({ algorithms: [-7], attestation });
    const honest = await createClient({ authenticator: own, origin }).create({ publicKey });
    const [made] = await own.store.list();
    const { response } = asObject(await editRegistration(honest, made, edits));
    const { attestationObject, clientDataJSON } = asObject(response);
    const sent = { ...honest.response, attestationObject: String(attestationObject), clientDataJSON: String(clientDataJSON) };
    const passkey = await relyingParty.register({ owner, response: { ...honest, response: sent } });
    return passkey.credential.signCount;
  }

  const FORMATS = ATTESTATION_NAMES.filter((name) => name !== 'none');

  test.each(FORMATS)('is about the changed authenticator data and client data (%s)', async (attestation) => {
    const edits = { authenticatorData: setSignCount(7), clientData: setClientData({ further: true }) };
    expect(await register(attestation, edits)).toBe(7);
  });

  test.each(['packed', 'android-key'] as const)(
    'is signed with the key that the data name, where that is given (%s)',
    async (attestation) => {
      const { cose, key } = foreignKey();
      expect(await register(attestation, { authenticatorData: setPublicKey(cose), key })).toBe(0);
      await expect(register(attestation, { authenticatorData: setPublicKey(cose) })).rejects.toMatchObject({
        code: 'attestation_malformed',
      });
    },
  );

  test.each(FORMATS)('is edited after it was made anew (%s)', async (attestation) => {
    const attStmt = new Map([['extra', 1]]);
    const edits = {
      authenticatorData: setSignCount(7),
      attestation: ({ authData }: AttestationObject) => ({ fmt: 'none', attStmt, authData }),
    };
    await expect(register(attestation, edits)).rejects.toMatchObject({
      code: 'attestation_malformed',
      step: { slug: 'attestation-statement' },
    });
  });
});

test.each([
  ['standard base64', inStandardBase64, (text: string) => Buffer.from(text, 'base64url').toString('base64')],
  ['padded base64url', inPaddedBase64url, (text: string) => text + '='.repeat((4 - (text.length % 4)) % 4)],
])('the binary members in %s are the same ones, and the others stay', (_, respell, expected) => {
  for (const response of [registration, authentication]) {
    const given: JsonObject = JSON.parse(JSON.stringify(response));
    const inner = asObject(given['response']);
    const respelled = Object.entries(inner).map(([name, value]) => [name, NOT_BINARY.has(name) ? value : expected(String(value))]);
    const { id, rawId } = given;
    expect(respell(given)).toStrictEqual({
      ...given,
      id: expected(String(id)),
      rawId: expected(String(rawId)),
      response: Object.fromEntries(respelled),
    });
  }
});

test('an assertion signed with a foreign key verifies with that key', async () => {
  const { response } = await editAuthentication(authentication, source, { authenticatorData: flipBit(36), sign: foreignKey().sign });
  const { authenticatorData, clientDataJSON, signature } = asObject(response);
  const [data, clientData, made] = [authenticatorData, clientDataJSON, signature].map((text) => decodeBase64url(String(text)));
  const key = createPublicKey({ key: Buffer.from(foreignKey().spki), format: 'der', type: 'spki' });
  const signed = concatBytes(data ?? new Uint8Array(), digest('sha256', clientData ?? new Uint8Array()));
  expect(verify('sha256', signed, key, made ?? new Uint8Array())).toBe(true);
});
