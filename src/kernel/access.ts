import type { OwnerRef } from './owner.js';

/** The token or session that a login opens; the passkey says whose it is. Times are milliseconds since the epoch. */
export interface LoginAccess {
  readonly kind: 'token' | 'session';
  /** SHA-256 of the secret, 32 bytes. */
  readonly hash: Uint8Array;
  readonly label: string | undefined;
  readonly createdAt: number;
  /** Undefined: it has no end. */
  readonly expiresAt: number | undefined;
}

/** An opaque bearer token or session that is not stored yet; only the SHA-256 of its secret is stored. */
export interface NewAccess extends LoginAccess {
  readonly owner: OwnerRef;
  /** The passkey whose login opened it; undefined for one made on the command line or by development sign-in. */
  readonly passkeyId: number | undefined;
}

/** An opaque bearer token or session. */
export interface Access extends NewAccess {
  /** Ascending, never used again. */
  readonly id: number;
  /** Last use of a session, to within a sixtieth of the time after which an idle session ends. */
  readonly lastUsedAt: number | undefined;
  readonly revokedAt: number | undefined;
}

/** When an access ended or ends; `Infinity` of a token without an end. */
export const findEnd = ({ revokedAt = Infinity, expiresAt = Infinity }: Access): number => Math.min(revokedAt, expiresAt);
