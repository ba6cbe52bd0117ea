import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import { json as readJson, text as readText } from 'node:stream/consumers';

/** One request, as a target sees it. */
export interface Received {
  readonly method: string;
  /** Without the query. */
  readonly path: string;
  readonly query: URLSearchParams;
  readonly headers: IncomingHttpHeaders;
  readonly cookies: ReadonlyMap<string, string>;
  /** What a `:name` of the route stood for. */
  readonly params: Readonly<Record<string, string>>;
  /** Parsed JSON, the fields of a form, or undefined where neither came. */
  readonly body: unknown;
}

export interface Answer {
  readonly status: number;
  /** Several values of a header, such as `set-cookie`, are an array. */
  readonly headers: Readonly<Record<string, string | readonly string[]>>;
  readonly body: string;
}

export interface Target {
  /** `http://localhost:PORT`, without a slash: an address is no RP ID, so the name is used. */
  readonly url: string;
  close(): Promise<void>;
}

export type Handle = (received: Received) => Answer | Promise<Answer>;
export type Listener = (request: IncomingMessage, response: ServerResponse) => void;

/** Listens on a free port of 127.0.0.1. The server is made when its address is known, since origins name the port. */
export async function listen(start: (url: string) => Listener | Promise<Listener>): Promise<Target> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('Expected a TCP address.');
  const url = `http://localhost:${address.port}`;
  server.on('request', await start(url));
  return {
    url,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** A target whose requests are read and whose answers are written here. */
export function serve(start: (url: string) => Handle | Promise<Handle>): Promise<Target> {
  return listen(async (url) => {
    const handle = await start(url);
    return (request, response) => void answer(handle, request, response);
  });
}

/** A table of routes: `'POST /users/:id'`. Anything else is a 404. */
export function routes(table: Readonly<Record<string, Handle>>): Handle {
  const entries = Object.entries(table).map(([route, handle]) => {
    const [method = '', path = ''] = route.split(' ');
    return { method, segments: path.split('/'), handle };
  });
  return async (received) => {
    const actual = received.path.split('/');
    for (const { method, segments, handle } of entries) {
      const params = method === received.method ? match(segments, actual) : undefined;
      if (params) return await handle({ ...received, params });
    }
    return json(404, { error: `There is no ${received.method} ${received.path}.` });
  };
}

export function json(status: number, body: unknown, headers: Answer['headers'] = {}): Answer {
  return { status, headers: { 'content-type': 'application/json; charset=utf-8', ...headers }, body: JSON.stringify(body) };
}

export function html(status: number, body: string, headers: Answer['headers'] = {}): Answer {
  return { status, headers: { 'content-type': 'text/html; charset=utf-8', ...headers }, body };
}

export function redirect(location: string, headers: Answer['headers'] = {}, status = 302): Answer {
  return { status, headers: { location, ...headers }, body: '' };
}

/** Text between tags or in a quoted attribute. */
export function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.codePointAt(0)};`);
}

export function cookie(name: string, value: string, attributes = 'Path=/; HttpOnly; SameSite=Lax'): string {
  return `${name}=${encodeURIComponent(value)}; ${attributes}`;
}

/** Makes a browser forget a cookie of path `/`. */
export function forget(name: string): string {
  return cookie(name, '', 'Path=/; Max-Age=0');
}

async function answer(handle: Handle, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { status, headers, body } = await answerTo(handle, request);
  for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
  response.writeHead(status).end(body);
}

async function answerTo(handle: Handle, request: IncomingMessage): Promise<Answer> {
  let received: Received;
  try {
    received = await receive(request);
  } catch {
    return json(400, { error: 'The request cannot be read.' });
  }
  try {
    return await handle(received);
  } catch (error) {
    if (error instanceof URIError) return json(400, { error: 'The path cannot be read.' });
    return json(500, { error: `The server failed: ${String(error)}` });
  }
}

async function receive(request: IncomingMessage): Promise<Received> {
  const { pathname, searchParams } = new URL(request.url ?? '/', 'http://localhost');
  const { method = 'GET', headers } = request;
  return {
    method,
    path: pathname,
    query: searchParams,
    headers,
    cookies: cookiesOf(headers.cookie),
    params: {},
    body: await bodyOf(request),
  };
}

async function bodyOf(request: IncomingMessage): Promise<unknown> {
  const type = request.headers['content-type']?.split(';')[0]?.trim();
  if (type === 'application/json') return await readJson(request);
  const sent = await readText(request);
  return type === 'application/x-www-form-urlencoded' ? Object.fromEntries(new URLSearchParams(sent)) : undefined;
}

function cookiesOf(header = ''): Map<string, string> {
  const pairs = header.split(';').filter((pair) => pair.includes('='));
  return new Map(
    pairs.map((pair): [string, string] => {
      const at = pair.indexOf('=');
      return [pair.slice(0, at).trim(), decodeURIComponent(pair.slice(at + 1).trim())];
    }),
  );
}

function match(segments: readonly string[], actual: readonly string[]): Record<string, string> | undefined {
  if (segments.length !== actual.length) return undefined;
  const params: Record<string, string> = {};
  for (const [index, segment] of segments.entries()) {
    const value = actual[index] ?? '';
    if (segment.startsWith(':')) params[segment.slice(1)] = decodeURIComponent(value);
    else if (segment !== value) return undefined;
  }
  return params;
}
