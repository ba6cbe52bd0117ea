/** Milliseconds after its end that a challenge is remembered at least: as long as people who answer late take to do so. */
const LEAST_REMEMBERED = 120_000;

/**
 * Until when a spent or expired challenge is distinguished from an unknown one (milliseconds since the epoch): for its lifetime once more,
 * and at least two minutes.
 */
export function challengeForgottenAt({ issuedAt, expiresAt }: { readonly issuedAt: number; readonly expiresAt: number }): number {
  return expiresAt + Math.max(expiresAt - issuedAt, LEAST_REMEMBERED);
}
