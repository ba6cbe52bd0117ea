import { canonicalHost, isIpAddress } from './rp-id.js';

/**
 * Predicates for this machine. Every question "is this local?" belongs here; a predicate that is narrower on purpose has its own name and
 * reason.
 */

/**
 * A name that browsers resolve to the loopback interface themselves: `localhost` and names below it, in any case, with or without a final
 * dot. An http origin on such a host is a secure context (https://www.w3.org/TR/secure-contexts/#is-origin-trustworthy).
 */
export function isLocalhostName(host: string): boolean {
  const name = canonicalHost(host)?.replace(/\.$/, '');
  return name === 'localhost' || name?.endsWith('.localhost') === true;
}

/**
 * An address of the loopback interface: 127.0.0.0/8, ::1, or the former mapped into IPv6. For the address of a socket's peer, with
 * or without the brackets of URLs. A name is never one.
 */
export function isLoopbackAddress(address: string): boolean {
  if (!isIpAddress(address)) {
    return false;
  }
  const canonical = canonicalHost(address) ?? '';
  return canonical.startsWith('127.') || canonical === '[::1]' || /^\[::ffff:7f[0-9a-f]{2}:[0-9a-f]{1,4}\]$/.test(canonical);
}

/** A host, as URLs and `--host` have it, that is this machine: by name or by address. */
export function isLoopbackHost(host: string): boolean {
  return isLocalhostName(host) || isLoopbackAddress(host);
}

/** The names that a development server answers to by default, as in URLs. */
export const DEVELOPMENT_HOSTS: readonly string[] = ['localhost', '127.0.0.1', '[::1]'];

/**
 * Whether a `Host` header is literally one of {@link DEVELOPMENT_HOSTS}, with any port. Narrower than {@link isLoopbackHost} on purpose:
 * this guards the sign-in without proof, and a resolver may send `anything.localhost` or `localhost.` elsewhere, so that another site's
 * page could carry that name (DNS rebinding). These three cannot be taken over.
 */
export function isDevelopmentHostHeader(header: string): boolean {
  return DEVELOPMENT_HOSTS.includes(header.toLowerCase().replace(/:\d+$/, ''));
}
