import { getPublicSuffix } from 'tldts';
import { canonicalHost, isIpAddress } from './rp-id.js';

/**
 * Options of the suffix lookup. Hosts are already parsed. Private suffixes (`github.io`) count like those of registries (`co.uk`), as in
 * browsers.
 */
const BOTH_SECTIONS = { allowPrivateDomains: true, extractHostname: false, detectIp: false };

/**
 * Finds the part of a host under which the public may register names, by https://publicsuffix.org: `co.uk` for `www.example.co.uk`,
 * `github.io` for `github.io`. If the list has no match, it is the last label, as in the list's algorithm and URL's "public suffix". Keeps
 * a dot at the end. Undefined for IP addresses and texts that are not host names.
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
 * Finds the public suffix of a host and the label before it: `example.co.uk` for `www.example.co.uk`. Undefined for a public suffix, such
 * as `localhost`.
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

/** Tests whether a host is a public suffix, which only that same host may use as RP ID. Every single label is one, even `localhost`. */
export function isPublicSuffix(host: string): boolean {
  const suffix = publicSuffix(host);
  return suffix !== undefined && suffix === canonicalHost(host);
}

/**
 * Tests whether an origin on `host` may use `rpId`: HTML's "is a registrable domain suffix of or is equal to"
 * (https://html.spec.whatwg.org/multipage/browsers.html#is-a-registrable-domain-suffix-of-or-is-equal-to). Equal hosts always match, even
 * public suffixes and IP addresses. Otherwise `rpId` must begin after a dot of `host` and be longer than the public suffix of either.
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
