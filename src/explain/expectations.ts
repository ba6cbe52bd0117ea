import type { MetadataBlob } from '../relying-party/attestation/metadata-blob.js';

/** What is known of a ceremony beside its response; undefined where nothing is said. It goes before what a fixture says. */
export interface Expectations {
  readonly rpId: string | undefined;
  readonly origins: readonly string[] | undefined;
  readonly topOrigins: readonly string[] | undefined;
  /** Readings of `--challenge`: hexadecimal is base64url as well. */
  readonly challenges: readonly Uint8Array[] | undefined;
  /** COSE_Key. */
  readonly publicKey: Uint8Array | undefined;
  readonly signCount: number | undefined;
  readonly requireUv: boolean;
  /** PEM or DER. */
  readonly roots: readonly Uint8Array[] | undefined;
  /** Of `--metadata`: its signature was verified. */
  readonly metadata: MetadataBlob | undefined;
  /** Milliseconds since the epoch. */
  readonly at: number | undefined;
  readonly aaguidName: ((aaguid: string) => string | undefined) | undefined;
}

/** Whether anything is said of the ceremony that a credential by itself does not. */
export function saysOfCeremony(expectations: Expectations): boolean {
  const { rpId, origins, topOrigins, challenges, publicKey, signCount, requireUv } = expectations;
  return requireUv || [rpId, origins, topOrigins, challenges, publicKey, signCount].some((value) => value !== undefined);
}
