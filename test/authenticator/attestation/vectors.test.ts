import { createPrivateKey } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { type AttestationInput, attestationObject } from '../../../src/authenticator/attestation/format.js';
import { scalarFrom, signDeterministically } from '../../../src/authenticator/ecdsa.js';
import { encodeUtf8, fromHex, toHex } from '../../../src/kernel/bytes.js';
import { findCurve } from '../../../src/webauthn/algorithms.js';
import { decodeBase64url } from '../../../src/webauthn/base64url.js';
import { decodeCoseKey } from '../../../src/webauthn/cose-key.js';
import { ecdsaSignature } from '../../../src/webauthn/der-writer.js';
import {
  generateVector,
  PUBLISHED_HASHES,
  PUBLISHED_ROOT_HASH,
  publishedVectors,
  RP_ID,
  sha256,
  type Vector,
} from '../../webauthn/w3c-vectors.js';
import { standardAuthority, standardFormat } from './w3c-formats.js';

/** Only ES256 credentials of the vectors sign their own attestation. */
function signer({ privateKey }: Vector): AttestationInput['sign'] {
  return (data) => {
    const curve = findCurve(1);
    if (curve === undefined) throw new Error('Expected P-256 in the table of curves.');
    const { d = '' } = createPrivateKey({ key: Buffer.from(privateKey), format: 'der', type: 'pkcs8' }).export({ format: 'jwk' });
    const { r, s } = signDeterministically({ curve, scalar: scalarFrom(curve, decodeBase64url(d)) }, 'sha256', data);
    return ecdsaSignature(r, s);
  };
}

function inputOf(vector: Vector): AttestationInput {
  const { registration, algorithm, credentialId, credentialPublicKey, aaguid } = vector;
  return {
    authenticatorData: registration.authenticatorData,
    clientDataHash: sha256(registration.clientData),
    algorithm,
    sign: signer(vector),
    credentialPublicKey: decodeCoseKey(credentialPublicKey),
    credentialId,
    aaguid,
    flags: registration.flags,
    rpId: RP_ID,
    rpIdHash: sha256(encodeUtf8(RP_ID)),
    enterprise: false,
    random: (length) => new Uint8Array(length),
    now: () => 0,
  };
}

const generated = (recipe: (typeof PUBLISHED_HASHES)[number]['recipe']) => {
  const vector = generateVector(recipe);
  return attestationObject(standardFormat(recipe.info, vector), inputOf(vector));
};

describe('the standard’s test vectors (§16): attestation objects by their derivations', () => {
  test('the certificate of the attestation CA has the published SHA-256', () => {
    const { root } = standardAuthority({ attestation: { key: new Uint8Array(), serialNumber: new Uint8Array() } });
    expect(toHex(sha256(root))).toBe(PUBLISHED_ROOT_HASH);
  });

  test.each(PUBLISHED_HASHES)(
    '$recipe.info: statement, certificates and all have the published SHA-256',
    async ({ recipe, registration }) => {
      expect(toHex(sha256(await generated(recipe)))).toBe(registration.attestationObject);
    },
  );

  test('there are 15 of them', () => {
    expect(PUBLISHED_HASHES).toHaveLength(15);
  });
});

const published = publishedVectors();

describe.skipIf(published.length === 0)('the published test vectors (PASSKEY_W3C_VECTORS)', () => {
  test.each(published)('$title: the attestation object is the same byte for byte', async ({ registration }) => {
    const recipe = PUBLISHED_HASHES.find((entry) => entry.recipe.info === registration.challenge.derivation.info)?.recipe;
    if (recipe === undefined) throw new Error('Expected a recipe for every published vector.');
    expect(await generated(recipe)).toEqual(fromHex(registration.attestationObject.hex));
  });
});
