import { AUTHORIZATION_TAG, KEY_ORIGINS, KEY_PURPOSES, SECURITY_LEVELS } from '../../webauthn/android-key-description.js';
import { ATTESTATION_EXTENSION } from '../../webauthn/attestation-extensions.js';
import type { CborValue } from '../../webauthn/cbor.js';
import type { ExtensionToWrite } from '../../webauthn/certificate-writer.js';
import { context, enumerated, integer, nothing, octetString, sequence, set } from '../../webauthn/der-writer.js';
import { encodeSubjectPublicKeyInfo } from '../../webauthn/subject-public-key-info.js';
import type { AttestationAuthority } from './authority.js';
import { type AttestationFormat, attToBeSigned } from './format.js';

/** Members of an Android AuthorizationList that WebAuthn L3 §8.4 uses. Members that are absent here are not written. */
export interface AuthorizationListToWrite {
  readonly purpose?: readonly (typeof KEY_PURPOSES)[number][];
  /** Set if the list allows every application to use the key. */
  readonly allApplications?: true;
  readonly origin?: (typeof KEY_ORIGINS)[number];
}

/** An Android KeyDescription (WebAuthn L3 §8.4.1) without its challenge. */
export interface KeyDescriptionToWrite {
  readonly attestationVersion: number;
  readonly attestationSecurityLevel: (typeof SECURITY_LEVELS)[number];
  readonly keyMintVersion: number;
  readonly keyMintSecurityLevel: (typeof SECURITY_LEVELS)[number];
  readonly softwareEnforced: AuthorizationListToWrite;
  readonly teeEnforced: AuthorizationListToWrite;
}

/** Description of a signing key that was generated in the trusted environment of a device with KeyMint 3. */
export const IN_TRUSTED_ENVIRONMENT: KeyDescriptionToWrite = {
  attestationVersion: 300,
  attestationSecurityLevel: 'trusted environment',
  keyMintVersion: 300,
  keyMintSecurityLevel: 'trusted environment',
  softwareEnforced: {},
  teeEnforced: { purpose: ['sign'], origin: 'generated' },
};

/**
 * Creates the attestation format `android-key` (§8.4). It certifies the credential key itself. The hash of the client data is in the
 * certificate's key description.
 */
export function androidKeyAttestation(authority: AttestationAuthority, description = IN_TRUSTED_ENVIRONMENT): AttestationFormat {
  return {
    fmt: 'android-key',
    deterministic: true,
    statement: async (input) => {
      const x5c = authority.certify('android-key', {
        publicKey: encodeSubjectPublicKeyInfo(input.credentialPublicKey),
        subject: input.credentialId,
        extensions: [keyDescriptionExtension(description, input.clientDataHash)],
      });
      return new Map<CborValue, CborValue>([
        ['alg', input.algorithm],
        ['sig', await input.sign(attToBeSigned(input))],
        ['x5c', [...x5c]],
      ]);
    },
  };
}

/** Writes the KeyDescription extension (Android key attestation, schema version 300). */
export function keyDescriptionExtension(fields: KeyDescriptionToWrite, attestationChallenge: Uint8Array): ExtensionToWrite {
  return { oid: ATTESTATION_EXTENSION.androidKeyDescription, value: keyDescription(fields, attestationChallenge) };
}

function keyDescription(fields: KeyDescriptionToWrite, attestationChallenge: Uint8Array): Uint8Array {
  return sequence(
    integer(fields.attestationVersion),
    enumerated(SECURITY_LEVELS.indexOf(fields.attestationSecurityLevel)),
    integer(fields.keyMintVersion),
    enumerated(SECURITY_LEVELS.indexOf(fields.keyMintSecurityLevel)),
    octetString(attestationChallenge),
    octetString(new Uint8Array()),
    authorizationList(fields.softwareEnforced),
    authorizationList(fields.teeEnforced),
  );
}

function authorizationList({ purpose, allApplications, origin }: AuthorizationListToWrite): Uint8Array {
  return sequence(
    ...(purpose ? [context(AUTHORIZATION_TAG.purpose, set(...purpose.map((name) => integer(KEY_PURPOSES.indexOf(name)))))] : []),
    ...(allApplications ? [context(AUTHORIZATION_TAG.allApplications, nothing())] : []),
    ...(origin ? [context(AUTHORIZATION_TAG.origin, integer(KEY_ORIGINS.indexOf(origin)))] : []),
  );
}
