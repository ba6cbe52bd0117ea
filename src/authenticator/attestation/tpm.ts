import { createHash } from 'node:crypto';
import { rememberBatch } from '../../kernel/remember.js';
import { findAlgorithm, opensslHash } from '../../webauthn/algorithms.js';
import type { CborMap, CborValue } from '../../webauthn/cbor.js';
import { TPM_AIK_PURPOSE } from '../../webauthn/certificate-extensions.js';
import { directoryName, type ExtensionToWrite, named, WRITE_EXTENSION } from '../../webauthn/certificate-writer.js';
import { TPM_GENERATED_VALUE, TPM_ST_ATTEST_CERTIFY } from '../../webauthn/tpm.js';
import { type AttestationKey, type CertifiedKey, ES256, type RsaAlgorithm } from './attestation-key.js';
import type { AttestationAuthority } from './authority.js';
import { type AttestationFormat, type AttestationInput, attToBeSigned } from './format.js';
import {
  type AttestToWrite,
  fitsTpm,
  type ObjectAttributes,
  type TpmClock,
  writeAttest,
  writeName,
  writePublicArea,
  writeQualifiedName,
} from './tpm-writer.js';

/** Properties of the TPM and its attestation. The defaults imitate a test vendor of the FIDO Alliance. */
export interface TpmAttestationOptions extends Partial<ObjectAttributes>, Partial<TpmClock> {
  /** COSEAlgorithmIdentifier of the attestation identity key: ES256, RS256 or RS1; default: ES256. */
  readonly aikAlgorithm?: typeof ES256 | RsaAlgorithm;
  /** Vendor ID in the TCG registry, written as `id:` and hexadecimal digits. */
  readonly manufacturer?: string;
  readonly model?: string;
  /** Firmware version, written as `id:` and hexadecimal digits. */
  readonly version?: string;
  /** If false, certInfo contains no qualified names, which verifiers ignore; default: true. */
  readonly qualifiedNames?: boolean;
}

/** Attributes of Windows Hello's credential keys: fixedTPM, fixedParent, sensitiveDataOrigin, userWithAuth, noDA, decrypt and sign. */
export const CREDENTIAL_KEY: ObjectAttributes = { attributes: 0x00060472, authPolicy: new Uint8Array(32) };
const CLOCK: TpmClock = { clock: 0n, resetCount: 1, restartCount: 0, safe: 1, firmwareVersion: 0n };

/**
 * Creates the attestation format `tpm` (§8.3), in which a TPM certifies that it holds the credential key. The key must be RSA, or EC on a
 * NIST curve.
 */
export function tpmAttestation(authority: AttestationAuthority, options: TpmAttestationOptions = {}): AttestationFormat {
  const { aikAlgorithm = ES256, attributes, authPolicy, qualifiedNames = true } = options;
  const identity = rememberBatch(async (aaguid: Uint8Array): Promise<CertifiedKey> => {
    const key = aikAlgorithm === ES256 ? authority.key('tpm', aaguid) : await authority.rsaKey('tpm', aaguid, aikAlgorithm);
    const extensions = aikExtensions(options);
    return { key, x5c: authority.certify('tpm', { publicKey: key.publicKey, subject: aaguid, name: [], extensions }) };
  });
  return {
    fmt: 'tpm',
    deterministic: true,
    attests: (algorithm) => fitsTpm(findAlgorithm(algorithm) ?? { kty: 0 }),
    statement: async (input) => {
      const aik = await identity(input.aaguid);
      const pubArea = writePublicArea(input.credentialPublicKey, {
        attributes: attributes ?? CREDENTIAL_KEY.attributes,
        authPolicy: authPolicy ?? CREDENTIAL_KEY.authPolicy,
      });
      const attest = certifyInfo(input, aik.key, pubArea);
      const names = qualifiedNames ? {} : { qualifiedSigner: new Uint8Array(), qualifiedName: new Uint8Array() };
      return tpmStatement(aik, { pubArea, certInfo: writeAttest({ ...attest, ...options, ...names }) });
    },
  };
}

/** Builds the extensions that only AIK certificates have (§8.3.1). */
export function aikExtensions({
  manufacturer = 'id:FFFFF1D0',
  model = 'passkey TEST TPM',
  version = 'id:00000001',
}: Pick<TpmAttestationOptions, 'manufacturer' | 'model' | 'version'> = {}): readonly ExtensionToWrite[] {
  const names = directoryName(named('tpmManufacturer', manufacturer), named('tpmModel', model), named('tpmVersion', version));
  return [WRITE_EXTENSION.extendedKeyUsage(TPM_AIK_PURPOSE), WRITE_EXTENSION.subjectAltName(true, names)];
}

/** Builds the certInfo in which the attestation identity key `key` certifies the credential key. */
export function certifyInfo(input: AttestationInput, key: AttestationKey, pubArea: Uint8Array): AttestToWrite {
  const { hash = 'SHA-256' } = findAlgorithm(key.algorithm) ?? {};
  const name = writeName(pubArea);
  return {
    magic: TPM_GENERATED_VALUE,
    type: TPM_ST_ATTEST_CERTIFY,
    extraData: new Uint8Array(createHash(opensslHash(hash)).update(attToBeSigned(input)).digest()),
    ...CLOCK,
    name,
    // The name of the signer cannot be checked without its public area, so its public key stands for that.
    qualifiedSigner: writeQualifiedName(writeName(key.publicKey)),
    qualifiedName: writeQualifiedName(name),
  };
}

/** Builds the TPM attestation statement, signed with an attestation identity key over the given structures. */
export function tpmStatement(
  { key, x5c }: CertifiedKey,
  { pubArea, certInfo }: { readonly pubArea: Uint8Array; readonly certInfo: Uint8Array },
): CborMap {
  return new Map<CborValue, CborValue>([
    ['ver', '2.0'],
    ['alg', key.algorithm],
    ['x5c', [...x5c]],
    ['sig', key.sign(certInfo)],
    ['certInfo', certInfo],
    ['pubArea', pubArea],
  ]);
}
