import type { InjectOptions } from 'fastify';
import { createAuthenticator } from '../../src/authenticator/authenticator.js';
import { type Client, createClient } from '../../src/client/client.js';
import { decodeUtf8 } from '../../src/kernel/bytes.js';
import { asObject } from '../../src/kernel/json-value.js';
import { decodeBase64, encodeBase64url } from '../../src/webauthn/base64url.js';
import type { RegistrationResponseJSON } from '../../src/webauthn/json.js';
import { APP_ORIGIN, APP_URL, RP_ID, type Service } from '../server/app.js';
import { changedInside } from './corpus.js';
import { mutateJson, ODD_VALUES } from './json-tree.js';
import { makeAttestationObject, makeBytes, makeCbor, makeDer, makeJson } from './makers.js';
import { mutateBytes } from './mutate-bytes.js';
import type { Random } from './random.js';

/** A request before it is sent: what a well-behaved client would send, or that changed. */
export interface FuzzedRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: unknown;
  /** Instead of the body as JSON. */
  readonly payload?: Buffer;
}

/** One client's life with one server: what it has registered and received, for the requests that follow. */
export interface Episode {
  readonly service: Service;
  /** The browser and authenticator of every credential, by its ID in base64url: one for each, or `excludeCredentials` would refuse. */
  readonly clients: Map<string, Client>;
  readonly credentials: string[];
  readonly passkeys: number[];
  readonly cookies: string[];
}

type Maker = (episode: Episode, random: Random) => Promise<FuzzedRequest>;

const post = (url: string, body: unknown, headers: Readonly<Record<string, string>> = {}): FuzzedRequest => ({
  method: 'POST',
  url,
  headers,
  ...(body === undefined ? {} : { body }),
});
const bearer = ({ service }: Episode) => ({ authorization: `Bearer ${service.token}` });
const credentialOf = ({ credentials }: Episode, random: Random) => (credentials.length === 0 ? 'AAAA' : random.pick(credentials));
/** A bearer token, a session, or nothing. */
const someAccess = (episode: Episode, random: Random): Readonly<Record<string, string>> =>
  random.oneIn(3) && episode.cookies.length > 0 ? { cookie: random.pick(episode.cookies) } : random.oneIn(6) ? {} : bearer(episode);

/** Every route of the API, and how a client calls it rightly. */
const RIGHT: Readonly<Record<string, Maker>> = {
  registerOptions: async (episode) => post('/api/passkeys/register/options', { app_name: 'App', app_url: APP_URL }, bearer(episode)),
  register: async (episode) => post('/api/passkeys/register', { label: 'Key', ...(await attestation(episode)) }, bearer(episode)),
  verifyOptions: async (episode, random) => post('/api/passkeys/verify/options', { credential_id: credentialOf(episode, random) }),
  verify: async (episode, random) => post('/api/passkeys/verify', await assertion(episode, random)),
  login: async (episode, random) => post('/api/passkeys/login', await assertion(episode, random)),
  loginOptions: async (_, random) => post('/api/passkeys/login/options', random.pick([undefined, {}, { app_url: APP_URL }])),
  list: async (episode, random) => ({ method: 'GET', url: '/api/passkeys', headers: someAccess(episode, random) }),
  rename: async (episode, random) => ({
    ...onPasskey('PATCH', episode, random),
    body: { label: random.pick(['Phone', 'x'.repeat(255), '🔑']) },
  }),
  revoke: async (episode, random) => onPasskey('DELETE', episode, random),
  session: async (episode, random) => ({ method: 'GET', url: '/api/session', headers: someAccess(episode, random) }),
  signOut: async (episode, random) => ({ method: 'DELETE', url: '/api/session', headers: someAccess(episode, random) }),
  health: async () => ({ method: 'GET', url: '/healthz', headers: {} }),
  description: async () => ({ method: 'GET', url: '/openapi.json', headers: {} }),
  devState: async () => ({ method: 'GET', url: '/dev/state', headers: {} }),
  devSignIn: async (_, random) => post('/dev/sign-in', random.pick([{}, { email: 'a@b.example' }, { email: 'ada@example.com' }])),
  devPasskeys: async (episode) => ({ method: 'GET', url: '/dev/passkeys', headers: bearer(episode) }),
  devRestore: async (episode, random) => post(`/dev/passkeys/${somePasskey(episode, random)}/restore`, {}, bearer(episode)),
  devRegisterOptions: async (episode) => post('/dev/register/options', { app_name: 'A', app_url: APP_URL, options: {} }, bearer(episode)),
  devLoginOptions: async (episode) => post('/dev/login/options', { app_url: APP_URL, options: {} }, bearer(episode)),
  fidoOptions: async () => post('/attestation/options', { username: 'ada', displayName: 'Ada' }),
  fidoAssertion: async () => post('/assertion/options', { username: 'ada' }),
  fidoResult: async (episode) => post('/attestation/result', await attestation(episode)),
};

