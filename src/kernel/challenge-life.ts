/** Least time in milliseconds that a challenge is remembered after it ends, so that a late response gets a precise error. */
const LEAST_REMEMBERED = 120_000;

/**
 * Until when the server distinguishes a spent or expired challenge from an unknown one, in milliseconds since the epoch. A challenge is
 * remembered after its end for as long as it was valid, and for two minutes at least.
 */
export function challengeForgottenAt({ issuedAt, expiresAt }: { readonly issuedAt: number; readonly expiresAt: number }): number {
  return expiresAt + Math.max(expiresAt - issuedAt, LEAST_REMEMBERED);
}
