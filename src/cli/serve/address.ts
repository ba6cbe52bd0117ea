import { isIP } from 'node:net';

const WILDCARDS: readonly string[] = ['0.0.0.0', '::'];

/** Reached from this machine only. */
export function isLoopback(host: string): boolean {
  return host === 'localhost' || host.endsWith('.localhost') || host === '::1' || (isIP(host) === 4 && host.startsWith('127.'));
}

/**
 * The server's own origin: browsers want `localhost`, since they refuse IP addresses as RP ID. A server that listens on
 * every address is reached there too; one that listens on a single other address is not.
 */
export function ownOrigin(host: string, port: number): string {
  const name =
    isLoopback(host) || WILDCARDS.includes(host)
      ? host.endsWith('.localhost')
        ? host
        : 'localhost'
      : isIP(host) === 6
        ? `[${host}]`
        : host;
  return new URL(`http://${name}:${port}`).origin;
}
