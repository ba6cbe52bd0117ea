import type { OwnerRef } from '../kernel/owner.js';

/** The credential record of WebAuthn L3 §4, without the relying party's own members. */
export interface CredentialRecord {
  /** Credential ID, 1 to 1023 bytes. */
  readonly id: Uint8Array;
  /** COSE_Key as in the attested credential data. */
  readonly publicKey: Uint8Array;
  readonly signCount: number;
  readonly uvInitialized: boolean;
  readonly transports: readonly string[];
  readonly backupEligible: boolean;
  readonly backupState: boolean;
  readonly attestationObject: Uint8Array;
  readonly attestationClientDataJSON: Uint8Array;
}

/**
 * `none`: there was no attestation. `trusted`: it leads to a root of the policy. `untrusted`: no known authority vouches for it, as for
 * every self attestation, and for all attestations without configured roots.
 */
export type AttestationTrust = 'none' | 'untrusted' | 'trusted';

/** A stored passkey: a credential record with its owner and its life. Times are milliseconds since the epoch. */
export interface Passkey {
  /** Ascending, never used again. */
  readonly id: number;
  readonly owner: OwnerRef;
  /** User handle that was given to the authenticator, 1 to 64 bytes. */
  readonly userHandle: Uint8Array;
  readonly rpId: string;
  readonly rpName: string;
  /** Origin of the registration. */
  readonly origin: string;
  readonly label: string;
  readonly credential: CredentialRecord;
  /** 8-4-4-4-12 lower case. */
  readonly aaguid: string;
  readonly attestation: { readonly format: string; readonly trust: AttestationTrust };
  readonly authenticatorAttachment: string | undefined;
  readonly clientExtensionResults: Readonly<Record<string, unknown>>;
  /** Challenge of the registration; never leaves the store through the API. */
  readonly challenge: Uint8Array;
  readonly createdAt: number;
  readonly lastUsedAt: number | undefined;
  readonly revokedAt: number | undefined;
  readonly revokedReason: string | undefined;
  /** Id of the bulk change that revoked it. */
  readonly revokedChange: string | undefined;
  /** Number of assertions refused because the signature counter did not grow, and when the last one came. */
  readonly counterRegressions: number;
  readonly counterRegressedAt: number | undefined;
}

export type NewPasskey = Omit<
  Passkey,
  'id' | 'lastUsedAt' | 'revokedAt' | 'revokedReason' | 'revokedChange' | 'counterRegressions' | 'counterRegressedAt'
>;
