import type { OwnerRef } from './owner.js';

/** A token or session that a login opens for the owner of the passkey. Times are milliseconds since the epoch. */
export interface LoginAccess {
  readonly kind: 'token' | 'session';
  /** SHA-256 of the secret: 32 bytes. */
  readonly hash: Uint8Array;
  readonly label: string | undefined;
  readonly createdAt: number;
  /** When the access expires. Undefined: it never expires. */
  readonly expiresAt: number | undefined;
}

/** A bearer token or session that is about to be stored. Only the SHA-256 of its secret is stored. */
export interface NewAccess extends LoginAccess {
  readonly owner: OwnerRef;
  /** Id of the passkey whose login opened the access; undefined if it was made on the command line or by development sign-in. */
  readonly passkeyId: number | undefined;
}

/** A stored bearer token or session. */
export interface Access extends NewAccess {
  /** Id of the access. Ids ascend, and are never used again. */
  readonly id: number;
  /** Last recorded use of a session. A later use is recorded only if more than a sixtieth of the idle limit has passed. */
  readonly lastUsedAt: number | undefined;
  readonly revokedAt: number | undefined;
}

/** Finds when an access ended or will end. `Infinity` for a token that never ends. */
export const findEnd = ({ revokedAt = Infinity, expiresAt = Infinity }: Access): number => Math.min(revokedAt, expiresAt);
