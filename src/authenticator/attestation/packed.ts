import { concatBytes } from '../../kernel/bytes.js';
import { rememberBatch } from '../../kernel/remember.js';
import type { CborMap, CborValue } from '../../webauthn/cbor.js';
import { type ExtensionToWrite, WRITE_EXTENSION } from '../../webauthn/certificate-writer.js';
import type { CertifiedKey } from './attestation-key.js';
import type { AttestationAuthority } from './authority.js';
import { type AttestationFormat, type AttestationInput, attToBeSigned } from './format.js';

/** §8.2, self attestation: signed with the credential private key itself, without a certificate. */
export const packedSelfAttestation: AttestationFormat = {
  fmt: 'packed',
  deterministic: true,
  statement: async (input) =>
    new Map<string, number | Uint8Array>([
      ['alg', input.algorithm],
      ['sig', await input.sign(attToBeSigned(input))],
    ]),
};

/** Enterprise attestation (§8.2.2; CTAP 2.3 §7.1): the certificate names this one device. */
export interface EnterpriseAttestation {
  /** Serial number of the device. */
  readonly serialNumber: Uint8Array;
  /** Vendor-facilitated: the RP IDs that may learn it. If absent, platform-managed: every RP that the client lets ask. */
  readonly rpIds?: readonly string[];
}

export interface PackedAttestationOptions {
  /** If absent, an RP that asks for enterprise attestation gets the ordinary one. */
  readonly enterprise?: EnterpriseAttestation;
}

/** §8.2 with certificates: one key and certificate a model, as a batch of security keys has them. */
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

/** The statement of a certified key. */
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

/** Scope of a packed certificate: a model, or one device of it. */
interface CertifiedModel {
  /** Absent: the certificate does not name it. */
  readonly aaguid?: Uint8Array | undefined;
  readonly serialNumber?: Uint8Array | undefined;
}

/** The extensions of §8.2.1 and §8.2.2. */
export function packedExtensions({ aaguid, serialNumber }: CertifiedModel): readonly ExtensionToWrite[] {
  return [
    ...(aaguid === undefined ? [] : [WRITE_EXTENSION.aaguid(aaguid)]),
    ...(serialNumber === undefined ? [] : [WRITE_EXTENSION.deviceSerialNumber(serialNumber)]),
  ];
}

/** The key and certificate of a model, or of one device of it: an authenticator asks for the same again and again. */
function certificates(authority: AttestationAuthority) {
  return rememberBatch((aaguid: Uint8Array, serialNumber?: Uint8Array) => {
    const subject = concatBytes(aaguid, serialNumber ?? new Uint8Array());
    const key = authority.key('packed', subject);
    const extensions = packedExtensions({ aaguid: authority.profile.severalModels ? aaguid : undefined, serialNumber });
    return { key, x5c: authority.certify('packed', { publicKey: key.publicKey, subject, extensions }) };
  });
}
