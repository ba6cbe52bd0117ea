import { isIPv4, isIPv6 } from 'node:net';
import type { FastifyRequest } from 'fastify';
import { canonicalHost } from '../webauthn/rp-id.js';

/** The client that every unreadable address counts as: one for all, so that garbage opens no new one. */
const UNKNOWN_CLIENT = 'unknown';

/** An address with a port, as some proxies write them: `192.0.2.1:4711`, `[2001:db8::1]:4711`, or `[2001:db8::1]` without one. */
const WITH_PORT = /^(?:\[(?<ipv6>[^\][]*)\]|(?<ipv4>[\d.]+)(?=:))(?::\d{1,5})?$/;

/**
 * The client of an address, for everything that is counted or shared by client. An IPv4 address is one client, also when it is mapped into
 * IPv6. An IPv6 /64 is one client, since a single host has that many addresses to choose from. A port or a zone makes no difference.
 * Everything else is {@link UNKNOWN_CLIENT}.
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

/** The eight groups of an IPv6 address. */
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
 * The address of the client that sent a request: with `--trust-proxy` the address that the nearest proxy wrote, otherwise that of the
 * socket. The socket's address also counts if the proxy wrote none, since clients can write the field themselves.
 */
export function readAddress({ ip, socket }: Pick<FastifyRequest, 'ip' | 'socket'>): string {
  return clientOfAddress(ip) === UNKNOWN_CLIENT ? (socket.remoteAddress ?? '') : ip;
}

/** The client that sent a request, for everything that is counted or shared out by client. */
export function nameClient(request: Pick<FastifyRequest, 'ip' | 'socket'>): string {
  return clientOfAddress(readAddress(request));
}