function onPasskey(method: string, episode: Episode, random: Random): FuzzedRequest {
  return { method, url: `/api/passkeys/${somePasskey(episode, random)}`, headers: someAccess(episode, random) };
}

function somePasskey({ passkeys }: Episode, random: Random): string {
  return passkeys.length === 0 || random.oneIn(4)
    ? random.pick(['0', '1', '99', '-1', 'x', '1.5', '9'.repeat(20), '%00'])
    : `${random.pick(passkeys)}`;
}

const OWN_OPTIONS = {
  rp: { id: RP_ID, name: 'App' },
  user: { id: 'MQ', name: 'ada@example.com', displayName: 'Ada' },
  challenge: 'A'.repeat(43),
  pubKeyCredParams: [{ type: 'public-key', alg: -7 }],
} as const;

async function attestation({ service, clients }: Episode): Promise<RegistrationResponseJSON> {
  const reply = await service.post('/api/passkeys/register/options', { app_name: 'App', app_url: APP_URL });
  const client = createClient({ authenticator: createAuthenticator(), origin: APP_ORIGIN });
  // Past the rate of registrations there are no options, and the response names a challenge that nobody gave.
  const response = await client.create({ publicKey: reply.statusCode === 200 ? reply.json() : OWN_OPTIONS });
  clients.set(response.id, client);
  return response;
}

async function assertion(episode: Episode, random: Random): Promise<unknown> {
  const id = credentialOf(episode, random);
  const client = episode.clients.get(Buffer.from(id, 'base64').toString('base64url'));
  const reply = await episode.service.post('/api/passkeys/verify/options', { credential_id: id }, { token: null });
  // Revoked in the meantime, or none yet.
  if (client === undefined || reply.statusCode !== 200) return {};
  return client.get({ publicKey: { rpId: RP_ID, ...reply.json() } });
}

/** What reads bytes from outside, and so gets half of the requests. */
const CEREMONIES = [RIGHT['register'], RIGHT['verify'], RIGHT['login']].filter((maker) => maker !== undefined);

/** A request that a good client sends, and in most cases one to three things wrong with it. */
export async function makeRequest(episode: Episode, random: Random): Promise<FuzzedRequest> {
  let request = await (random.oneIn(2) ? random.pick(CEREMONIES) : random.pick(Object.values(RIGHT)))(episode, random);
  if (random.oneIn(4)) return request;
  // First, while its structures are whole.
  if (random.oneIn(2)) request = changeResponse(request, random);
  for (let left = random.small(3); left > 0; left -= 1) request = random.pick(CHANGES)(request, random);
  return request;
}

const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'QUERY', 'PROPFIND'] as const;
const TYPES = [
  '',
  'text/plain',
  'application/json; charset=utf-16',
  'application/JSON',
  'application/problem+json',
  'x',
  '*/*',
  'application/json, x',
];
const TOKENS = ['', 'Bearer', 'Bearer ', 'Bearer x', 'Basic YTpi', `Bearer ${'x'.repeat(5_000)}`, 'bearer é', 'Bearer a b'];
const ORIGINS = ['null', 'https://app.example.com', 'http://localhost:7277', 'https://evil.example', 'x', ''];
const HOSTS = ['localhost:7277', 'evil.example', '127.0.0.1', '[::1]:7277', '', 'localhost:99999', 'a b'];
const PATHS = [
  '/',
  '/api',
  '/api/',
  '/api/passkeys/',
  '//api/passkeys',
  '/api/passkeys/1/2',
  '/api/%2e%2e/healthz',
  '/%zz',
  '/%00',
  `/${'x'.repeat(3_000)}`,
];

