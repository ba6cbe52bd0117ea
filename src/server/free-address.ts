import { lookup } from 'node:dns/promises';
import { createServer, type Server } from 'node:net';
import { PasskeyError } from '../errors.js';

export interface ListenAddress {
  readonly host: string;
  readonly port: number;
}

/**
 * Where to listen: a port that is free on every address of a host, `port` itself or, for 0, any. `localhost` is two
 * addresses, and a browser takes either: another server there would get our users, so both must be free.
 * On a machine with only one of them, that one is returned.
 *
 * @throws PasskeyError `usage` naming `--port` or `--host`.
 */
export async function freeAddress({ host, port }: ListenAddress): Promise<ListenAddress> {
  const addresses = await lookup(host, { all: true }).catch((cause: unknown) => {
    throw new PasskeyError('usage', `--host expects a name or address of this machine; "${host}" cannot be resolved.`, { cause });
  });
  const held: { readonly server: Server; readonly address: string }[] = [];
  let chosen = port;
  let absent: unknown;
  try {
    for (const { address } of addresses) {
      try {
        const server = await hold(address, chosen);
        held.push({ server, address });
        chosen = portOf(server);
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
    throw listenFailure(error, { host, port });
  } finally {
    await Promise.all(held.map(({ server }) => new Promise((resolve) => server.close(resolve))));
  }
}

/** How often another port is tried where any will do. */
const TRIES = 10;

/**
 * Runs `use` with a free address. Between the look and the use another process may take the port: where any will do (0), another one is
 * tried; one that was named is not.
 */
export async function onFreeAddress<T>({ host, port }: ListenAddress, use: (address: ListenAddress) => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await use(await freeAddress({ host, port }));
    } catch (error) {
      if (port !== 0 || tries === TRIES || !isTaken(error)) throw error;
    }
  }
}

/** As `freeAddress` and `listen` report it. */
const isTaken = (error: unknown): boolean => error instanceof PasskeyError && codeOf(error.cause) === 'EADDRINUSE';

function hold(address: string, port: number): Promise<Server> {
  return new Promise((resolve, reject) => {
    // A connection would keep it from closing, and a reset would end the process.
    const server = createServer((socket) => void socket.destroy());
    server.once('error', reject);
    server.listen({ host: address, port, exclusive: true }, () => resolve(server));
  });
}

function portOf(server: Server): number {
  const address = server.address();
  return typeof address === 'object' && address !== null ? address.port : 0;
}

const codeOf = (error: unknown): unknown => (error instanceof Error && 'code' in error ? error.code : undefined);
const isAbsentAddress = (error: unknown): boolean => codeOf(error) === 'EADDRNOTAVAIL' || codeOf(error) === 'EAFNOSUPPORT';

/** What went wrong, in terms of flags; anything else stays as it is. */
function listenFailure(error: unknown, { host, port }: ListenAddress): unknown {
  const wrong = (message: string) => new PasskeyError('usage', message, { cause: error });
  if (isAbsentAddress(error)) return wrong(`--host expects an address of this machine; ${host} is not one.`);
  if (codeOf(error) === 'EADDRINUSE') {
    return wrong(`Port ${port} on ${host} is in use. Stop what listens there, or choose another with --port (0 picks a free one).`);
  }
  if (codeOf(error) === 'EACCES') return wrong(`Port ${port} needs more rights than this user has. Choose one above 1023 with --port.`);
  return error;
}
