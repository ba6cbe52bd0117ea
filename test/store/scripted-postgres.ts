import { once } from 'node:events';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { type SecureContext, TLSSocket } from 'node:tls';
import { onTestFinished } from 'vitest';

/** A message of PostgreSQL's protocol: its type, its length, and its contents. */
export function message(type: string, ...parts: readonly (string | number)[]): Buffer {
  const body = Buffer.concat(
    parts.map((part) => {
      if (typeof part === 'string') return Buffer.from(part);
      const bytes = Buffer.alloc(4);
      bytes.writeInt32BE(part);
      return bytes;
    }),
  );
  const head = Buffer.alloc(5);
  head.write(type);
  head.writeInt32BE(4 + body.length, 1);
  return Buffer.concat([head, body]);
}

const READY = message('Z', 'I');
export const WELCOME = Buffer.concat([message('R', 0), READY]);

export const refusal = (code: string, text: string): Buffer => message('E', `SFATAL\0C${code}\0M${text}\0\0`);
const STOPPING = refusal('57P01', 'terminating connection due to administrator command');
/** Makes the client ready and ends its connection, in one chunk. */
export const READY_AND_GONE = Buffer.concat([WELCOME, STOPPING]);

export interface Scripted {
  readonly url: string;
  /** Resolves when the client has closed its first connection. */
  readonly closed: Promise<void>;
}

/** Listens, and answers each message with the next of these; with TLS after the first. Never closes a connection. */
export async function scriptedPostgres(
  answers: readonly Buffer[],
  { tls, host = '127.0.0.1' }: { readonly tls?: SecureContext; readonly host?: string } = {},
): Promise<Scripted> {
  let closed = () => {};
  const whenClosed = new Promise<void>((resolve) => {
    closed = resolve;
  });
  const server = createServer((socket) => {
    socket.on('close', closed);
    if (tls === undefined) return answerEach(socket, answers);
    socket.once('data', () => {
      socket.write('S');
      answerEach(new TLSSocket(socket, { isServer: true, secureContext: tls }), answers);
    });
  });
  return { url: `postgres://tester:secret@${host}:${await listen(server, host)}/passkeys`, closed: whenClosed };
}

function answerEach(socket: Socket, answers: readonly Buffer[]): void {
  let answered = 0;
  socket.on('error', () => undefined);
  socket.on('data', () => {
    const answer = answers[answered];
    answered += 1;
    if (answer) socket.write(answer);
  });
}

/** Stands between a PostgreSQL server and its clients. */
export interface Proxy {
  readonly url: string;
  /** Ends all connections, and the next ones in the packet that makes them ready. */
  endNext(number: number): void;
  /** Forwards nothing any more. */
  silence(): void;
  /** The texts of the statements that clients have sent since the last call. */
  takeStatements(): string[];
}

export async function proxyTo(url: string): Promise<Proxy> {
  const { hostname, port, username, password, pathname } = new URL(url);
  const clients = new Set<Socket>();
  let ending = 0;
  let isSilent = false;
  let statements: string[] = [];
  const server = createServer((client) => {
    clients.add(client);
    const record = statementReader((text) => statements.push(text));
    client.on('close', () => clients.delete(client));
    client.on('error', () => undefined);
    const upstream = connect(Number(port), hostname);
    upstream.on('error', () => client.destroy());
    upstream.on('close', () => client.destroy());
    client.on('close', () => upstream.destroy());
    client.on('data', (chunk) => {
      record(chunk);
      if (!isSilent) upstream.write(chunk);
    });
    let isReady = false;
    upstream.on('data', (chunk) => {
      if (isSilent) return;
      const makesReady = !isReady && chunk.subarray(-READY.length).equals(READY);
      isReady ||= makesReady;
      const isLast = makesReady && ending > 0;
      if (isLast) ending -= 1;
      client.write(isLast ? Buffer.concat([chunk, STOPPING]) : chunk);
    });
  });
  const at = await listen(server, '127.0.0.1');
  return {
    url: `postgres://${username}:${password}@127.0.0.1:${at}${pathname}`,
    endNext(number) {
      ending = number;
      for (const client of clients) client.destroy();
    },
    silence() {
      isSilent = true;
    },
    takeStatements() {
      const taken = statements;
      statements = [];
      return taken;
    },
  };
}

/**
 * Reads the statements that one client runs: after a start-up message without a type come Q with a text, and B (`portal\0name\0…`), which
 * runs what P (`name\0text\0…`) has prepared, be it long ago.
 */
function statementReader(onStatement: (text: string) => void): (chunk: Buffer) => void {
  let bytes = Buffer.alloc(0);
  let typed = 0;
  const prepared = new Map<string, string>();
  return (chunk) => {
    bytes = Buffer.concat([bytes, chunk]);
    while (bytes.length >= typed + 4 && bytes.length >= typed + bytes.readUInt32BE(typed)) {
      const end = typed + bytes.readUInt32BE(typed);
      const type = typed === 0 ? '' : String.fromCharCode(bytes[0] ?? 0);
      const texts = bytes
        .subarray(typed + 4, end)
        .toString()
        .split('\0');
      const [first = '', second = ''] = texts;
      if (type === 'Q') onStatement(first);
      if (type === 'P') prepared.set(first, second);
      if (type === 'B') onStatement(prepared.get(second) ?? '');
      bytes = bytes.subarray(end);
      typed = 1;
    }
  };
}

/** The port. Ends with the test. */
async function listen(server: Server, host: string): Promise<number> {
  const sockets = new Set<Socket>();
  server.on('connection', (socket) => sockets.add(socket));
  server.listen(0, host);
  await once(server, 'listening');
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  const address = server.address();
  if (address === null || typeof address === 'string') throw new TypeError('Expected a port.');
  return address.port;
}
