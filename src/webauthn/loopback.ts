import { canonicalHost, isIpAddress } from './rp-id.js';

/**
 * Predicates that recognise the local machine. Every test of whether a host is local belongs here. A predicate that is deliberately
 * narrower has its own name and states the reason.
 */

/**
 * Tests whether browsers resolve a host name to the loopback interface by themselves: `localhost` and names below it, in any case, with or
 * without a final dot. An http origin on such a host is a secure context (https://www.w3.org/TR/secure-contexts/#is-origin-trustworthy).
 */
export function isLocalhostName(host: string): boolean {
  const name = canonicalHost(host)?.replace(/\.$/, '');
  return name === 'localhost' || name?.endsWith('.localhost') === true;
}

/**
 * Tests whether an address belongs to the loopback interface: 127.0.0.0/8, the same range mapped into IPv6, or ::1. Accepts the brackets of
 * URLs. Meant for the peer address of a socket; false for every host name.
 */
export function isLoopbackAddress(address: string): boolean {
  if (!isIpAddress(address)) {
    return false;
  }
  const canonical = canonicalHost(address) ?? '';
  return canonical.startsWith('127.') || canonical === '[::1]' || /^\[::ffff:7f[0-9a-f]{2}:[0-9a-f]{1,4}\]$/.test(canonical);
}

/** Tests whether a host name or address, written as in URLs or in `--host`, means the local machine. */
export function isLoopbackHost(host: string): boolean {
  return isLocalhostName(host) || isLoopbackAddress(host);
}

/** Host names that a development server accepts by default, written as in URLs. */
export const DEVELOPMENT_HOSTS: readonly string[] = ['localhost', '127.0.0.1', '[::1]'];

/**
 * Tests whether a `Host` header is literally one of {@link DEVELOPMENT_HOSTS}, with any port. Deliberately narrower than {@link
 * isLoopbackHost}, because it guards the sign-in without proof. A resolver may send `anything.localhost` or `localhost.` to another
 * machine, and then a page of another site could use that name (DNS rebinding). The names in the list are not open to this attack.
 */
export function isDevelopmentHostHeader(header: string): boolean {
  return DEVELOPMENT_HOSTS.includes(header.toLowerCase().replace(/:\d+$/, ''));
}
