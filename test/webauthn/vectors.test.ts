import { describe, expect, test } from 'vitest';
import { fromHex, toHex } from '../../src/kernel/bytes.js';
import { decodeAttestationObject, encodeAttestationObject } from '../../src/webauthn/attestation-object.js';
import { decodeAuthenticatorData, encodeAuthenticatorData } from '../../src/webauthn/authenticator-data.js';
import { decodeClientData, encodeClientData } from '../../src/webauthn/client-data.js';
import { decodeCoseKey, encodeCoseKey } from '../../src/webauthn/cose-key.js';
import { generateVector, PUBLISHED_HASHES, publishedVectors, sha256 } from './w3c-vectors.js';

describe.each(PUBLISHED_HASHES)('the standard’s test vector $recipe.info, generated from its derivation', (published) => {
  const vector = generateVector(published.recipe);

  test('has the published bytes', () => {
    const { registration, authentication } = vector;
    const hashOf = (bytes: Uint8Array) => toHex(sha256(bytes));
    expect({ clientData: hashOf(registration.clientData), authenticatorData: hashOf(registration.authenticatorData) }).toEqual({
      clientData: published.registration.clientData,
      authenticatorData: published.registration.authenticatorData,
    });
    expect({ clientData: hashOf(authentication.clientData), authenticatorData: hashOf(authentication.authenticatorData) }).toEqual({
      clientData: published.authentication.clientData,
      authenticatorData: published.authentication.authenticatorData,
    });
  });
});

const published = publishedVectors();

describe.skipIf(published.length === 0)('the published test vectors (PASSKEY_W3C_VECTORS)', () => {
  test.each(published)('$title: every byte format reads and writes them unchanged', ({ registration, authentication }) => {
    const attestation = decodeAttestationObject(fromHex(registration.attestationObject.hex));
    const authData = decodeAuthenticatorData(attestation.authData);
    expect(toHex(encodeAttestationObject(attestation))).toBe(registration.attestationObject.hex);
    expect(encodeAuthenticatorData(authData)).toEqual(attestation.authData);
    const key = authData.attestedCredentialData?.credentialPublicKey ?? new Uint8Array();
    expect(encodeCoseKey(decodeCoseKey(key))).toEqual(key);
    const { authenticatorData } = authentication;
    expect(toHex(encodeAuthenticatorData(decodeAuthenticatorData(fromHex(authenticatorData.hex))))).toBe(authenticatorData.hex);
    for (const { hex } of [registration.clientDataJSON, authentication.clientDataJSON]) {
      const { raw, type = '', ...known } = decodeClientData(fromHex(hex));
      expect(toHex(encodeClientData({ ...known, type, extra: raw }))).toBe(hex);
    }
  });
});
