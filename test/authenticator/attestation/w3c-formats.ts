import { androidKeyAttestation } from '../../../src/authenticator/attestation/android-key.js';
import { appleAttestation } from '../../../src/authenticator/attestation/apple.js';
import { type AttestationAuthority, makeAuthority } from '../../../src/authenticator/attestation/authority.js';
import { fidoU2fAttestation } from '../../../src/authenticator/attestation/fido-u2f.js';
import { type AttestationFormat, noneAttestation } from '../../../src/authenticator/attestation/format.js';
import { packedAttestation, packedSelfAttestation } from '../../../src/authenticator/attestation/packed.js';
import { tpmAttestation } from '../../../src/authenticator/attestation/tpm.js';
import { derive, type Vector } from '../../webauthn/w3c-vectors.js';

/** The attestation CA of the standard's test vectors (§16.1): its keys and serial numbers by its derivations, one root for all. */
function standardAuthority({ attestation }: Pick<Vector, 'attestation'>): AttestationAuthority {
  const next = derive('Attestation CA');
  const [rootKey, rootSerial] = [next(32), next(16)];
  return makeAuthority({
    derive(purpose) {
      if (purpose === 'root key') return rootKey;
      if (purpose === 'root serial') return rootSerial;
      return purpose.endsWith(' key') ? attestation.key : attestation.serialNumber;
    },
    commonName: 'WebAuthn test vectors',
    organization: 'W3C',
    country: 'AA',
    notBefore: Date.UTC(2024, 0, 1),
    notAfter: Date.UTC(3024, 0, 1),
    intermediates: false,
    severalModels: false,
  });
}

/** The root certificate of the vectors, in DER. */
export const STANDARD_ROOT = standardAuthority({ attestation: { key: new Uint8Array(), serialNumber: new Uint8Array() } }).root;

/** What the text leaves open of a TPM and of Android's key store, as the vectors have it: none of it follows from §8. */
const TPM = {
  attributes: 0x00040000,
  authPolicy: new Uint8Array(),
  manufacturer: 'id:00000000',
  model: 'WebAuthn test vectors',
  version: 'id:00000000',
  clock: 0n,
  resetCount: 0x11111111,
  restartCount: 0x22222222,
  safe: 0x33,
  firmwareVersion: 0n,
  qualifiedNames: false,
} as const;
const KEY_DESCRIPTION = {
  attestationVersion: 300,
  attestationSecurityLevel: 'software',
  keyMintVersion: 0,
  keyMintSecurityLevel: 'software',
  softwareEnforced: {},
  teeEnforced: {},
} as const;

/** The format of a vector, named by the first part of its `info`. */
export function standardFormat(info: string, vector: Vector): AttestationFormat {
  const authority = standardAuthority(vector);
  switch (info.split('.')[0]) {
    case 'none':
      return noneAttestation;
    case 'packed-self':
      return packedSelfAttestation;
    case 'packed':
      return packedAttestation(authority);
    case 'tpm':
      return tpmAttestation(authority, TPM);
    case 'android-key':
      return androidKeyAttestation(authority, KEY_DESCRIPTION);
    case 'apple':
      return appleAttestation(authority);
    case 'fido-u2f':
      return fidoU2fAttestation(authority);
    default:
      throw new Error(`Expected a format of the vectors; got ${info}.`);
  }
}
