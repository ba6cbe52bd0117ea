import type { MakeCredentialResponse } from '../authenticator/ports.js';
import { PasskeyError } from '../errors.js';
import { findCurve, KEY_TYPES } from '../webauthn/algorithms.js';
import { type AttestationObject, decodeAttestationObject, encodeAttestationObject } from '../webauthn/attestation-object.js';
import { type AuthenticatorData, decodeAuthenticatorData } from '../webauthn/authenticator-data.js';
import { encodeBase64url } from '../webauthn/base64url.js';
import type { CborMap } from '../webauthn/cbor.js';
import { type CoseKey, decodeCoseKey } from '../webauthn/cose-key.js';
import type { AttestationConveyancePreference } from '../webauthn/enumerations.js';
import { encodeSubjectPublicKeyInfo } from '../webauthn/subject-public-key-info.js';
import { domException } from './members.js';

/** Members of the result that the client reads from a new credential. */
interface ReadCredential {
  /** Credential ID as base64url. */
  readonly id: string;
  readonly response: {
    readonly attestationObject: string;
    readonly authenticatorData: string;
    readonly publicKeyAlgorithm: number;
    readonly publicKey?: string;
  };
  /** Extension outputs in the signed authenticator data. */
  readonly signed: CborMap | undefined;
}

/**
 * Reads the members of AuthenticatorAttestationResponse that come from the attestation object (§5.2.1).
 *
 * @throws DOMException `UnknownError` when the authenticator's response cannot be read.
 */
export function readCreatedCredential(
  { attestationObject: conveyed }: MakeCredentialResponse,
  attestation: AttestationConveyancePreference,
): ReadCredential {
  try {
    const decoded = decodeAttestationObject(conveyed);
    const data = decodeAuthenticatorData(decoded.authData);
    if (data.attestedCredentialData === undefined) {
      throw new PasskeyError('authenticator_data_malformed', 'The authenticator data has no attested credential data.');
    }
    const attestationObject = attestation === 'none' ? withoutAttestation(decoded, data, conveyed) : conveyed;
    const { credentialId, credentialPublicKey } = data.attestedCredentialData;
    const key = decodeCoseKey(credentialPublicKey);
    const publicKey = subjectPublicKeyInfo(key);
    return {
      id: encodeBase64url(credentialId),
      response: {
        attestationObject: encodeBase64url(attestationObject),
        authenticatorData: encodeBase64url(decoded.authData),
        publicKeyAlgorithm: key.alg,
        ...(publicKey && { publicKey: encodeBase64url(publicKey) }),
      },
      signed: data.extensions,
    };
  } catch (error) {
    if (!(error instanceof PasskeyError)) throw error;
    throw domException('UnknownError', `Expected an attestation object from the authenticator. ${error.message}`);
  }
}

/**
 * Replaces the attestation statement by an empty one, for attestation conveyance `none` (§5.1.3, "If any authenticator indicates success").
 * Keeps the AAGUID, as Level 3 requires. Does not change self attestation with an all-zero AAGUID, which does not identify the user.
 */
function withoutAttestation(
  { fmt, attStmt, authData }: AttestationObject,
  { attestedCredentialData }: AuthenticatorData,
  conveyed: Uint8Array,
): Uint8Array {
  const anonymous = attestedCredentialData?.aaguid.every((byte) => byte === 0) ?? false;
  const selfAttested = anonymous && fmt === 'packed' && !attStmt.has('x5c');
  if (selfAttested || (fmt === 'none' && attStmt.size === 0)) return conveyed;
  return encodeAttestationObject({ fmt: 'none', attStmt: new Map(), authData });
}

/**
 * Encodes a COSE key as SubjectPublicKeyInfo in DER, like getPublicKey() (§5.2.1); undefined for keys that browsers do not export either.
 */
function subjectPublicKeyInfo(key: CoseKey): Uint8Array | undefined {
  const exported = key.kty !== KEY_TYPES.AKP && !('crv' in key && findCurve(key.crv)?.name === 'secp256k1');
  return exported ? encodeSubjectPublicKeyInfo(key) : undefined;
}
