import type { Field } from '../../decode.js';

/** What each step of §7.1 and §7.2 looks at: ends of the paths of fields, by slug. Steps that look at no bytes are not here. */
const LOOKS_AT: Readonly<Record<string, readonly string[]>> = {
  'client-data-text': ['clientDataJSON'],
  'client-data': ['clientDataJSON'],
  type: ['clientDataJSON/type'],
  challenge: ['clientDataJSON/challenge'],
  origin: ['clientDataJSON/origin'],
  'cross-origin': ['clientDataJSON/crossOrigin'],
  'top-origin': ['clientDataJSON/topOrigin'],
  'attestation-object': ['attestationObject'],
  'rp-id-hash': ['rpIdHash'],
  'user-present': ['flags/UP'],
  'user-verified': ['flags/UV'],
  'backup-flags': ['flags/BE', 'flags/BS'],
  'backup-eligibility': ['flags/BE'],
  'backup-state': ['flags/BS'],
  algorithm: ['credentialPublicKey/alg (3)'],
  'attestation-format': ['attestationObject/fmt'],
  'attestation-statement': ['attestationObject/attStmt'],
  'trust-anchors': ['attestationObject/attStmt/x5c'],
  'attestation-trust': ['attestationObject/attStmt/x5c'],
  'credential-id': ['credentialId'],
  'credential-id-unused': ['credentialId'],
  'allow-credentials': ['id'],
  'user-handle': ['userHandle'],
  signature: ['signature'],
  'sign-count': ['signCount'],
  'extension-outputs': ['authData/extensions', 'authenticatorData/extensions'],
};

/** Whether a step looks at the field of this path. */
export function looksAt(slug: string | undefined, path: string): boolean {
  const ends = slug === undefined || !Object.hasOwn(LOOKS_AT, slug) ? [] : (LOOKS_AT[slug] ?? []);
  return ends.some((end) => path === end || path.endsWith(`/${end}`));
}

/** Paths below `field` that a failed step looks at. */
export function failedPaths(slug: string | undefined, field: Field, path = field.name): string[] {
  const own = looksAt(slug, path) ? [path] : [];
  return [...own, ...(field.children ?? []).flatMap((child) => failedPaths(slug, child, `${path}/${child.name}`))];
}
