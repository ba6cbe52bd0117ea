import { type ClientRequest, type IncomingMessage, request as overHttp, STATUS_CODES } from 'node:http';
import { request as overHttps } from 'node:https';
import { type Duplex, pipeline } from 'node:stream';
import { PasskeyError } from '../../errors.js';
import type { FrontEnd } from '../allowed-methods.js';
import { keepEndToEnd } from '../message-fields.js';
import type { App } from '../options.js';
import { isAllowedHost } from '../origins.js';
import type { ServerSettings } from '../settings.js';
import { hasOwnToken, setsOwnCookie, withoutOwnCookies } from './credentials.js';

type Fields = Record<string, string | string[]>;

/**
 * Forwards requests to a front end's dev server and keeps their Host field. Also forwards the WebSockets through which the dev server
 * reloads the page.
 */
export function forwardTo(app: App, target: URL, settings: ServerSettings): FrontEnd {
  const send = ({ method, url: path }: IncomingMessage, headers: Fields): ClientRequest =>
    (target.protocol === 'https:' ? overHttps : overHttp)(target, { method, path, headers });

  return {
    async answer({ raw: incoming, log }, reply) {
      const answer = await ask(incoming, reply.raw).catch((cause: unknown) => {
        const error = explain(cause, target);
        log.warn(error.message);
        throw error;
      });
      reply.hijack();
      reply.raw.writeHead(answer.status, answer.fields);
      pipeline(answer.body, reply.raw, () => undefined);
      return reply;
    },
    takeWebSockets: (isOwn) => forwardWebSockets(app, settings, { isOwn, send }),
  };

  async function ask(incoming: IncomingMessage, closing: NodeJS.EventEmitter) {
    const upstream = send(incoming, requestFields(incoming));
    const answered = new Promise<IncomingMessage>((resolve, reject) => {
      upstream.once('response', resolve).on('error', reject);
      upstream.once('upgrade', (_answer, socket) => {
        socket.destroy();
        reject(new Unsendable('switches protocols (101) without being asked to'));
      });
    });
    closing.once('close', () => upstream.destroy());
    // `pipeline` would also destroy the request when the dev server goes away. The client still gets a response.
    incoming.pipe(upstream);
    const body = await answered;
    try {
      return { body, ...answerHead(body) };
    } catch (cause) {
      upstream.destroy();
      throw cause;
    }
  }
}

/**
 * Error for a response of the dev server that this server cannot pass on. Its message is the end of a sentence that begins with "The dev
 * server of --app, ORIGIN, …".
 */
class Unsendable extends Error {
  override readonly name = 'Unsendable';
}

function explain(cause: unknown, { origin }: URL): PasskeyError {
  const code = cause instanceof Error && 'code' in cause ? String(cause.code) : '';
  if (cause instanceof Unsendable) {
    return new PasskeyError('target_unreachable', `The dev server of --app, ${origin}, ${cause.message}. Look at its log.`, { cause });
  }
  const message =
    code === 'ECONNREFUSED' || code === 'ENOTFOUND' || code === 'EAI_AGAIN'
      ? `No server responds at ${origin}. Start the dev server of --app, then reload.`
      : `The dev server of --app, ${origin}, sends no readable response${code === '' ? '' : ` (${code})`}. Look at its log.`;
  return new PasskeyError('target_unreachable', message, { cause });
}

/**
 * Makes the header fields for the dev server: those of the request, except fields that concern the connection, and our own cookies and
 * tokens.
 */
function requestFields({ headers }: IncomingMessage): Fields {
  const fields: Fields = {};
  for (const [name, value] of keepEndToEnd(Object.entries(headers), headers.connection)) {
    const kept = name === 'cookie' && typeof value === 'string' ? withoutOwnCookies(value) : value;
    const isSecret = name === 'authorization' && typeof value === 'string' && hasOwnToken(value);
    if (kept !== undefined && !isSecret) fields[name] = kept;
  }
  // Node sends the body of some methods without any framing unless it is told.
  if (headers['transfer-encoding'] !== undefined) fields['transfer-encoding'] = 'chunked';
  else if (headers['content-length'] !== undefined) fields['content-length'] = headers['content-length'];
  return fields;
}

