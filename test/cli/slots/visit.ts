import { type IncomingMessage, request } from 'node:http';
import { request as requestSecurely } from 'node:https';
import { text } from 'node:stream/consumers';
import { createAuthenticator } from '../../../src/authenticator/authenticator.js';
import { createClient } from '../../../src/client/client.js';

interface Asked {
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

interface Visited {
  readonly url: string;
  /** Of its user. */
  readonly token: string | undefined;
  /** Lets time pass at the server. */
  advance(milliseconds: number): void;
}

/** Headers that say something about the server, and not about the moment. */
const SAID = ['access-control-allow-origin', 'ratelimit-limit', 'set-cookie', 'location'];
const TOP = 'https://top.example';

/** An empty object for what is no JSON. */
function parse(got: string) {
  try {
    return JSON.parse(got);
  } catch {
    return {};
  }
}

/** Asks a server for all that its flags change. @returns what it answered, in order. */
export async function visit({ url, token, advance }: Visited): Promise<string> {
  const heard: string[] = [];
  async function ask(path: string, { body, headers = {} }: Asked = {}) {
    const send = url.startsWith('https:') ? requestSecurely : request;
    const sent = { ...(body !== undefined && { 'content-type': 'application/json' }), ...headers };
    const method = body === undefined ? 'GET' : 'POST';
    const answer = await new Promise<IncomingMessage>((resolve, reject) => {
      const asking = send(`${url}${path}`, { method, headers: sent, rejectUnauthorized: false, agent: false }, resolve);
      asking.on('error', reject).end(body === undefined ? undefined : JSON.stringify(body));
    });
    const got = await text(answer);
    const isPage = String(answer.headers['content-type']).includes('html');
    const said = SAID.flatMap((name) => (answer.headers[name] === undefined ? [] : [`${name}: ${String(answer.headers[name])}`]));
    heard.push(`${method} ${path} ${answer.statusCode}`, ...said, isPage ? got.slice(0, 300) : got);
    return parse(got);
  }

  const bearer = { authorization: `Bearer ${token}` };
  const authenticator = createAuthenticator({ attestation: 'packed' });
  const client = createClient({ authenticator, origin: url });
  const framed = createClient({ authenticator, origin: url, topOrigin: TOP });
  const answered = (making: Promise<unknown>) => making.catch((error: unknown) => ({ refused: String(error) }));

  for (const path of ['/', '/dev', '/dev/state', '/.well-known/webauthn', '/healthz']) await ask(path);
  await ask('/healthz', { headers: { host: 'passkeys.test' } });
  await ask('/api/passkeys/login/options', { body: {}, headers: { origin: 'https://shop.example' } });
  await ask('/dev/sign-in', { body: { email: 'dev@example.com' } });
  await ask('/dev/sign-in', { body: { email: 'dev@example.com' }, headers: { 'x-forwarded-for': '203.0.113.9' } });
  await ask('/attestation/options', { body: { username: 'fido', displayName: 'Fido' } });
  await ask('/api/passkeys/login/options', { body: { app_url: url, more: 'x'.repeat(2000) } });

  const begin = () => ask('/api/passkeys/register/options', { body: { app_name: 'Shop', app_url: url }, headers: bearer });
  const options = await begin();
  await ask('/dev/answer', { body: { options } });
  advance(90_000);
  const registered = await answered(client.create({ publicKey: options }));
  await ask('/api/passkeys/register', { body: { label: 'Phone', ...Object(registered) }, headers: bearer });
  await begin();
  const logIn = async (by: typeof client) => {
    const publicKey = await ask('/api/passkeys/login/options', { body: { app_url: url } });
    await ask('/api/passkeys/login', { body: await answered(by.get({ publicKey })) });
  };
  await logIn(framed);
  await logIn(client);
  const [, cookie = ''] = /set-cookie: ([^;]+)/.exec(heard.toReversed().find((line) => line.startsWith('set-cookie')) ?? '') ?? [];
  advance(2 * 3_600_000);
  await ask('/api/session', { headers: { cookie } });
  return heard.join('\n');
}
