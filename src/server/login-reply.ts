import { validateHeaderValue } from 'node:http';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { userOf } from '../accounts/accounts.js';
import { runBuiltInAuthAction } from '../accounts/auth-actions.js';
import type { Owner } from '../accounts/ports.js';
import { PasskeyError } from '../errors.js';
import type { Passkey } from '../relying-party/credential-record.js';
import { passkeyBody } from '../relying-party/passkey-document.js';
import { formatTimestamp } from '../webauthn/wording.js';
import type { AppOptions } from './app-options.js';
import { type AuthActionInput, asAuthAction, type LoadedAuthAction } from './auth-action-module.js';
import { BEARER_CHALLENGE } from './error-handler.js';
import { setSessionCookie } from './session-cookie.js';

interface Login {
  readonly passkey: Passkey;
  readonly owner: Owner;
}

/** Answers an accepted login by the configured auth action. */
export async function answerLogin(
  reply: FastifyReply,
  { passkey, owner }: Login,
  { accounts, settings, now }: AppOptions,
): Promise<FastifyReply> {
  const { authAction, sessionTtl, tokenTtl } = settings;
  if (typeof authAction !== 'string') {
    return await answerByModule(reply, { passkey, owner }, authAction, settings.origin);
  }
  const grant = await runBuiltInAuthAction(authAction, { accounts, owner, passkeyId: passkey.id, now: now(), sessionTtl, tokenTtl });
  const user = userOf(owner);
  if (grant.kind === 'session') {
    setSessionCookie(reply, { secret: grant.secret, maxAge: sessionTtl, settings });
    return reply.send({ user });
  }
  const end = grant.expiresAt === undefined ? {} : { expires_at: formatTimestamp(grant.expiresAt) };
  return reply.send({ user, token: grant.secret, ...end });
}

/** The client is told nothing of it; the log names the module and what it did. */
type Fail = (what: string, cause?: unknown) => PasskeyError;

async function answerByModule(
  reply: FastifyReply,
  { passkey, owner }: Login,
  action: LoadedAuthAction,
  origin: string,
): Promise<FastifyReply> {
  const { id, type, name, email } = owner;
  const failed: Fail = (what, cause) =>
    new PasskeyError('internal_error', '', {
      cause: new Error(`The auth action ${action.name} ${what}.`, cause === undefined ? {} : { cause }),
    });
  const input = { passkey: passkeyBody(passkey), owner: { id, type, name, email }, request: toWebRequest(reply.request, origin) };
  // Sending is our own work again, and so are its failures.
  const { status, headers, body } = await asAuthAction(action, () => runModule(action, input, failed));
  return reply.code(status).headers(headers).send(body);
}

/** Has read everything that is the module's: what is left is plain data. */
interface ModuleAnswer {
  readonly status: number;
  readonly headers: Record<string, string | string[]>;
  readonly body: string | Buffer | undefined;
}

async function runModule(action: LoadedAuthAction, input: AuthActionInput, failed: Fail): Promise<ModuleAnswer> {
  let answer: unknown;
  try {
    answer = await action.run(input);
  } catch (cause) {
    throw failed('threw', cause);
  }
  if (isResponse(answer)) {
    return await readResponse(answer, failed);
  }
  if (typeof answer !== 'object' || answer === null || answer instanceof Error) {
    const what = answer instanceof Error ? 'an Error' : answer === null ? 'null' : typeof answer;
    throw failed(`has to return an object or a Response; it returned ${what}`);
  }
  return { status: 200, headers: { 'content-type': 'application/json; charset=utf-8' }, body: serialize(answer, failed) };
}

function serialize(answer: object, failed: Fail): string {
  let body: string | undefined;
  try {
    body = JSON.stringify(answer);
  } catch (cause) {
    throw failed('returned an object that is no JSON', cause);
  }
  if (body === undefined) {
    throw failed('returned an object that is no JSON');
  }
  return body;
}

function toWebRequest(request: FastifyRequest, origin: string): Request {
  const headers = new Headers();
  for (const [name, value] of Object.entries(request.headers)) {
    // Those of the connection are not the message's, and `Request` counts its own body.
    if (value !== undefined && !HOP_HEADERS.has(name)) {
      for (const each of [value].flat()) {
        headers.append(name, each);
      }
    }
  }
  // The target may be in absolute form and name any host; only its path is believed.
  const { pathname, search } = new URL(request.url, origin);
  return new Request(new URL(`${pathname}${search}`, origin), { method: request.method, headers, body: JSON.stringify(request.body) });
}

const HOP_HEADERS = new Set(['connection', 'content-length', 'keep-alive', 'transfer-encoding', 'upgrade', 'expect', 'te', 'trailer']);

/** Also takes the `Response` of another realm or of a copy of undici. */
function isResponse(value: unknown): value is Response {
  return value instanceof Response || Object.prototype.toString.call(value) === '[object Response]';
}

async function readResponse(response: Response, failed: Fail): Promise<ModuleAnswer> {
  const { status } = response;
  const headers = headersOf(response, failed);
  if (status === 401) {
    // RFC 9110 §15.5.2: a 401 says how to authenticate.
    headers['www-authenticate'] ??= BEARER_CHALLENGE;
  }
  return { status, headers, body: await bytesOf(response, failed) };
}

function headersOf(response: Response, failed: Fail): ModuleAnswer['headers'] {
  const headers: ModuleAnswer['headers'] = {};
  for (const [name, value] of response.headers) {
    // `Headers` takes control characters that an HTTP message cannot carry.
    try {
      validateHeaderValue(name, value);
    } catch (cause) {
      throw failed(`returned a Response whose header ${name} cannot be sent`, cause);
    }
    if (name !== 'set-cookie' && !HOP_HEADERS.has(name)) {
      headers[name] = value;
    }
  }
  const cookies = response.headers.getSetCookie();
  return cookies.length === 0 ? headers : { ...headers, 'set-cookie': cookies };
}

async function bytesOf(response: Response, failed: Fail): Promise<Buffer | undefined> {
  try {
    return response.body === null ? undefined : Buffer.from(await response.arrayBuffer());
  } catch (cause) {
    throw failed('returned a Response whose body cannot be read', cause);
  }
}
