import { isIP } from 'node:net';
import { isLoopbackHost } from '../../webauthn/loopback.js';

const WILDCARDS: readonly string[] = ['0.0.0.0', '::'];

/**
 * The server's own origin: browsers want `localhost`, since they refuse IP addresses as RP ID. A server that listens on
 * every address is reached there too; one that listens on a single other address is not.
 */
export function ownOrigin(host: string, port: number): string {
  const name =
    isLoopbackHost(host) || WILDCARDS.includes(host)
      ? host.endsWith('.localhost')
        ? host
        : 'localhost'
      : isIP(host) === 6
        ? `[${host}]`
        : host;
  return new URL(`http://${name}:${port}`).origin;
}
