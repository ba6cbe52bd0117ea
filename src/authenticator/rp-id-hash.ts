import { createHash } from 'node:crypto';

let last: { readonly rpId: string; readonly hash: Uint8Array } | undefined;

/** SHA-256 of the RP ID (§6.1). An authenticator in a test serves one RP most of the time, so the last hash is kept. */
export function hashRpId(rpId: string): Uint8Array {
  if (last?.rpId !== rpId) last = { rpId, hash: new Uint8Array(createHash('sha256').update(rpId).digest()) };
  return last.hash.slice();
}
