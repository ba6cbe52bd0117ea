import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { App } from './options.js';
import type { ServerSettings } from './settings.js';

/** How long a client may take to read a response, in milliseconds. */
const WRITE_TIMEOUT = 30_000;
/** Milliseconds between two checks whether clients are reading their responses. */
const LOOK_INTERVAL = 1_000;
/** Maximum number of bytes in all responses that are waiting for their clients to read them. */
const MAX_WAITING = 64 * 1024 * 1024;
/** Maximum number of requests on one connection that have no response yet. Browsers send one request at a time. */
const MAX_PIPELINED = 32;

/** A response that its client has not completely read yet. */
interface Answer {
  /** Length of the response body so far, in bytes. */
  bytes: number;
  /**
   * The time since which the client has read nothing, in milliseconds on the clock of `cutSlowReaders`. Undefined while the client is
   * reading.
   */
  waitsSince: number | undefined;
  /** Number of bytes that the connection had written at the last check. */
  written: number;
}

/**
 * Limits the open connections of a server. When there are too many connections, or too many bytes of responses wait to be read, it closes
 * the oldest connections, idle ones first. The next client is therefore served, however many connections another client holds.
 */
export interface ConnectionLimits {
  /** Lists the responses that a connection still awaits, in order. */
  openAnswers(socket: Socket): readonly ServerResponse[];
  /** Resolves when no request is under way. */
  drained(): Promise<void>;
  /** Closes each connection whose client has not read a response in time. `now` is in milliseconds, from a clock that never goes back. */
  cutSlowReaders(now: number): void;
}

export function limitConnections(app: App, { maxConnections }: Pick<ServerSettings, 'maxConnections'>): ConnectionLimits {
  /**
   * Connections without an open request, in order of arrival. `busy` holds the connections with open requests, also in order of arrival.
   */
  const idle = new Set<Socket>();
  const busy = new Map<Socket, Map<ServerResponse, Answer>>();
  let waiting = 0;
  let onDrained = () => {};
  const warnOfCount = warnOnce(() =>
    app.log.warn(
      `This server has as many open connections as it allows (${maxConnections}): it closes the oldest idle ones to make room. The limit depends on how many files this process may open (ulimit -n).`,
    ),
  );
  const warnOfBytes = warnOnce(() =>
    app.log.warn(
      `More than ${MAX_WAITING / 2 ** 20} MiB of responses are waiting for clients that do not read them: the connections that have waited longest are closed.`,
    ),
  );

  function forget(socket: Socket): void {
    idle.delete(socket);
    for (const { bytes } of busy.get(socket)?.values() ?? []) waiting -= bytes;
    if (busy.delete(socket) && busy.size === 0) onDrained();
    warnOfCount.unless(idle.size + busy.size >= Math.floor(0.75 * maxConnections));
    warnOfBytes.unless(waiting >= 0.75 * MAX_WAITING);
  }

  function close(socket: Socket): void {
    forget(socket);
    socket.destroy();
  }

  function begin({ socket }: IncomingMessage, response: ServerResponse): void {
    idle.delete(socket);
    if (socket.destroyed) return;
    const answers = busy.get(socket) ?? new Map<ServerResponse, Answer>();
    answers.set(response, { bytes: 0, waitsSince: undefined, written: 0 });
    if (answers.size > MAX_PIPELINED) {
      close(socket);
      return;
    }
    busy.set(socket, answers);
    response.once('close', () => end(socket, response));
  }

  function end(socket: Socket, response: ServerResponse): void {
    const answers = busy.get(socket);
    const answer = answers?.get(response);
    if (answers === undefined || answer === undefined) return;
    waiting -= answer.bytes;
    answers.delete(response);
    if (answers.size > 0) return;
    forget(socket);
    if (!socket.destroyed) idle.add(socket);
  }

  function count(response: ServerResponse, bytes: number): void {
    const answer = response.req.socket === null ? undefined : busy.get(response.req.socket)?.get(response);
    if (answer === undefined) return;
    answer.bytes += bytes;
    waiting += bytes;
    for (const [socket, answers] of busy) {
      if (waiting <= MAX_WAITING) return;
      if ([...answers.values()].some((each) => each.bytes > 0)) {
        warnOfBytes.now();
        close(socket);
      }
    }
  }

  // Registered before the listeners of Node and Fastify, which answer.
  app.server.prependListener('connection', (socket: Socket) => {
    // Node removes its own listener when a client asks for a tunnel; a reset would then end the process.
    socket.on('error', () => {});
    while (idle.size + busy.size >= maxConnections) {
      const [oldest] = idle.size > 0 ? idle : busy.keys();
      if (oldest === undefined) break;
      warnOfCount.now();
      close(oldest);
    }
    idle.add(socket);
    socket.once('close', () => forget(socket));
  });
  app.server.prependListener('request', begin);
  app.addHook('onSend', (_request, reply, payload, done) => {
    if (typeof payload === 'string' || Buffer.isBuffer(payload)) count(reply.raw, Buffer.byteLength(payload));
    done(null, payload);
  });

  function cutSlowReaders(now: number): void {
    for (const [socket, answers] of busy) {
      for (const [response, answer] of answers) {
        // A file or a front end's answer is handed over as it is read: it waits where nothing has been read for as long.
        const moves = !response.writableEnded && (!response.writableNeedDrain || answer.written !== socket.bytesWritten);
        answer.waitsSince = moves ? undefined : (answer.waitsSince ?? now);
        answer.written = socket.bytesWritten;
        if (answer.waitsSince !== undefined && now - answer.waitsSince >= WRITE_TIMEOUT) {
          close(socket);
          break;
        }
      }
    }
  }
  const looking = setInterval(() => cutSlowReaders(performance.now()), LOOK_INTERVAL).unref();
  app.addHook('onClose', async () => clearInterval(looking));

  return {
    cutSlowReaders,
    openAnswers: (socket) => [...(busy.get(socket)?.keys() ?? [])],
    drained: async () => {
      if (busy.size === 0) return;
      await new Promise<void>((resolve) => {
        onDrained = resolve;
      });
    },
  };
}

/** Makes a warning that is given once. It is given again only after its condition has been false in the meantime. */
function warnOnce(say: () => void): { now(): void; unless(stillTrue: boolean): void } {
  let said = false;
  return {
    now() {
      if (!said) say();
      said = true;
    },
    unless(stillTrue) {
      said &&= stillTrue;
    },
  };
}
