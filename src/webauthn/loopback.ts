import { canonicalHost, isIpAddress } from './rp-id.js';

/**
 * Predicates that recognise this machine. Every question "is this local?" belongs here. A predicate that is narrower on purpose has its own
 * name and states its reason.
 */

/**
 * Tests for a name that browsers themselves resolve to the loopback interface: `localhost` and names below it, in any case, with or without
 * a final dot. An http origin on such a host is a secure context (https://www.w3.org/TR/secure-contexts/#is-origin-trustworthy).
 */
export function isLocalhostName(host: string): boolean {
  const name = canonicalHost(host)?.replace(/\.$/, '');
  return name === 'localhost' || name?.endsWith('.localhost') === true;
}

/**
 * Tests for an address of the loopback interface: 127.0.0.0/8, the same mapped into IPv6, or ::1, with or without the brackets of URLs.
 * Meant for the address of a socket's peer; false for every name.
 */
export function isLoopbackAddress(address: string): boolean {
  if (!isIpAddress(address)) {
    return false;
  }
  const canonical = canonicalHost(address) ?? '';
  return canonical.startsWith('127.') || canonical === '[::1]' || /^\[::ffff:7f[0-9a-f]{2}:[0-9a-f]{1,4}\]$/.test(canonical);
}

/** Tests whether a host name or address, written as in URLs or in `--host`, is this machine. */
export function isLoopbackHost(host: string): boolean {
  return isLocalhostName(host) || isLoopbackAddress(host);
}

/** Host names that a development server accepts by default, written as in URLs. */
export const DEVELOPMENT_HOSTS: readonly string[] = ['localhost', '127.0.0.1', '[::1]'];

/**
 * Tests whether a `Host` header is literally one of {@link DEVELOPMENT_HOSTS}, with any port. Narrower than {@link isLoopbackHost} on
 * purpose, because it guards the sign-in without proof: a resolver may send `anything.localhost` or `localhost.` elsewhere, so that another
 * site's page could use that name (DNS rebinding). These three names cannot be taken over.
 */
export function isDevelopmentHostHeader(header: string): boolean {
  return DEVELOPMENT_HOSTS.includes(header.toLowerCase().replace(/:\d+$/, ''));
}
