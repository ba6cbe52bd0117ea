import { lookup } from 'node:dns/promises';
import { createServer, isIP, type Server } from 'node:net';
import { PasskeyError } from '../errors.js';
import { isLoopbackHost } from '../webauthn/loopback.js';
import type { App } from './options.js';

export interface ListenOptions {
  /** Name or address of the network interface, such as `localhost`. */
  readonly host: string;
  /** Port number. 0 means any free port. */
  readonly port: number;
}

/**
 * Starts listening on the given port. It never chooses another port, since the port is part of the origin.
 *
 * @returns the URL of the service, e.g. `http://localhost:7277`.
 * @throws PasskeyError `configuration_invalid` naming `--port` or `--host` if the server cannot listen on the address.
 */
export async function listen(app: App, { host, port }: ListenOptions): Promise<string> {
  let actual: number;
  try {
    // `localhost` may have two addresses, and a browser may use either.
    const [first = host, ...others] = host === 'localhost' ? (await lookup(host, { all: true })).map(({ address }) => address) : [];
    await app.listen({ host: first, port });
    actual = readPort(app.server);
    await Promise.all(others.map((other) => listenAlso(app, { host: other, port: actual })));
  } catch (cause) {
    throw explainFailure(cause, { host, port });
  }
  return `http://${host.includes(':') ? `[${host}]` : host}:${actual}`;
}

/**
 * Makes the application also listen on another address until the application closes. The same server handles these connections; Fastify
 * would create a second server without our limits and our responses to malformed requests. If the address is not available, nothing
 * happens.
 */
export async function listenAlso({ server }: Pick<App, 'server'>, { host, port }: ListenOptions): Promise<void> {
  const further = createServer({ allowHalfOpen: true, noDelay: true }, (socket) => void server.emit('connection', socket));
  server.once('close', () => further.close());
  await new Promise<void>((resolve) => {
    further.once('error', () => resolve()).listen({ host, port }, resolve);
  });
}

/**
 * Finds a port that is free on every address of a host: `port` itself, or any port if `port` is 0. `localhost` has two addresses, and a
 * browser may use either. Both must be free; otherwise another server would get our users' requests. If the machine has only one of the two
 * addresses, one is enough.
 *
 * @throws PasskeyError `configuration_invalid` naming `--port` or `--host`.
 */
export async function freeAddress({ host, port }: ListenOptions): Promise<ListenOptions> {
  const addresses = await lookup(host, { all: true }).catch((cause: unknown) => {
    throw new PasskeyError('configuration_invalid', `--host expects a name or address of this machine; "${host}" cannot be resolved.`, {
      cause,
    });
  });
  const held: { readonly server: Server; readonly address: string }[] = [];
  let chosen = port;
  let absent: unknown;
  try {
    for (const { address } of addresses) {
      try {
        const server = await hold(address, chosen);
        held.push({ server, address });
        chosen = readPort(server);
      } catch (error) {
        // /etc/hosts often names ::1 on machines without IPv6, containers above all.
        if (!isAbsentAddress(error)) throw error;
        absent = error;
      }
    }
    const [first] = held;
    if (first === undefined) throw absent;
    return { host: held.length === addresses.length ? host : first.address, port: chosen };
  } catch (error) {
    throw explainFailure(error, { host, port });
  } finally {
    await Promise.all(held.map(({ server }) => new Promise((resolve) => server.close(resolve))));
  }
}

/** Number of ports that are tried if the port is 0, which means any port. */
const TRIES = 10;

/**
 * Runs `use` with a free address. If another process takes the port in the meantime and the given port is 0, tries again with another port.
 */
export async function onFreeAddress<T>({ host, port }: ListenOptions, use: (address: ListenOptions) => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await use(await freeAddress({ host, port }));
    } catch (error) {
      if (port !== 0 || tries === TRIES || !isTaken(error)) throw error;
    }
  }
}

/** Whether an error of `freeAddress` or `listen` means that the address is in use. */
const isTaken = (error: unknown): boolean => error instanceof PasskeyError && readCode(error.cause) === 'EADDRINUSE';

function hold(address: string, port: number): Promise<Server> {
  return new Promise((resolve, reject) => {
    // A connection would keep it from closing, and a reset would end the process.
    const server = createServer((socket) => void socket.destroy());
    server.once('error', reject);
    server.listen({ host: address, port, exclusive: true }, () => resolve(server));
  });
}

function readPort(server: Pick<Server, 'address'>): number {
  const address = server.address();
  return typeof address === 'object' && address !== null ? address.port : 0;
}

const readCode = (error: unknown): unknown => (error instanceof Error && 'code' in error ? error.code : undefined);
const isAbsentAddress = (error: unknown): boolean => readCode(error) === 'EADDRNOTAVAIL' || readCode(error) === 'EAFNOSUPPORT';

/** Converts a listening error to an error that names the flag to change. Returns any other error unchanged. */
function explainFailure(cause: unknown, { host, port }: ListenOptions): unknown {
  const wrong = (message: string) => new PasskeyError('configuration_invalid', message, { cause });
  const code = readCode(cause);
  if (isAbsentAddress(cause) || code === 'ENOTFOUND' || code === 'EAI_AGAIN') {
    return wrong(`--host expects an address of this machine; ${host} is not one.`);
  }
  if (code === 'EADDRINUSE') {
    return wrong(`Port ${port} on ${host} is in use. Stop the program that uses it, or choose another with --port (0 picks a free one).`);
  }
  if (code === 'EACCES') return wrong(`Port ${port} needs more rights than this user has. Choose one above 1023 with --port.`);
  return cause;
}

const WILDCARDS: readonly string[] = ['0.0.0.0', '::'];

/**
 * Makes the server's own origin. It uses `localhost` as host if the server can be reached there, because browsers refuse an IP address as
 * RP ID. A server that listens on every address can be reached at `localhost`; a server on a single non-loopback address cannot.
 */
export function ownOrigin(host: string, port: number, scheme: 'http' | 'https' = 'http'): string {
  const name =
    isLoopbackHost(host) || WILDCARDS.includes(host)
      ? host.endsWith('.localhost')
        ? host
        : 'localhost'
      : isIP(host) === 6
        ? `[${host}]`
        : host;
  return new URL(`${scheme}://${name}:${port}`).origin;
}
