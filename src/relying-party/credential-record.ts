import type { OwnerRef } from '../kernel/owner.js';

/** The credential record of WebAuthn L3 §4, without members that only this relying party adds. */
export interface CredentialRecord {
  /** Credential ID, 1 to 1023 bytes. */
  readonly id: Uint8Array;
  /** Public key as COSE_Key, in the same bytes as in the attested credential data. */
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
 * `none`: the registration had no attestation. `trusted`: the attestation leads to a root certificate of the policy. `untrusted`: no known
 * authority vouches for the attestation. This includes every self attestation, and every attestation if no roots are configured.
 */
export type AttestationTrust = 'none' | 'untrusted' | 'trusted';

/**
 * A stored passkey: a credential record with its owner, and the times at which it was created, used and revoked. Times are milliseconds
 * since the epoch.
 */
export interface Passkey {
  /** Id in the store. Ids ascend and are never reused. */
  readonly id: number;
  readonly owner: OwnerRef;
  /** User handle that the authenticator received at registration, 1 to 64 bytes. */
  readonly userHandle: Uint8Array;
  readonly rpId: string;
  readonly rpName: string;
  /** Origin of the page that registered the passkey. */
  readonly origin: string;
  readonly label: string;
  readonly credential: CredentialRecord;
  /** AAGUID as text: groups of 8-4-4-4-12 digits in lower case. */
  readonly aaguid: string;
  readonly attestation: { readonly format: string; readonly trust: AttestationTrust };
  readonly authenticatorAttachment: string | undefined;
  readonly clientExtensionResults: Readonly<Record<string, unknown>>;
  /** Challenge of the registration. The API never shows it. */
  readonly challenge: Uint8Array;
  readonly createdAt: number;
  readonly lastUsedAt: number | undefined;
  readonly revokedAt: number | undefined;
  readonly revokedReason: string | undefined;
  /** Id of the bulk change that revoked the passkey; undefined if there was none. */
  readonly revokedChange: string | undefined;
  /**
   * Number of assertions that were refused because the signature counter did not grow. `counterRegressedAt` is the time of the last one.
   */
  readonly counterRegressions: number;
  readonly counterRegressedAt: number | undefined;
}

export type NewPasskey = Omit<
  Passkey,
  'id' | 'lastUsedAt' | 'revokedAt' | 'revokedReason' | 'revokedChange' | 'counterRegressions' | 'counterRegressedAt'
>;
