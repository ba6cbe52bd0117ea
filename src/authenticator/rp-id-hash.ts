import { createHash } from 'node:crypto';

let last: { readonly rpId: string; readonly hash: Uint8Array } | undefined;

/** Computes the SHA-256 of the RP ID (§6.1). Caches the last hash, because an authenticator in a test mostly serves one RP. */
export function hashRpId(rpId: string): Uint8Array {
  if (last?.rpId !== rpId) last = { rpId, hash: new Uint8Array(createHash('sha256').update(rpId).digest()) };
  return last.hash.slice();
}
