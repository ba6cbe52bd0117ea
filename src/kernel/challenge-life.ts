/** Milliseconds after its end that a challenge is remembered at least: as long as people who answer late take to do so. */
const LEAST_REMEMBERED = 120_000;

/**
 * Until when a challenge that is spent or has expired is told from one that never was (milliseconds since the epoch): for as long again as it
 * was good for, and for two minutes at the least.
 */
export function challengeForgottenAt({ issuedAt, expiresAt }: { readonly issuedAt: number; readonly expiresAt: number }): number {
  return expiresAt + Math.max(expiresAt - issuedAt, LEAST_REMEMBERED);
}
