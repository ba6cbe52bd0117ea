import { isIPv4, isIPv6 } from 'node:net';
import type { FastifyRequest } from 'fastify';
import { canonicalHost } from '../webauthn/rp-id.js';

/**
 * Name of the client to which all unreadable addresses belong. Because they share one name, an attacker cannot pose as many clients by
 * sending garbage.
 */
const UNKNOWN_CLIENT = 'unknown';

/**
 * Matches an address with a port, in the form that some proxies write (`192.0.2.1:4711`, `[2001:db8::1]:4711`), or an IPv6 address in
 * brackets without a port.
 */
const WITH_PORT = /^(?:\[(?<ipv6>[^\][]*)\]|(?<ipv4>[\d.]+)(?=:))(?::\d{1,5})?$/;

/**
 * Names the client that an address belongs to, for limits that apply to each client. An IPv4 address is one client, even if it is mapped
 * into IPv6. An IPv6 /64 network is one client, since a single host can choose any address in it. Ports and zones are ignored. A string
 * that is no address gives {@link UNKNOWN_CLIENT}.
 */
export function clientOfAddress(address: string): string {
  const { ipv4, ipv6 } = WITH_PORT.exec(address)?.groups ?? {};
  const host = ipv4 ?? ipv6 ?? address;
  if (isIPv4(host)) {
    return host;
  }
  const groups = isIPv6(host) ? readGroups(host) : undefined;
  if (groups === undefined) {
    return UNKNOWN_CLIENT;
  }
  if (groups.slice(0, 5).every((group) => group === 0) && groups[5] === 0xffff) {
    return groups
      .slice(6)
      .flatMap((group) => [group >> 8, group & 0xff])
      .join('.');
  }
  const prefix = groups.slice(0, 4).map((group) => group.toString(16));
  return `${prefix.join(':')}::/64`;
}

/** Reads the eight groups of an IPv6 address. Undefined if `address` is not an IPv6 address. */
function readGroups(address: string): number[] | undefined {
  const canonical = canonicalHost(address.replace(/%.*$/, ''))?.slice(1, -1);
  if (canonical === undefined) {
    return undefined;
  }
  const [head = [], tail = []] = canonical
    .split('::')
    .map((part) => (part === '' ? [] : part.split(':').map((group) => Number.parseInt(group, 16))));
  return [...head, ...Array.from({ length: 8 - head.length - tail.length }, () => 0), ...tail];
}

/**
 * Finds the address of the client that sent a request. With `--trust-proxy`, this is the address that the nearest proxy wrote into the
 * header. Without `--trust-proxy`, or if the proxy wrote no address, it is the address of the socket: clients could write the header
 * themselves.
 */
export function readAddress({ ip, socket }: Pick<FastifyRequest, 'ip' | 'socket'>): string {
  return clientOfAddress(ip) === UNKNOWN_CLIENT ? (socket.remoteAddress ?? '') : ip;
}

/** Names the client that sent a request, for limits that apply to each client. */
export function nameClient(request: Pick<FastifyRequest, 'ip' | 'socket'>): string {
  return clientOfAddress(readAddress(request));
}
