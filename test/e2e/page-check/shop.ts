import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { startServer } from '../../../src/testing/start-server.js';

interface Answer {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

const TYPES: Readonly<Record<string, string>> = { html: 'text/html', js: 'text/javascript' };
const WORKER = 'onfetch = (event) => event.respondWith(fetch(event.request)); onactivate = (event) => event.waitUntil(clients.claim());';

/**
 * A shop with passkeys, before the server of `startServer`: `/` is a page that can be made wrong in many ways, `/correct/…` are correct pages.
 *
 * @param home HTML of another page at `/`
 */
export async function startShop(home?: string): Promise<AsyncDisposable & { readonly url: string }> {
  const api = await startServer({ users: ['ada@example.com'] });
  const names = new Set<string | null>();

  const send = async (method: string, path: string, body: string): Promise<Answer> => {
    const response = await fetch(`${api.url}/api/passkeys${path}`, {
      method,
      headers: { authorization: `Bearer ${api.tokens['ada@example.com']}`, 'content-type': 'application/json' },
      ...(body !== '' && { body }),
    });
    const headers = {
      'content-type': response.headers.get('content-type') ?? 'text/plain',
      'set-cookie': 'ceremony=1; HttpOnly; SameSite=Lax',
    };
    return { status: response.status, headers, body: await response.text() };
  };

  /** One address for all requests, as GraphQL has. */
  const query = async (body: string): Promise<Answer> => {
    const { operationName, variables } = JSON.parse(body);
    const [, kind, options] = /^(register|login)(Options)?$/.exec(operationName) ?? [];
    if (kind === undefined) return { status: 200, body: '{"data":null}' };
    const { status, headers, body: data } = await send('POST', `/${kind}${options ? '/options' : ''}`, JSON.stringify(variables));
    return { status, ...(headers && { headers }), body: `{"data":${data}}` };
  };

  /** Takes the form of a page without scripts of its own, and leads back to it. */
  const submit = async (kind: string, body: string): Promise<Answer> => {
    const form = new URLSearchParams(body);
    const credential = form.get('credential') ?? '';
    const { status } = credential === '' ? { status: 400 } : await send('POST', `/${kind}`, credential);
    const error = kind === 'logout' || status < 300 ? '' : `?error=${encodeURIComponent(form.get('error') || String(status))}`;
    return { status: 303, headers: { location: `/correct/form.html${error}` } };
  };

  /** The routes of Auth.js that its client for passkeys uses. */
  const authenticate = async (
    path: string,
    search: string,
    { body, origin }: { readonly body: string; readonly origin: string },
  ): Promise<Answer> => {
    const type = { 'content-type': 'application/json' };
    if (path === 'csrf') return { status: 200, headers: type, body: '{"csrfToken":"of-a-test"}' };
    if (path === 'providers') {
      return { status: 200, headers: type, body: '{"passkey":{"id":"passkey","name":"Passkey","type":"webauthn"}}' };
    }
    if (path === 'webauthn-options/passkey') {
      const kind = new URLSearchParams(search).get('action') === 'register' ? 'register' : 'login';
      const asked = { app_url: origin, ...(kind === 'register' && { app_name: 'Shop' }) };
      const options = await send('POST', `/${kind}/options`, JSON.stringify(asked));
      return { ...options, body: `{"action":"${kind === 'register' ? kind : 'authenticate'}","options":${options.body}}` };
    }
    const form = new URLSearchParams(body);
    const { status } = await send('POST', form.get('action') === 'register' ? '/register' : '/login', form.get('data') ?? '');
    return {
      status: 200,
      headers: type,
      body: JSON.stringify({ url: `${origin}/${status < 300 ? '' : '?error=WebAuthnVerificationError'}` }),
    };
  };

  const answer = async (server: Server, { method = 'GET', url = '/', headers }: IncomingMessage, body: string): Promise<Answer> => {
    const { pathname: path, search } = new URL(url, 'http://localhost');
    if (path === '/' || path.startsWith('/correct/')) {
      const file = path === '/' ? 'shop.html' : `correct/${path.slice('/correct/'.length)}`;
      const content = path === '/' && home !== undefined ? home : await readFile(join(import.meta.dirname, file), 'utf8');
      const type = TYPES[file.split('.').at(-1) ?? ''] ?? 'text/plain';
      const ports = { SHOP_PORT: port(shop), OTHER_PORT: port(other) };
      return {
        status: 200,
        headers: { 'content-type': type },
        body: content.replaceAll(/SHOP_PORT|OTHER_PORT/g, (name) => String(Reflect.get(ports, name))),
      };
    }
    if (path === '/worker.js') return { status: 200, headers: { 'content-type': 'text/javascript' }, body: WORKER };
    if (path === '/account') {
      return { status: 200, headers: { 'content-type': 'text/html' }, body: '<!doctype html><title>Account</title>' };
    }
    if (path.startsWith('/api/auth/')) {
      return await authenticate(path.slice('/api/auth/'.length), search, { body, origin: `http://${headers.host}` });
    }
    if (path === '/graphql') return await query(body);
    if (path.startsWith('/form/')) return await submit(path.slice('/form/'.length), body);
    if (path === '/sign-up') {
      const { name } = JSON.parse(body);
      if (names.has(name)) return { status: 409, body: '{"error":"name_taken"}' };
      names.add(name);
      return { status: 200, body: '{}' };
    }
    if (!path.startsWith('/api/passkeys') || method === 'OPTIONS') return { status: 204 };
    const isVerification = /\/(register|login)$/.test(path);
    // At the other origin, the ceremony is found by a cookie, or by the token of the page.
    const hasSession = headers.authorization !== undefined || /\bceremony=1\b/.test(headers.cookie ?? '');
    if (server === other && isVerification && !hasSession) {
      return { status: 401, headers: { 'content-type': 'application/json' }, body: '{}' };
    }
    return await send(method, `${path.slice('/api/passkeys'.length)}${search}`, body);
  };

  const serve = async (server: Server, request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const { status, headers, body } = await answer(server, request, await text(request));
    response.writeHead(status, {
      'access-control-allow-origin': request.headers.origin ?? '*',
      'access-control-allow-headers': 'content-type, authorization',
      'access-control-allow-credentials': 'true',
      ...headers,
    });
    response.end(body);
  };
  const [shop, other] = [createServer(), createServer()];
  const port = (server: Server): number => (server.address() as AddressInfo).port;
  for (const server of [shop, other]) {
    server.on('request', (request, response) => void serve(server, request, response));
    await once(server.listen(0, 'localhost'), 'listening');
  }
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
