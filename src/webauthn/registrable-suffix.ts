import { getPublicSuffix } from 'tldts';
import { canonicalHost, isIpAddress } from './rp-id.js';

/** Hosts come parsed. Private suffixes (`github.io`) count like those of registries (`co.uk`), as in browsers. */
const BOTH_SECTIONS = { allowPrivateDomains: true, extractHostname: false, detectIp: false };

/**
 * The part of a host under which the public may register names, by https://publicsuffix.org: `co.uk` of `www.example.co.uk`, `github.io` of itself.
 * The last label where the list has nothing, as the list's algorithm and URL's "public suffix" have it; a dot at the end stays. Undefined for IP
 * addresses and texts that are not host names.
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

/** The public suffix of a host and the label before it: `example.co.uk` of `www.example.co.uk`; undefined for a public suffix itself, such as `localhost`. */
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

/** Whether only the host of exactly this name may use it as RP ID. Every single label is a public suffix, even `localhost`. */
export function isPublicSuffix(host: string): boolean {
  const suffix = publicSuffix(host);
  return suffix !== undefined && suffix === canonicalHost(host);
}

/**
 * Whether an origin on `host` may use `rpId`: HTML's "is a registrable domain suffix of or is equal to"
 * (https://html.spec.whatwg.org/multipage/browsers.html#is-a-registrable-domain-suffix-of-or-is-equal-to). Equal hosts always fit, public suffixes
 * and IP addresses among them. Else the suffix begins at a dot of `host`, and is longer than the public suffixes of both.
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
