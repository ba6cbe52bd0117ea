import { toHex } from '../kernel/bytes.js';
import { isObject } from '../kernel/json-value.js';
import { registrableDomain } from '../webauthn/registrable-suffix.js';
import { parseUrl } from '../webauthn/rp-id.js';
import { domException } from './members.js';
import { isStrings } from './reading.js';

/** Members that the client uses of an HTTP response, such as a `Response` of the Fetch standard. */
export interface FetchedResponse {
  readonly status: number;
  /** URL of the response after all redirects. */
  readonly url: string;
  readonly headers: { get(name: string): string | null };
  text(): Promise<string>;
}

/** `fetch`, or a substitute for tests. The client calls it without credentials and without a referrer. */
export type FetchPort = (
  url: string,
  init: { readonly credentials: 'omit'; readonly referrerPolicy: 'no-referrer'; readonly signal?: AbortSignal },
) => Promise<FetchedResponse>;

/** Length in characters of the longest document that the client reads. Chromium reads at most 256 KiB. */
export const MAX_CHARACTERS = 262_144;

/**
 * Fetches a JSON document from a well-known URL. Every redirect must use https.
 *
 * @param refused start of the error message.
 * @throws DOMException `SecurityError` whose message says what is wrong with the response.
 */
async function fetchWellKnown(fetch: FetchPort, url: string, refused: string): Promise<unknown> {
  const wrong = (detail: string) => domException('SecurityError', `${refused} ${detail}`);
  const response = await fetch(url, { credentials: 'omit', referrerPolicy: 'no-referrer' }).catch((cause: unknown) => {
    throw wrong(`${url} could not be fetched: ${cause instanceof Error ? cause.message : String(cause)}.`);
  });
  if (response.url !== '' && !response.url.startsWith('https://')) throw wrong(`${url} redirected to ${response.url}, which is not https.`);
  if (response.status !== 200) throw wrong(`${url} answered with status ${response.status}.`);
  const type = response.headers.get('content-type') ?? '';
  if (type.split(';')[0]?.trim().toLowerCase() !== 'application/json') {
    throw wrong(`Expected ${url} to have the content type application/json; got ${JSON.stringify(type)}.`);
  }
  const text = await response.text();
  if (text.length > MAX_CHARACTERS) throw wrong(`${url} is longer than ${MAX_CHARACTERS} characters.`);
  try {
    const document: unknown = JSON.parse(text);
    return document;
  } catch {
    throw wrong(`${url} is not JSON.`);
  }
}

/**
 * Maximum number of registrable origin labels that the client reads. Every client must read at least this many (§5.11.1); browsers read no
 * more.
 */
export const MAX_LABELS = 5;

/**
 * Checks that the site of the RP ID lists the caller's origin: the related origins validation procedure (W3C WebAuthn L3 §5.11.1).
 *
 * @param refused start of the error message.
 * @returns the RP ID.
 * @throws DOMException `SecurityError` if the site does not list the origin or its list cannot be read.
 */
export async function checkRelatedOrigin(fetch: FetchPort, origin: string, rpId: string, refused: string): Promise<string> {
  const url = `https://${rpId}/.well-known/webauthn`;
  const document = await fetchWellKnown(fetch, url, refused);
  const origins = isObject(document) ? document['origins'] : undefined;
  if (!isStrings(origins)) throw domException('SecurityError', `${refused} Expected ${url} to have a list of strings in "origins".`);
  if (!readableOrigins(origins).includes(origin)) {
    const detail = `${url} does not list ${origin} among the origins of the first ${MAX_LABELS} domain labels, the only ones that browsers read.`;
    throw domException('SecurityError', `${refused} ${detail}`);
  }
  return rpId;
}

/** Filters a list of origins to those that browsers read: the origins with the first five registrable origin labels. */
export function readableOrigins(origins: readonly string[]): string[] {
  const labels = new Set<string>();
  return origins.flatMap((item) => {
    const url = parseUrl(item);
    // The registrable origin label: `example` of `www.example.co.uk`.
    const label = url && registrableDomain(url.hostname)?.split('.')[0];
    if (url === undefined || label === undefined || (labels.size >= MAX_LABELS && !labels.has(label))) return [];
    labels.add(label);
    return [url.origin];
  });
}

/** Permission that a site gives an app to use its credentials (Digital Asset Links). */
export const RELATION = 'delegate_permission/common.get_login_creds';

/**
 * Checks that the site of the RP ID lists an Android app, as Android does before it accepts the app's RP ID
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
