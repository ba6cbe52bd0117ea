import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { startServer } from '../../../src/testing/start-server.js';

/** A shop with passkeys: a page that can be made wrong in many ways, before the server of `startServer`. */
export async function startShop(): Promise<AsyncDisposable & { readonly url: string }> {
  const api = await startServer({ users: ['ada@example.com'] });
  const html = await readFile(join(import.meta.dirname, 'shop.html'), 'utf8');
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const { method = 'GET', url = '/', headers } = request;
    const body = await text(request);
    const allowed = {
      'access-control-allow-origin': headers.origin ?? '*',
      'access-control-allow-headers': 'content-type',
      'access-control-allow-credentials': 'true',
    };
    if (url.startsWith('/?') || url === '/') {
      response.writeHead(200, { 'content-type': 'text/html' }).end(html.replace('OTHER_PORT', String(port(other))));
    } else if (!url.startsWith('/api/') || method === 'OPTIONS') {
      response.writeHead(204, allowed).end();
    } else {
      const {
        status,
        headers: answered,
        body: stream,
      } = await fetch(`${api.url}${url}`, {
        method,
        headers: { authorization: `Bearer ${api.tokens['ada@example.com']}`, 'content-type': 'application/json' },
        ...(body !== '' && { body }),
      });
      const type = answered.get('content-type') ?? 'text/plain';
      response.writeHead(status, { ...allowed, 'content-type': type, 'set-cookie': 'ceremony=1; HttpOnly; SameSite=Lax' });
      response.end(stream === null ? undefined : Buffer.from(await new Response(stream).arrayBuffer()));
    }
  };
  const listener = (request: IncomingMessage, response: ServerResponse) => void answer(request, response);
  const [shop, other] = [createServer(listener), createServer(listener)];
  const port = (server: typeof shop): number => (server.address() as AddressInfo).port;
  for (const server of [shop, other]) await once(server.listen(0, 'localhost'), 'listening');
  return {
    url: `http://localhost:${port(shop)}/`,
    async [Symbol.asyncDispose]() {
      for (const server of [shop, other]) {
        server.closeAllConnections();
        await new Promise((resolve) => server.close(resolve));
      }
      await api.stop();
    },
  };
}
