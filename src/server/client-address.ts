import { isIPv4, isIPv6 } from 'node:net';
import type { FastifyRequest } from 'fastify';
import { canonicalHost } from '../webauthn/rp-id.js';

/** The client for every unreadable address. All of them share one, so that an attacker cannot get new clients with garbage. */
const UNKNOWN_CLIENT = 'unknown';

/**
 * Matches an address with a port, as some proxies write it (`192.0.2.1:4711`, `[2001:db8::1]:4711`), or an IPv6 address in brackets without
 * a port.
 */
const WITH_PORT = /^(?:\[(?<ipv6>[^\][]*)\]|(?<ipv4>[\d.]+)(?=:))(?::\d{1,5})?$/;

/**
 * Names the client of an address, for limits that apply to each client. An IPv4 address is one client, even if it is mapped into IPv6. An
 * IPv6 /64 network is one client, since a single host can choose among that many addresses. Ports and zones are ignored. Any other text is
 * {@link UNKNOWN_CLIENT}.
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

/** Reads the eight groups of an IPv6 address. Undefined if the text is not one. */
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
 * Finds the address of the client that sent a request. With `--trust-proxy`, this is the address that the nearest proxy wrote. Otherwise,
 * or if the proxy wrote none, it is that of the socket, since clients can write the field themselves.
 */
export function readAddress({ ip, socket }: Pick<FastifyRequest, 'ip' | 'socket'>): string {
  return clientOfAddress(ip) === UNKNOWN_CLIENT ? (socket.remoteAddress ?? '') : ip;
}

/** Names the client that sent a request, for limits that apply to each client. */
export function nameClient(request: Pick<FastifyRequest, 'ip' | 'socket'>): string {
  return clientOfAddress(readAddress(request));
}
