import { createHash } from 'node:crypto';
import { encodeUtf8, equalBytes } from '../../kernel/bytes.js';
import { isPublicSuffix, isRegistrableSuffix, publicSuffix } from '../../webauthn/registrable-suffix.js';
import { canonicalHost, isIpAddress, parseUrl } from '../../webauthn/rp-id.js';

export function hashOfRpId(text: string): Uint8Array {
  return createHash('sha256').update(encodeUtf8(text)).digest();
}

/** Maximum length of a host name in characters (RFC 1035 §2.3.4, in dotted form). DNS cannot resolve longer names. */
const MAX_HOST_LENGTH = 253;

/**
 * Lists the possible RP IDs of a page on a host. For `a.b.c` these are `a.b.c`, `b.c` and `c`. Empty if the text is too long to be a host.
 */
export function hostSuffixes(host: string): string[] {
  if (host.length > MAX_HOST_LENGTH) return [];
  const labels = host.split('.');
  return labels.map((_, index) => labels.slice(index).join('.'));
}

/** Finds the string whose SHA-256 is an unexpected rpIdHash, by trying common mistakes; undefined if none matches. */
export function preimageOfRpIdHash(
  hash: Uint8Array,
  { rpId, origin }: { readonly rpId: string; readonly origin: string },
): string | undefined {
  const url = parseUrl(origin);
  const candidates = [
    ...hostSuffixes(url?.hostname ?? ''),
    ...(url === undefined ? [] : [origin, `${origin}/`, url.host, `www.${url.hostname}`]),
    ...hostSuffixes(rpId),
    rpId.toLowerCase(),
    rpId.toUpperCase(),
    `www.${rpId}`,
    `${rpId}.`,
    `https://${rpId}`,
    `https://${rpId}/`,
    `http://${rpId}`,
    'localhost',
    '127.0.0.1',
    '',
  ];
  return candidates.find((candidate) => equalBytes(hashOfRpId(candidate), hash));
}

/** Explains, in one sentence, an rpIdHash that is not the hash of `rpId`. `preimage` is the string that was hashed, if known. */
export function rpIdHint({
  rpId,
  origin,
  preimage,
}: {
  readonly rpId: string;
  readonly origin: string;
  readonly preimage: string | undefined;
}): string {
  const impossible = whyNoRpId(rpId, origin);
  // An RP ID that no page may use is the mistake itself.
  const isNeverOne = whyNoRpId(rpId) !== undefined;
  if (impossible !== undefined && (preimage === undefined || isNeverOne)) {
    return isNeverOne ? impossible : `${impossible} Check that file with \`passkey doctor URL --rp-id ID\`.`;
  }
  if (preimage !== undefined && /^https?:/.test(preimage)) {
    return `The hash is that of the U2F AppID "${preimage}", which is valid only for an authentication whose options have the appid extension with this value and whose clientExtensionResults.appid is true. Request that extension, or register the credential again for the RP ID.`;
  }
  if (preimage?.includes(':')) {
    return `The RP ID was given as "${preimage}", with a port. Leave the port out of rp.id (rpId): an RP ID is a host name alone.`;
  }
  if (preimage !== undefined) {
    return `The credential was used for RP ID "${preimage}", but "${rpId}" is expected; use the same rp.id (rpId) in the options of registration and login.`;
  }
  return 'The credential belongs to another RP ID; use the same rp.id (rpId) in the options of registration and login.';
}

/**
 * Explains, in one sentence, a wrong hash in an assertion whose options contained an AppID (§10.1.1); undefined if the AppID is not the
 * cause.
 */
export function appIdHint({
  rpId,
  appId,
  scope,
  preimage,
}: {
  readonly rpId: string;
  readonly appId: string;
  /** The string whose hash is expected: the RP ID or the AppID. */
  readonly scope: string;
  readonly preimage: string | undefined;
}): string | undefined {
  if (scope === rpId && preimage === appId) {
    return 'The hash is that of the AppID in the options, but clientExtensionResults.appid is not true; send the result of getClientExtensionResults() with the response.';
  }
  return scope === appId && preimage === rpId
    ? 'clientExtensionResults.appid is true, so the hash must be that of the AppID, but it is that of the RP ID; send the extension results of this response.'
    : undefined;
}

/**
 * Explains why a browser would refuse an RP ID on a page of the given origin. Returns undefined if it would not, or if the origin is not a
 * web origin.
 */
export function whyNoRpId(rpId: string, origin?: string): string | undefined {
  if (/^[a-z][a-z0-9+.-]*:\/\//i.test(rpId)) {
    return `An RP ID is a host name, not a URL; use "${parseUrl(rpId)?.hostname ?? 'example.org'}" instead of "${rpId}".`;
  }
  if (isIpAddress(rpId.trim())) {
    return `"${rpId}" is an IP address, which browsers refuse as an RP ID; use localhost, or a host name with https.`;
  }
  if (rpId.includes('*')) {
    return `An RP ID has no wildcards; use "${rpId.replace(/^.*\*\.?/, '') || 'example.org'}" instead of "${rpId}": an RP ID covers the subdomains too.`;
  }
  if (/[:/]/.test(rpId)) {
    return `An RP ID has no port and no path; use "${rpId.split(/[:/]/, 1)[0]}" instead of "${rpId}".`;
  }
  const canonical = canonicalHost(rpId.trim());
  if (canonical === undefined) {
    return `${JSON.stringify(rpId)} is not a host name, which an RP ID must be; use the host of the page.`;
  }
  if (rpId !== canonical) {
    return `An RP ID is written as browsers write hosts, in lower case and punycode, without white space; use "${canonical}".`;
  }
  const page = origin !== undefined && /^https?:/.test(origin) ? parseUrl(origin) : undefined;
  return page === undefined ? whyNoRpIdAnywhere(rpId) : whyNoRpIdOn(page, rpId);
}

function whyNoRpIdAnywhere(rpId: string): string | undefined {
  return isPublicSuffix(rpId) && rpId !== 'localhost' ? `"${rpId}" is ${shared(rpId)}; use your own name below it.` : undefined;
}

function whyNoRpIdOn({ hostname, origin }: URL, rpId: string): string | undefined {
  if (isRegistrableSuffix(rpId, hostname)) {
    return undefined;
  }
  if (!hostname.endsWith(`.${rpId}`)) {
    return (
      whyNoRpIdAnywhere(rpId) ??
      `"${rpId}" is neither the host of ${origin} nor a suffix of it at a dot; a browser refuses it there. Use the host of the page, or name the origin in /.well-known/webauthn of "${rpId}".`
    );
  }
  const suffix = publicSuffix(hostname) ?? rpId;
  const shortest = hostSuffixes(hostname).findLast((name) => isRegistrableSuffix(name, hostname));
  return `"${rpId}" is ${suffix === rpId ? '' : `above "${suffix}", `}${shared(suffix)}; use "${shortest}".`;
}

function shared(suffix: string): string {
  const why = suffix.includes('.') ? 'whose subdomains have different owners' : 'like every name without a dot';
  return `a public suffix, ${why}, and browsers refuse it`;
}
