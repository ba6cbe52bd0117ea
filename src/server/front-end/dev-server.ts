import { type IncomingMessage, request as overHttp } from 'node:http';
import { request as overHttps } from 'node:https';
import { type Duplex, pipeline } from 'node:stream';
import { PasskeyError } from '../../errors.js';
import type { FrontEnd } from '../allowed-methods.js';
import type { App } from '../options.js';
import { isAllowedHost } from '../origins.js';
import type { ServerSettings } from '../settings.js';

/** Hands requests to a dev server as they came, the Host field included, and its WebSockets, by which it reloads the page. */
export function forwardTo(app: App, target: URL, settings: ServerSettings): FrontEnd {
  const forward = ({ method, url: path, headers }: IncomingMessage) =>
    (target.protocol === 'https:' ? overHttps : overHttp)(target, { method, path, headers });
  forwardWebSockets(app, settings, forward);

  return async ({ raw: incoming }, reply) => {
    const upstream = forward(incoming);
    const answered = new Promise<IncomingMessage>((resolve, reject) => {
      upstream.once('response', resolve).on('error', reject);
    });
    reply.raw.once('close', () => upstream.destroy());
    incoming.pipe(upstream);
    const answer = await answered.catch((cause: unknown) => {
      throw new PasskeyError('target_unreachable', `Nothing answers at ${target.origin}. Start the dev server of --app, then reload.`, {
        cause,
      });
    });
    reply.hijack();
    reply.raw.writeHead(answer.statusCode ?? 502, answer.headers);
    pipeline(answer, reply.raw, () => undefined);
    return reply;
  };
}

/** The hooks of the server do not run for these, so the host is checked here. */
function forwardWebSockets(app: App, settings: ServerSettings, forward: (incoming: IncomingMessage) => ReturnType<typeof overHttp>): void {
  const open = new Set<Duplex>();
  app.addHook('preClose', async () => {
    for (const socket of open) socket.destroy();
  });
  app.server.on('upgrade', (incoming: IncomingMessage, socket: Duplex, first: Buffer) => {
    const end = () => void socket.destroy();
    socket.on('error', end);
    if (!isAllowedHost(incoming.headers.host, settings)) return end();
    open.add(socket);
    const upstream = forward(incoming).on('error', end).on('response', end);
    socket.once('close', () => {
      open.delete(socket);
      upstream.destroy();
    });
    upstream.on('upgrade', ({ rawHeaders }: IncomingMessage, other: Duplex, firstBack: Buffer) => {
      const fields = rawHeaders.map((text, index) => (index % 2 === 0 ? `${text}: ` : `${text}\r\n`)).join('');
      socket.write(`HTTP/1.1 101 Switching Protocols\r\n${fields}\r\n`);
      socket.write(firstBack);
      other.write(first);
      pipeline(socket, other, end);
      pipeline(other, socket, end);
    });
    upstream.end();
  });
}
