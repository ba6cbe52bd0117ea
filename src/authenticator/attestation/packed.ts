import { concatBytes } from '../../kernel/bytes.js';
import { rememberBatch } from '../../kernel/remember.js';
import type { CborMap, CborValue } from '../../webauthn/cbor.js';
import { type ExtensionToWrite, WRITE_EXTENSION } from '../../webauthn/certificate-writer.js';
import type { CertifiedKey } from './attestation-key.js';
import type { AttestationAuthority } from './authority.js';
import { type AttestationFormat, type AttestationInput, attToBeSigned } from './format.js';

/** Self attestation in the `packed` format (§8.2): signed with the credential private key, without a certificate. */
export const packedSelfAttestation: AttestationFormat = {
  fmt: 'packed',
  deterministic: true,
  statement: async (input) =>
    new Map<string, number | Uint8Array>([
      ['alg', input.algorithm],
      ['sig', await input.sign(attToBeSigned(input))],
    ]),
};

/** Enterprise attestation (§8.2.2; CTAP 2.3 §7.1), whose certificate identifies this one device. */
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
  /** Enterprise attestation. If absent, an RP that requests it gets the ordinary attestation. */
  readonly enterprise?: EnterpriseAttestation;
}

/** Makes the `packed` format with certificates (§8.2): one key and certificate per model, like a batch of security keys. */
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

/** Makes a packed statement with a certified key. */
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
  /** AAGUID of the model. If absent, the certificate does not contain it. */
  readonly aaguid?: Uint8Array | undefined;
  readonly serialNumber?: Uint8Array | undefined;
}

/** Writes the certificate extensions of §8.2.1 and §8.2.2. */
export function packedExtensions({ aaguid, serialNumber }: CertifiedModel): readonly ExtensionToWrite[] {
  return [
    ...(aaguid === undefined ? [] : [WRITE_EXTENSION.aaguid(aaguid)]),
    ...(serialNumber === undefined ? [] : [WRITE_EXTENSION.deviceSerialNumber(serialNumber)]),
  ];
}

/** Caches the key and certificate of each model, or of one device, because an authenticator needs the same again and again. */
function certificates(authority: AttestationAuthority) {
  return rememberBatch((aaguid: Uint8Array, serialNumber?: Uint8Array) => {
    const subject = concatBytes(aaguid, serialNumber ?? new Uint8Array());
    const key = authority.key('packed', subject);
    const extensions = packedExtensions({ aaguid: authority.profile.severalModels ? aaguid : undefined, serialNumber });
    return { key, x5c: authority.certify('packed', { publicKey: key.publicKey, subject, extensions }) };
  });
}
