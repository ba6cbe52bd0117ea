import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { decodeAttestationObject, encodeAttestationObject } from '../../src/webauthn/attestation-object.js';
import { decodeAuthenticatorData, encodeAuthenticatorData } from '../../src/webauthn/authenticator-data.js';
import { fromHex, toHex } from '../../src/webauthn/bytes.js';
import { decodeClientData, encodeClientData } from '../../src/webauthn/client-data.js';
import { decodeCoseKey, encodeCoseKey } from '../../src/webauthn/cose-key.js';
import { generateVector, type Recipe } from './w3c-vectors.js';
import hashes from './w3c-vectors.sha256.json' with { type: 'json' };

const sha256 = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');

describe.each(hashes.vectors)('the standard’s test vector $recipe.info, generated from its derivation', ({ recipe, sha256: expected }) => {
  const vector = generateVector(recipe as Recipe);

  it.each(Object.entries(expected))('%s has the published bytes', (member, hash) => {
    expect(sha256(vector[member as keyof typeof vector] ?? new Uint8Array())).toBe(hash);
  });
});

interface PublishedVector {
  readonly title: string;
  readonly registration: { readonly attestationObject: { readonly hex: string }; readonly clientDataJSON: { readonly hex: string } };
  readonly authentication: { readonly authenticatorData: { readonly hex: string }; readonly clientDataJSON: { readonly hex: string } };
}

// The published file is not part of this repository; PASSKEY_W3C_VECTORS names a copy.
const file = process.env.PASSKEY_W3C_VECTORS;
const published: PublishedVector[] = file ? (JSON.parse(readFileSync(file, 'utf8')) as { vectors: PublishedVector[] }).vectors : [];

describe.skipIf(published.length === 0)('the published test vectors (PASSKEY_W3C_VECTORS)', () => {
  it.each(published)('$title: every byte format reads and writes them unchanged', ({ registration, authentication }) => {
    const attestation = decodeAttestationObject(fromHex(registration.attestationObject.hex));
    const authData = decodeAuthenticatorData(attestation.authData);
    expect(toHex(encodeAttestationObject(attestation))).toBe(registration.attestationObject.hex);
    expect(encodeAuthenticatorData(authData)).toEqual(attestation.authData);
    const key = authData.attestedCredentialData?.credentialPublicKey ?? new Uint8Array();
    expect(encodeCoseKey(decodeCoseKey(key))).toEqual(key);
    const { authenticatorData } = authentication;
    expect(toHex(encodeAuthenticatorData(decodeAuthenticatorData(fromHex(authenticatorData.hex))))).toBe(authenticatorData.hex);
    for (const { hex } of [registration.clientDataJSON, authentication.clientDataJSON]) {
      const { raw, ...known } = decodeClientData(fromHex(hex));
      expect(toHex(encodeClientData({ ...known, extra: raw }))).toBe(hex);
    }
  });
});
