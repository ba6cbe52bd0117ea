import { lookup } from 'node:dns/promises';
import { createServer } from 'node:net';
import { PasskeyError } from '../errors.js';
import type { App } from './options.js';

export interface ListenOptions {
  /** Name or address of the interface, e.g. `localhost`. */
  readonly host: string;
  /** 0 picks a free one. */
  readonly port: number;
}

/**
 * Opens this port, never another instead: the port is part of the origin.
 *
 * @returns the URL of the service, e.g. `http://localhost:7277`.
 * @throws PasskeyError `configuration_invalid` when the address cannot be listened on.
 */
export async function listen(app: App, { host, port }: ListenOptions): Promise<string> {
  let actual: number;
  try {
    // `localhost` may have two addresses, and a browser may use either.
    const [first = host, ...others] = host === 'localhost' ? (await lookup(host, { all: true })).map(({ address }) => address) : [];
    await app.listen({ host: first, port });
    const address = app.server.address();
    actual = typeof address === 'object' && address !== null ? address.port : port;
    await Promise.all(others.map((other) => listenAlso(app, { host: other, port: actual })));
  } catch (cause) {
    throw explain(cause, { host, port });
  }
  return `http://${host.includes(':') ? `[${host}]` : host}:${actual}`;
}

/**
 * Also listens on another address, until the application closes, and hands its connections to the same server: Fastify would create
 * a second one without our limits and our answers to malformed requests. An address that is not available is skipped.
 */
export async function listenAlso({ server }: Pick<App, 'server'>, { host, port }: ListenOptions): Promise<void> {
  const further = createServer({ allowHalfOpen: true, noDelay: true }, (socket) => void server.emit('connection', socket));
  server.once('close', () => further.close());
  await new Promise<void>((resolve) => {
    further.once('error', () => resolve()).listen({ host, port }, resolve);
  });
}

function explain(cause: unknown, { host, port }: ListenOptions): unknown {
  const code = cause instanceof Error && 'code' in cause ? cause.code : undefined;
  switch (code) {
    case 'EADDRINUSE':
      return invalid(`Port ${port} on ${host} is in use by another process. Stop that process, or choose another port with --port.`, cause);
    case 'EACCES':
      return invalid(`Port ${port} needs a privilege that this process does not have. Choose a port of 1024 or above with --port.`, cause);
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
      return invalid(`${host} is not an address of this machine. Choose another with --host.`, cause);
    default:
      return cause;
  }
}

function invalid(message: string, cause: unknown): PasskeyError {
  return new PasskeyError('configuration_invalid', message, { cause });
}
