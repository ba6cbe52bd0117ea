import { concatBytes } from '../../kernel/bytes.js';
import { rememberBatch } from '../../kernel/remember.js';
import type { CborMap, CborValue } from '../../webauthn/cbor.js';
import { type ExtensionToWrite, WRITE_EXTENSION } from '../../webauthn/certificate-writer.js';
import type { CertifiedKey } from './attestation-key.js';
import type { AttestationAuthority } from './authority.js';
import { type AttestationFormat, type AttestationInput, attToBeSigned } from './format.js';

/** Self attestation in the format `packed` (§8.2): signed with the private key of the credential, without a certificate. */
export const packedSelfAttestation: AttestationFormat = {
  fmt: 'packed',
  deterministic: true,
  statement: async (input) =>
    new Map<string, number | Uint8Array>([
      ['alg', input.algorithm],
      ['sig', await input.sign(attToBeSigned(input))],
    ]),
};

/** Settings of enterprise attestation (§8.2.2; CTAP 2.3 §7.1), in which the certificate identifies the individual device. */
export interface EnterpriseAttestation {
  /** Serial number of the device. */
  readonly serialNumber: Uint8Array;
  /**
   * RP IDs that may learn the serial number (vendor-facilitated). If absent, every RP that the client allows may learn it
   * (platform-managed).
   */
  readonly rpIds?: readonly string[];
}

export interface PackedAttestationOptions {
  /** Settings of enterprise attestation. If absent, an RP that requests enterprise attestation gets the ordinary one. */
  readonly enterprise?: EnterpriseAttestation;
}

/** Creates the format `packed` with certificates (§8.2). Each model has one key and certificate, as in a batch of security keys. */
export function packedAttestation(authority: AttestationAuthority, { enterprise }: PackedAttestationOptions = {}): AttestationFormat {
  const batch = certificates(authority);
  return {
    fmt: 'packed',
    deterministic: true,
    statement: (input) => {
      const identified = enterprise !== undefined && mayIdentify(enterprise, input);
      return packedStatement(batch(input.aaguid, identified ? enterprise.serialNumber : undefined), input);
    },
  };
}

/** Builds a packed attestation statement, signed with a certified key. */
export function packedStatement({ key, x5c }: CertifiedKey, input: AttestationInput): CborMap {
  return new Map<CborValue, CborValue>([
    ['alg', key.algorithm],
    ['sig', key.sign(attToBeSigned(input))],
    ['x5c', [...x5c]],
  ]);
}

function mayIdentify({ rpIds }: EnterpriseAttestation, { enterprise, rpId }: AttestationInput): boolean {
  return enterprise && (rpIds?.includes(rpId) ?? true);
}

/** Subject of a packed certificate: a model, or one device of that model. */
interface CertifiedModel {
  /** AAGUID of the model. If absent, the certificate does not contain an AAGUID. */
  readonly aaguid?: Uint8Array | undefined;
  readonly serialNumber?: Uint8Array | undefined;
}

/** Writes the certificate extensions of §8.2.1 (AAGUID) and §8.2.2 (serial number). */
export function packedExtensions({ aaguid, serialNumber }: CertifiedModel): readonly ExtensionToWrite[] {
  return [
    ...(aaguid === undefined ? [] : [WRITE_EXTENSION.aaguid(aaguid)]),
    ...(serialNumber === undefined ? [] : [WRITE_EXTENSION.deviceSerialNumber(serialNumber)]),
  ];
}

/** Caches the key and certificate of each model or individual device, because an authenticator needs the same ones repeatedly. */
function certificates(authority: AttestationAuthority) {
  return rememberBatch((aaguid: Uint8Array, serialNumber?: Uint8Array) => {
    const subject = concatBytes(aaguid, serialNumber ?? new Uint8Array());
    const key = authority.key('packed', subject);
    const extensions = packedExtensions({ aaguid: authority.profile.severalModels ? aaguid : undefined, serialNumber });
    return { key, x5c: authority.certify('packed', { publicKey: key.publicKey, subject, extensions }) };
  });
}
