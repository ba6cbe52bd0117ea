import { createHash } from 'node:crypto';
import { concatBytes, fromHex, toHex } from '../../kernel/bytes.js';
import { KEY_TYPES } from '../../webauthn/algorithms.js';
import type { CoseKey } from '../../webauthn/cose-key.js';
import { TPM_ALG, TPM_ECC_CURVES } from '../../webauthn/tpm.js';

/** Writes the structures of the TPM 2.0 Library, Part 2, that §8.3 uses. All numbers are big-endian. */

function uint(value: number | bigint, size: 1 | 2 | 4 | 8): Uint8Array {
  return fromHex(value.toString(16).padStart(2 * size, '0'));
}

/** Writes a TPM2B: the length in two bytes, then the bytes. */
const sized = (bytes: Uint8Array): Uint8Array => concatBytes(uint(bytes.length, 2), bytes);
const NULL = uint(TPM_ALG.null, 2);
/** Handle of the owner hierarchy, TPM_RH_OWNER (Part 2, 7.4). */
const TPM_RH_OWNER = 0x40000001;

/** TPMA_OBJECT bits and authorization policy of a credential key. */
export interface ObjectAttributes {
  readonly attributes: number;
  readonly authPolicy: Uint8Array;
}

/** State of a TPM's clock (TPMS_CLOCK_INFO, Part 2, 10.11.1), and its firmware version. */
export interface TpmClock {
  readonly clock: bigint;
  readonly resetCount: number;
  readonly restartCount: number;
  /** Value of `safe`: 1 if the TPM never reported a later clock value than the present one, otherwise 0. */
  readonly safe: number;
  readonly firmwareVersion: bigint;
}

/** Tests whether a TPM can hold a key of this kind: true for RSA keys, and for keys on a curve that TPM_ECC_CURVE defines. */
export function fitsTpm(key: { readonly kty: number; readonly crv?: number | undefined }): boolean {
  return key.kty === KEY_TYPES.RSA || (key.kty === KEY_TYPES.EC2 && findTpmCurve(key.crv) !== undefined);
}

function findTpmCurve(crv: number | undefined): number | undefined {
  return [...TPM_ECC_CURVES].find(([, known]) => known === crv)?.[0];
}

/**
 * Writes the public area TPMT_PUBLIC (Part 2, 12.2.4) of a credential key. Its name algorithm is SHA-256.
 *
 * @throws TypeError for a key of a kind that TPMs do not support.
 */
export function writePublicArea(key: CoseKey, { attributes, authPolicy }: ObjectAttributes): Uint8Array {
  const head = (type: number) => concatBytes(uint(type, 2), uint(TPM_ALG.sha256, 2), uint(attributes, 4), sized(authPolicy));
  if (key.kty === KEY_TYPES.RSA) {
    // Part 2, 12.2.3.5: zero stands for the usual exponent, 2^16 + 1.
    const exponent = toHex(key.e) === '010001' ? 0 : Number.parseInt(toHex(key.e), 16);
    return concatBytes(head(TPM_ALG.rsa), NULL, NULL, uint(key.n.length * 8, 2), uint(exponent, 4), sized(key.n));
  }
  const curve = key.kty === KEY_TYPES.EC2 ? findTpmCurve(key.crv) : undefined;
  if (key.kty !== KEY_TYPES.EC2 || curve === undefined) {
    throw new TypeError('Expected an RSA key or one on P-256, P-384 or P-521 for a TPM; got another.');
  }
  return concatBytes(head(TPM_ALG.ecc), NULL, NULL, uint(curve, 2), NULL, sized(key.x), sized(key.y));
}

/** Writes the Name of an object (Part 1, 16): the identifier of a hash algorithm, then the hash of the public area. */
export function writeName(publicArea: Uint8Array): Uint8Array {
  return concatBytes(uint(TPM_ALG.sha256, 2), sha256(publicArea));
}

/** Writes the qualified name (Part 1, 16) of an object directly below the owner hierarchy. */
export function writeQualifiedName(name: Uint8Array): Uint8Array {
  return concatBytes(uint(TPM_ALG.sha256, 2), sha256(concatBytes(uint(TPM_RH_OWNER, 4), name)));
}

/** Contents of TPMS_ATTEST (Part 2, 10.12.8) with TPMS_CERTIFY_INFO, the result of TPM2_Certify. */
export interface AttestToWrite extends TpmClock {
  /** Magic number of the structure; TPM_GENERATED_VALUE in statements of a real TPM. */
  readonly magic: number;
  /** Type of the structure; TPM_ST_ATTEST_CERTIFY in the result of TPM2_Certify. */
  readonly type: number;
  readonly extraData: Uint8Array;
  /** TPM Name (Part 1, 16) of the certified object. */
  readonly name: Uint8Array;
  /** Qualified name (Part 1, 16) of the certifying key, which depends on the key's chain of parents. */
  readonly qualifiedSigner: Uint8Array;
  readonly qualifiedName: Uint8Array;
}

export function writeAttest(attest: AttestToWrite): Uint8Array {
  return concatBytes(
    uint(attest.magic, 4),
    uint(attest.type, 2),
    sized(attest.qualifiedSigner),
    sized(attest.extraData),
    uint(attest.clock, 8),
    uint(attest.resetCount, 4),
    uint(attest.restartCount, 4),
    uint(attest.safe, 1),
    uint(attest.firmwareVersion, 8),
    sized(attest.name),
    sized(attest.qualifiedName),
  );
}

function sha256(bytes: Uint8Array): Uint8Array {
  return new Uint8Array(createHash('sha256').update(bytes).digest());
}
