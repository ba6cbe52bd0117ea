import { toHex } from '../kernel/bytes.js';
import { isObject } from '../kernel/json-value.js';
import { domException } from './members.js';
import { type FetchPort, fetchWellKnown } from './well-known.js';

/** The permission that a site gives an app to use its credentials (Digital Asset Links). */
const RELATION = 'delegate_permission/common.get_login_creds';

/**
 * Whether the site of the RP ID vouches for an Android app, as Android asks before it takes the app's word
 * (https://developers.google.com/digital-asset-links/v1/getting-started).
 *
 * @throws DOMException `SecurityError`.
 */
export async function checkAssetLinks(
  fetch: FetchPort,
  { rpId, packageName, keyHash }: { readonly rpId: string; readonly packageName: string | undefined; readonly keyHash: Uint8Array },
): Promise<void> {
  const url = `https://${rpId}/.well-known/assetlinks.json`;
  const refused = `Expected ${rpId} to vouch for the app${packageName === undefined ? '' : ` ${packageName}`}.`;
  const statements = await fetchWellKnown(fetch, url, refused);
  const fingerprint = (toHex(keyHash).toUpperCase().match(/../g) ?? []).join(':');
  const vouches = (statement: unknown): boolean => {
    if (!isObject(statement) || !isObject(statement['target'])) return false;
    const { relation, target } = statement;
    if (!isObject(target) || !Array.isArray(relation) || !relation.includes(RELATION)) return false;
    const fingerprints = target['sha256_cert_fingerprints'];
    return (
      target['namespace'] === 'android_app' &&
      (packageName === undefined || target['package_name'] === packageName) &&
      Array.isArray(fingerprints) &&
      fingerprints.includes(fingerprint)
    );
  };
  if (Array.isArray(statements) && statements.some(vouches)) return;
  const detail = `${url} has no statement with ${RELATION} for an android_app with the fingerprint ${fingerprint}.`;
  throw domException('SecurityError', `${refused} ${detail}`);
}
