import { describe, expect, test } from 'vitest';
import { fromHex, toHex } from '../../src/kernel/bytes.js';
import { decodeAttestationObject, encodeAttestationObject } from '../../src/webauthn/attestation-object.js';
import { decodeAuthenticatorData, encodeAuthenticatorData } from '../../src/webauthn/authenticator-data.js';
import { decodeClientData, encodeClientData } from '../../src/webauthn/client-data.js';
import { decodeCoseKey, encodeCoseKey } from '../../src/webauthn/cose-key.js';
import { publishedVectors } from './w3c-vectors.js';

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
