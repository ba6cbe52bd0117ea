import { validateHeaderValue } from 'node:http';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { userOf } from '../accounts/accounts.js';
import { runBuiltInAuthAction } from '../accounts/auth-actions.js';
import type { Owner } from '../accounts/ports.js';
import { PasskeyError } from '../errors.js';
import type { Passkey } from '../relying-party/credential-record.js';
import type { AppOptions } from './app-options.js';
import type { LoadedAuthAction } from './auth-action-module.js';
import { BEARER_CHALLENGE } from './error-handler.js';
import { passkeyBody } from './passkey-body.js';
import { setSessionCookie } from './session-cookie.js';
import { formatTimestamp } from './timestamp.js';

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
  let answer: unknown;
  try {
    answer = await action.run({
      passkey: passkeyBody(passkey),
      owner: { id, type, name, email },
      request: toWebRequest(reply.request, origin),
    });
  } catch (cause) {
    throw failed('threw', cause);
  }
  if (isResponse(answer)) {
    checkHeaders(answer, failed);
    const body = await bytesOf(answer, failed);
    return sendResponse(reply, answer, body);
  }
  if (typeof answer !== 'object' || answer === null || answer instanceof Error) {
    const what = answer instanceof Error ? 'an Error' : answer === null ? 'null' : typeof answer;
    throw failed(`has to return an object or a Response; it returned ${what}`);
  }
  const body = serialize(answer, failed);
  return reply.code(200).type('application/json; charset=utf-8').send(body);
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

/** `Headers` takes control characters that an HTTP message cannot carry. */
function checkHeaders(response: Response, failed: Fail): void {
  for (const [name, value] of response.headers) {
    try {
      validateHeaderValue(name, value);
    } catch (cause) {
      throw failed(`returned a Response whose header ${name} cannot be sent`, cause);
    }
  }
}

async function bytesOf(response: Response, failed: Fail): Promise<Buffer | undefined> {
  try {
    return response.body === null ? undefined : Buffer.from(await response.arrayBuffer());
  } catch (cause) {
    throw failed('returned a Response whose body cannot be read', cause);
  }
}

function sendResponse(reply: FastifyReply, response: Response, body: Buffer | undefined): FastifyReply {
  for (const [name, value] of response.headers) {
    if (name !== 'set-cookie' && !HOP_HEADERS.has(name)) {
      reply.header(name, value);
    }
  }
  const cookies = response.headers.getSetCookie();
  if (cookies.length > 0) {
    reply.header('set-cookie', cookies);
  }
  if (response.status === 401 && !response.headers.has('www-authenticate')) {
    // RFC 9110 §15.5.2: a 401 says how to authenticate.
    reply.header('www-authenticate', BEARER_CHALLENGE);
  }
  reply.code(response.status);
  return reply.send(body);
}