const inside = (random: Random) => (text: string) => changedInside(text, (bytes) => mutateBytes(bytes, random, bytes));

const changeBody = (request: FuzzedRequest, random: Random): FuzzedRequest => ({
  ...request,
  body: random.oneIn(12) ? random.pick(ODD_VALUES) : mutateJson(request.body ?? {}, random, inside(random)),
});
/** One of the structures of a response, changed as its format would notice. */
const changeResponse = (request: FuzzedRequest, random: Random): FuzzedRequest => {
  const response = asObject(asObject(request.body)['response']);
  const names = Object.keys(response).filter((each) => Object.hasOwn(STRUCTURES, each));
  if (names.length === 0) return changeBody(request, random);
  const name = random.pick(names);
  const bytes = decodeBase64(String(response[name]))?.bytes;
  const make = STRUCTURES[name];
  if (bytes === undefined || make === undefined) return request;
  return { ...request, body: { ...asObject(request.body), response: { ...response, [name]: encodeBase64url(make(random, bytes)) } } };
};
const STRUCTURES: Readonly<Record<string, (random: Random, bytes: Uint8Array) => Uint8Array>> = {
  attestationObject: (random, bytes) => (random.oneIn(3) ? makeAttestationObject(random) : makeCbor(random, [bytes])),
  authenticatorData: (random, bytes) => makeBytes(random, [bytes]),
  clientDataJSON: (random, bytes) => makeJson(random, [JSON.parse(decodeUtf8(bytes))]),
  signature: (random, bytes) => makeDer(random, [bytes]),
};
const header = (name: string, values: readonly string[]) => (request: FuzzedRequest, random: Random) => ({
  ...request,
  headers: { ...request.headers, [name]: random.pick(values) },
});

const CHANGES: readonly ((request: FuzzedRequest, random: Random) => FuzzedRequest)[] = [
  changeBody,
  changeBody,
  changeBody,
  changeBody,
  (request, random) => ({ ...request, method: random.pick(METHODS) }),
  (request, random) => ({
    ...request,
    url: random.oneIn(2) ? random.pick(PATHS) : `${request.url}${random.pick(['/', '?', '?a=%zz', '?__proto__[x]=1', '%00'])}`,
  }),
  (request, random) => {
    const text = Buffer.from(JSON.stringify(request.body ?? {}));
    return { ...request, payload: Buffer.from(mutateBytes(text, random, text)) };
  },
  (request, random) => ({
    ...request,
    payload: Buffer.from(random.pick(['', ' ', '\ufeff', '[', `${'['.repeat(5_000)}`, `{"id":"${'A'.repeat(70_000)}"}`])),
  }),
  header('content-type', TYPES),
  header('authorization', TOKENS),
  header('origin', ORIGINS),
  header('host', HOSTS),
  header('cookie', ['passkey_session=x', 'passkey_session_7277=%zz', '=;;=', `a=${'b'.repeat(4_000)}`, '__proto__=1']),
  header('x-forwarded-for', ['1.2.3.4', '::1', 'x', '1.2.3.4, 5.6.7.8']),
  header('content-encoding', ['gzip', 'identity', 'br']),
  header('x-request-id', ['a', 'x'.repeat(100), '{}']),
  header('access-control-request-method', ['POST', 'DELETE', 'x']),
];

export function toInject({ method, url, headers, body, payload }: FuzzedRequest): InjectOptions {
  const sent = payload ?? (body === undefined ? undefined : Buffer.from(JSON.stringify(body)));
  return {
    // `inject` takes every method; its type lists the usual ones.
    method: method as 'GET',
    url,
    headers: { ...(sent === undefined ? {} : { 'content-type': 'application/json' }), ...headers },
    ...(sent === undefined ? {} : { payload: sent }),
  };
}
