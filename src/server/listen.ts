import { PasskeyError } from '../errors.js';
import type { App } from './app-instance.js';

export interface ListenOptions {
  /** Name or address of the interface, e.g. `localhost`. */
  readonly host: string;
  /** 0 takes a free one. */
  readonly port: number;
}

/**
 * Opens the port, and no other one in its place: the port is part of the origin.
 *
 * @returns the URL of the service, e.g. `http://localhost:7277`.
 * @throws PasskeyError `configuration_invalid` when the address cannot be listened on.
 */
export async function listen(app: App, { host, port }: ListenOptions): Promise<string> {
  try {
    await app.listen({ host, port });
  } catch (cause) {
    throw explain(cause, { host, port });
  }
  const address = app.server.address();
  const actual = typeof address === 'object' && address !== null ? address.port : port;
  return `http://${host.includes(':') ? `[${host}]` : host}:${actual}`;
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
      return invalid(`${host} is no address of this machine. Choose another with --host.`, cause);
    default:
      return cause;
  }
}

function invalid(message: string, cause: unknown): PasskeyError {
  return new PasskeyError('configuration_invalid', message, { cause });
}
