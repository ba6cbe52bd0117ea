import { decodeBase64 } from '../webauthn/base64url.js';
import { SHA256_BYTES } from '../webauthn/limits.js';
import { isLocalhostName } from '../webauthn/loopback.js';
import { isRegistrableSuffix, publicSuffix } from '../webauthn/registrable-suffix.js';
import { canonicalHost, isIpAddress, parseUrl } from '../webauthn/rp-id.js';
import { domException } from './members.js';
import { checkAssetLinks, checkRelatedOrigin, type FetchPort } from './well-known.js';

/** The calling page or app: its origin, and whether it is in an iframe. */
export interface Caller {
  /** Serialized origin, e.g. `https://login.example.com`; `null` for an opaque origin, `android:apk-key-hash:…` for an Android app. */
  readonly origin: string;
  /** True if the page is not same-origin with all its ancestors. */
  readonly crossOrigin: boolean;
  readonly topOrigin: string | undefined;
  /** Package name, if the caller is an Android app. */
  readonly androidPackageName: string | undefined;
}

export const ANDROID_ORIGIN = 'android:apk-key-hash:';

/**
 * Checks that a string is a serialized origin, and returns it unchanged.
 *
 * @throws TypeError for anything else, such as a URL with a path.
 */
export function checkOrigin(origin: string, member: string): string {
  if (origin === 'null' || androidKeyHash(origin)?.length === SHA256_BYTES) return origin;
  const parsed = parseUrl(origin)?.origin;
  if (parsed === origin && parsed !== 'null') return origin;
  const hint = origin.startsWith(ANDROID_ORIGIN)
    ? `After "${ANDROID_ORIGIN}", give the base64url of the SHA-256 of the app's certificate, ${SHA256_BYTES} bytes.`
    : parsed === undefined || parsed === 'null'
      ? 'Give for example "https://example.com".'
      : `Give "${parsed}".`;
  throw new TypeError(
    `Expected ${member} to be an origin: scheme, host and a port that is not the default; got ${JSON.stringify(origin)}. ${hint}`,
  );
}

/** Reads the SHA-256 of an Android app's signing certificate from its origin; undefined for other origins. */
function androidKeyHash(origin: string): Uint8Array | undefined {
  const text = origin.startsWith(ANDROID_ORIGIN) ? origin.slice(ANDROID_ORIGIN.length) : '';
  return text === '' || /[^A-Za-z0-9_-]/.test(text) ? undefined : decodeBase64(text)?.bytes;
}

/**
 * Determines the effective domain of the caller (§5.1.3 steps 6 and 7, §5.1.4).
 *
 * @throws DOMException `NotAllowedError` for an opaque origin; `SecurityError` for an origin that is not a secure context or whose host is
 * not a domain.
 */
function effectiveDomain({ origin }: Caller): string {
  if (origin === 'null') {
    throw domException('NotAllowedError', "Expected an origin with a scheme and a host; the caller's origin is opaque.");
  }
  const { protocol, hostname } = new URL(origin);
  if (isIpAddress(hostname)) {
    throw domException(
      'SecurityError',
      `Expected the origin's host to be a domain; ${hostname} is an IP address. Use http://localhost for tests.`,
    );
  }
  if (protocol !== 'https:' && !(protocol === 'http:' && isLocalhostName(hostname))) {
    throw domException('SecurityError', `Expected a secure context: https, or http on localhost; the origin is ${origin}.`);
  }
  return hostname;
}

/**
 * Determines the RP ID of the ceremony (§5.1.3 step 8): the one in the options if the caller may use it, or else its effective domain.
 * Accepts an RP ID only in the spelling that URLs have, which is stricter than the standard but like Chromium and Firefox. With `fetch`,
 * the RP ID may belong to another site that lists the caller's origin (§5.11). If the caller is an Android app, the site must list the app.
 *
 * @throws DOMException as {@link effectiveDomain}; `SecurityError` for an RP ID that the caller may not use, such as a public suffix.
 */
export function determineRpId(
  { caller, fetch }: { readonly caller: Caller; readonly fetch: FetchPort | undefined },
  asked: string | undefined,
  member: string,
): string | Promise<string> {
  const keyHash = androidKeyHash(caller.origin);
  if (keyHash) return rpIdOfApp({ caller, fetch }, keyHash, asked, member);
  const domain = effectiveDomain(caller);
  if (asked === undefined || asked === domain) return domain;
  const canonical = canonicalHost(asked);
  const fits = isRegistrableSuffix(asked, domain);
  if (fits && asked === canonical) return asked;
  const reason = fits ? `: write it "${canonical}"` : domain.endsWith(`.${canonical}`) ? sharedSuffix(domain) : '';
  const detail = `got ${JSON.stringify(asked)} from ${caller.origin}${reason}`;
  const refused = `Expected ${member} to be ${domain} or a registrable suffix of it; ${detail}.`;
  if (fetch === undefined || fits || asked !== canonical || isIpAddress(asked)) throw domException('SecurityError', refused);
  return checkRelatedOrigin(fetch, caller.origin, asked, refused);
}

/**
 * Determines the RP ID for an Android app. An app has no domain, so its options must contain the RP ID, and the site of that RP ID must
 * list the app.
 */
async function rpIdOfApp(
  { caller, fetch }: { readonly caller: Caller; readonly fetch: FetchPort | undefined },
  keyHash: Uint8Array,
  asked: string | undefined,
  member: string,
): Promise<string> {
  if (asked === undefined || asked !== canonicalHost(asked)) {
    const got = asked === undefined ? 'none' : JSON.stringify(asked);
    throw domException('SecurityError', `Expected ${member} to be a domain, which an Android app must give; got ${got}.`);
  }
  if (fetch) await checkAssetLinks(fetch, { rpId: asked, packageName: caller.androidPackageName, keyHash });
  return asked;
}

function sharedSuffix(domain: string): string {
  return `, and ${publicSuffix(domain)} is a public suffix: the RP ID must be longer than it, or equal to the host`;
}
