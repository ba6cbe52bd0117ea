import { getPublicSuffix } from 'tldts';
import { canonicalHost, isIpAddress } from './rp-id.js';

/**
 * Options of the suffix lookup. Hosts are already parsed. Private suffixes (`github.io`) count like suffixes of registries (`co.uk`), as in
 * browsers.
 */
const BOTH_SECTIONS = { allowPrivateDomains: true, extractHostname: false, detectIp: false };

/**
 * Finds the public suffix of a host: the part under which the public may register names, by https://publicsuffix.org. It is `co.uk` for
 * `www.example.co.uk` and `github.io` for `github.io`. If no list entry matches, it is the last label, as the list's algorithm and the URL
 * standard define. Keeps a dot at the end. Undefined for IP addresses and strings that are not host names.
 */
export function publicSuffix(host: string): string | undefined {
  const domain = canonicalHost(host);
  if (domain === undefined || isIpAddress(domain)) {
    return undefined;
  }
  const suffix = getPublicSuffix(domain, BOTH_SECTIONS);
  return suffix === null ? undefined : suffix + domain.slice(withoutDots(domain).length);
}

function withoutDots(domain: string): string {
  let end = domain.length;
  while (domain.charAt(end - 1) === '.') {
    end -= 1;
  }
  return domain.slice(0, end);
}

/**
 * Finds the registrable domain of a host: its public suffix and the label before it, such as `example.co.uk`. Undefined if the host itself
 * is a public suffix, such as `localhost`.
 */
export function registrableDomain(host: string): string | undefined {
  const suffix = publicSuffix(host);
  const domain = canonicalHost(host);
  if (suffix === undefined || !domain?.endsWith(`.${suffix}`)) return undefined;
  const label = domain
    .slice(0, -suffix.length - 1)
    .split('.')
    .at(-1);
  return label && `${label}.${suffix}`;
}

/**
 * Tests whether a host is a public suffix. Only that same host may use a public suffix as RP ID. Every single label is a public suffix,
 * even `localhost`.
 */
export function isPublicSuffix(host: string): boolean {
  const suffix = publicSuffix(host);
  return suffix !== undefined && suffix === canonicalHost(host);
}

/**
 * Tests whether an origin on `host` may use `rpId`, by HTML's "is a registrable domain suffix of or is equal to"
 * (https://html.spec.whatwg.org/multipage/browsers.html#is-a-registrable-domain-suffix-of-or-is-equal-to). Equal hosts always match, even
 * public suffixes and IP addresses. Otherwise `host` must end with a dot and `rpId`, and `rpId` must be longer than the public suffix of
 * either.
 */
export function isRegistrableSuffix(rpId: string, host: string): boolean {
  const suffix = canonicalHost(rpId);
  const whole = canonicalHost(host);
  if (suffix === undefined || whole === undefined) {
    return false;
  }
  if (suffix === whole) {
    return true;
  }
  if (isIpAddress(suffix) || isIpAddress(whole) || !whole.endsWith(`.${suffix}`)) {
    return false;
  }
  return !isPublicSuffix(suffix) && !publicSuffix(whole)?.endsWith(`.${suffix}`);
}