/** Reads status and header fields of the dev server's response. @throws Unsendable */
function answerHead({ statusCode = 0, headers }: IncomingMessage): { readonly status: number; readonly fields: Fields } {
  if (statusCode < 200 || statusCode > 999) throw new Unsendable(`responds with the status ${statusCode}, which HTTP does not have`);
  const { 'transfer-encoding': coding = 'chunked', 'content-length': length } = headers;
  // Node has undone the chunks, and nothing else.
  if (coding.toLowerCase() !== 'chunked') throw new Unsendable(`responds in the transfer coding "${coding.slice(0, 40)}"`);
  const fields: Fields = {};
  for (const [name, value] of keepEndToEnd(Object.entries(headers), headers.connection)) {
    if (value === undefined) continue;
    const kept = name === 'set-cookie' ? [value].flat().filter((cookie) => !setsOwnCookie(cookie)) : value;
    if (kept.length > 0) fields[name] = kept;
  }
  if (length !== undefined && headers['transfer-encoding'] === undefined && statusCode !== 204) fields['content-length'] = length;
  return { status: statusCode, fields };
}

interface Forwarding {
  readonly isOwn: (path: string) => boolean;
  readonly send: (incoming: IncomingMessage, headers: Fields) => ClientRequest;
}

/** Forwards WebSockets. Fastify's hooks do not run for them, so this function checks the host itself. */
function forwardWebSockets(app: App, settings: ServerSettings, { isOwn, send }: Forwarding): void {
  const open = new Set<Duplex>();
  app.addHook('preClose', async () => {
    for (const socket of open) socket.destroy();
  });
  app.server.on('upgrade', (incoming: IncomingMessage, socket: Duplex, first: Buffer) => {
    const end = () => void socket.destroy();
    socket.on('error', end);
    const { headers, url = '' } = incoming;
    const isWebSocket = headers.upgrade?.trim().toLowerCase() === 'websocket';
    if (!isWebSocket || isOwn(url.split('?')[0] ?? '')) return readAgain(app, { incoming, socket, first });
    if (!isAllowedHost(headers.host, settings)) return end();
    open.add(socket);
    const upstream = send(incoming, { ...requestFields(incoming), connection: 'Upgrade', upgrade: 'websocket' });
    upstream.on('error', () => refuse(502));
    upstream.on('response', (answer) => {
      refuse(answer.statusCode ?? 0);
      upstream.destroy();
    });
    socket.once('close', () => {
      open.delete(socket);
      upstream.destroy();
    });
    upstream.on('upgrade', (answer: IncomingMessage, other: Duplex, firstBack: Buffer) => {
      socket.write(
        `HTTP/1.1 101 Switching Protocols\r\n${rawFields(answer, ({ name, value }) => name !== 'set-cookie' || !setsOwnCookie(value))}\r\n`,
      );
      socket.write(firstBack);
      other.write(first);
      pipeline(socket, other, end);
      pipeline(other, socket, end);
    });
    upstream.end();

    function refuse(status: number): void {
      const known = STATUS_CODES[status] === undefined ? 502 : status;
      socket.end(`HTTP/1.1 ${known} ${STATUS_CODES[known]}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`, end);
    }
  });
}

/** Formats the header fields of a message in the form in which they were received, one on each line. */
function rawFields({ rawHeaders }: IncomingMessage, keeps: (field: { readonly name: string; readonly value: string }) => boolean): string {
  let text = '';
  for (let at = 0; at + 1 < rawHeaders.length; at += 2) {
    const [name = '', value = ''] = rawHeaders.slice(at, at + 2);
    if (keeps({ name: name.toLowerCase(), value })) text += `${name}: ${value}\r\n`;
  }
  return text;
}

/**
 * Handles a request as if it did not ask for an upgrade. A server may ignore such a request for an upgrade (RFC 9110 §7.8). Node does the
 * same if no listener for upgrades exists.
 */
function readAgain(
  app: App,
  { incoming, socket, first }: { readonly incoming: IncomingMessage; readonly socket: Duplex; readonly first: Buffer },
): void {
  const { method, url, httpVersion } = incoming;
  const head = `${method} ${url} HTTP/${httpVersion}\r\n${rawFields(incoming, ({ name }) => name !== 'upgrade')}\r\n`;
  socket.unshift(Buffer.concat([Buffer.from(head, 'latin1'), first]));
  app.server.emit('connection', socket);
}
