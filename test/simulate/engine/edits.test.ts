import { createPublicKey, verify } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { createAuthenticator } from '../../../src/authenticator/authenticator.js';
import { createClient } from '../../../src/client/client.js';
import { concatBytes } from '../../../src/kernel/bytes.js';
import { asObject } from '../../../src/kernel/json-value.js';
import { setKeyMembers, setPublicKey } from '../../../src/simulate/engine/authenticator-data-edits.js';
import { editAuthentication, editRegistration, flipBit, type RegistrationEdits } from '../../../src/simulate/engine/edits.js';
import { digest, foreignKey } from '../../../src/simulate/engine/signers.js';
import { decodeAttestationObject } from '../../../src/webauthn/attestation-object.js';
import { decodeBase64url, encodeBase64url } from '../../../src/webauthn/base64url.js';
import { COSE_LABELS } from '../../../src/webauthn/cose-key.js';

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

const edited = (edits: RegistrationEdits) => asObject(editRegistration(registration, edits).response);

describe('the unsigned copies in a registration', () => {
  test('are those of the changed data', () => {
    const copies = edited({ authenticatorData: setPublicKey(foreignKey().cose) });
    const { authData } = decodeAttestationObject(decodeBase64url(String(copies.attestationObject)));
    expect(copies.authenticatorData).toBe(encodeBase64url(authData));
    expect(copies.publicKey).toBe(encodeBase64url(foreignKey().spki));
    expect(copies.publicKeyAlgorithm).toBe(-7);
  });

  test('are left out where a browser could not read the data', () => {
    const { publicKey, publicKeyAlgorithm, authenticatorData } = edited({
      authenticatorData: setKeyMembers([COSE_LABELS.alg, undefined]),
    });
    expect([publicKey, publicKeyAlgorithm, authenticatorData]).toEqual([undefined, undefined, undefined]);
  });

  test('stay where nothing changes', async () => {
    expect(edited({})).toEqual(registration.response);
  });
});

test('an assertion signed with a foreign key verifies with that key', async () => {
  const { response } = await editAuthentication(authentication, source, { authenticatorData: flipBit(36), sign: foreignKey().sign });
  const { authenticatorData, clientDataJSON, signature } = asObject(response);
  const [data, clientData, made] = [authenticatorData, clientDataJSON, signature].map((text) => decodeBase64url(String(text)));
  const key = createPublicKey({ key: Buffer.from(foreignKey().spki), format: 'der', type: 'spki' });
  const signed = concatBytes(data ?? new Uint8Array(), digest('sha256', clientData ?? new Uint8Array()));
  expect(verify('sha256', signed, key, made ?? new Uint8Array())).toBe(true);
});
