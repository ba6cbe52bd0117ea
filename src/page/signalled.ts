import { isStringArray } from './json.js';

/** As many credential ids are remembered; the oldest go first. */
const REMEMBERED = 200;

/** The ids (base64url) with one more that the browser was asked to hide or delete. */
export function remember(signalled: readonly string[], credentialId: string): readonly string[] {
  return [...forget(signalled, credentialId), credentialId].slice(-REMEMBERED);
}

/** The ids without one that has answered after all. */
export function forget(signalled: readonly string[], credentialId: string): readonly string[] {
  return signalled.filter((id) => id !== credentialId);
}

/** What an earlier visit wrote; nothing where it cannot be read. */
export function readSignalled(text: string | undefined): readonly string[] {
  try {
    const ids: unknown = JSON.parse(text ?? '[]');
    return isStringArray(ids) ? ids : [];
  } catch {
    return [];
  }
}
