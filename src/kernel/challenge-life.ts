/** Minimum time in milliseconds for which an ended challenge is remembered, so that a late response gets a precise error. */
const LEAST_REMEMBERED = 120_000;

/**
 * Calculates when the server forgets a challenge, in milliseconds since the epoch. Until then, the server distinguishes a spent or expired
 * challenge from an unknown one. A challenge is remembered after its expiry for as long as it was valid, and for two minutes at least.
 */
export function challengeForgottenAt({ issuedAt, expiresAt }: { readonly issuedAt: number; readonly expiresAt: number }): number {
  return expiresAt + Math.max(expiresAt - issuedAt, LEAST_REMEMBERED);
}
