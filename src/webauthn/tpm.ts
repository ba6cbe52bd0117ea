/** Constants of the TPM 2.0 Library, Part 2, that WebAuthn L3 §8.3 uses. */

/** TPM algorithm identifiers (TPM_ALG_ID). */
export const TPM_ALG = {
  rsa: 0x0001,
  sha1: 0x0004,
  sha256: 0x000b,
  sha384: 0x000c,
  sha512: 0x000d,
  null: 0x0010,
  rsassa: 0x0014,
  rsaes: 0x0015,
  rsapss: 0x0016,
  oaep: 0x0017,
  ecdsa: 0x0018,
  ecdaa: 0x001a,
  ecc: 0x0023,
} as const;

export const TPM_GENERATED_VALUE = 0xff544347;
export const TPM_ST_ATTEST_CERTIFY = 0x8017;

/** COSE curve number for each TPM_ECC_CURVE that COSE also defines. */
export const TPM_ECC_CURVES: ReadonlyMap<number, number> = new Map([
  [0x0003, 1],
  [0x0004, 2],
  [0x0005, 3],
]);
