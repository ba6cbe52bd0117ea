import { createHash, sign } from 'node:crypto';
import { concatBytes, encodeUtf8, fromHex } from '../../../src/kernel/bytes.js';
import type { verifyAttestation } from '../../../src/relying-party/attestation/verify-attestation.js';
import { encodeAuthenticatorData } from '../../../src/webauthn/authenticator-data.js';
import { decodeBase64url } from '../../../src/webauthn/base64url.js';
import type { CborMap, CborValue } from '../../../src/webauthn/cbor.js';
import { encodeCoseKey } from '../../../src/webauthn/cose-key.js';
import { ecKeyPair, type KeyPair } from '../../webauthn/certificate-writer.js';
import { AT } from './authority.js';

export type AttestationInput = Parameters<typeof verifyAttestation>[0];

/** What the statements of all formats are about: one credential, one client data hash. */

export const sha256 = (bytes: Uint8Array): Uint8Array => new Uint8Array(createHash('sha256').update(bytes).digest());

export const AAGUID = fromHex('f8a011f38c0a4d15800617111f9edc7d');
export const OTHER_AAGUID = fromHex('00112233445566778899aabbccddeeff');
export const CREDENTIAL_ID = fromHex('0102030405060708090a0b0c0d0e0f10');
export const RP_ID_HASH = sha256(encodeUtf8('example.org'));
export const CLIENT_DATA_HASH = sha256(encodeUtf8('{"type":"webauthn.create"}'));

export const credentialKey: KeyPair = ecKeyPair();

export function ec2Key({ publicKey }: KeyPair, alg = -7, crv = 1): Uint8Array {
  const { x, y } = publicKey.export({ format: 'jwk' });
  return encodeCoseKey({ kty: 2, alg, crv, x: decodeBase64url(x ?? ''), y: decodeBase64url(y ?? '') });
}

export const CREDENTIAL_PUBLIC_KEY = ec2Key(credentialKey);

export function authenticatorData(aaguid = AAGUID, credentialPublicKey = CREDENTIAL_PUBLIC_KEY): Uint8Array {
  return encodeAuthenticatorData({
    rpIdHash: RP_ID_HASH,
    flags: { up: true, uv: true, be: false, bs: false },
    signCount: 7,
    attestedCredentialData: { aaguid, credentialId: CREDENTIAL_ID, credentialPublicKey },
  });
}

export const signedBytes = (authData: Uint8Array): Uint8Array => concatBytes(authData, CLIENT_DATA_HASH);

/** ECDSA in DER, by the hash that belongs to the algorithm. */
export function ecdsa(data: Uint8Array, { privateKey }: KeyPair, digest = 'sha256'): Uint8Array {
  return new Uint8Array(sign(digest, data, privateKey));
}

export function members(entries: Readonly<Record<string, CborValue>>): CborMap {
  return new Map(Object.entries(entries).filter(([, value]) => value !== undefined));
}

export function attestation(fmt: string, attStmt: CborMap, authData = authenticatorData()): AttestationInput {
  return { attestationObject: { fmt, attStmt, authData }, clientDataHash: CLIENT_DATA_HASH, at: AT };
}

/** A copy with one bit changed. */
export function flipped(bytes: Uint8Array, at = bytes.length - 1): Uint8Array {
  return bytes.map((byte, index) => (index === at ? byte ^ 1 : byte));
}
