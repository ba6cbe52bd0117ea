import type { FastifyReply, FastifyRequest } from 'fastify';
import { userOf } from '../accounts/accounts.js';
import type { LoginGrant } from '../accounts/auth-actions.js';
import type { Owner } from '../accounts/ports.js';
import { formatTimestamp } from '../kernel/wording.js';
import type { Passkey } from '../relying-party/credential-record.js';
import { passkeyBody } from '../relying-party/passkey-document.js';
import { HOP_HEADERS, type LoadedAuthAction, runAuthAction } from './auth-action.js';
import { SESSION_COOKIE, setCookie } from './cookies.js';
import type { AppOptions } from './options.js';

interface Login {
  readonly passkey: Passkey;
  readonly owner: Owner;
}

/** Answers an accepted login with what the built-in auth action has opened. */
export function answerGrant(
  reply: FastifyReply,
  { owner, grant }: { readonly owner: Owner; readonly grant: LoginGrant },
  { settings }: AppOptions,
): FastifyReply {
  const user = userOf(owner);
  if (grant.kind === 'session') {
    setCookie(reply, SESSION_COOKIE, { value: grant.secret, maxAge: settings.sessionTtl, settings });
    return reply.send({ user });
  }
  const end = grant.expiresAt === undefined ? {} : { expires_at: formatTimestamp(grant.expiresAt) };
  return reply.send({ user, token: grant.secret, ...end });
}

/** Answers an accepted login by the user's own auth action. */
export async function answerByModule(
  reply: FastifyReply,
  { passkey, owner, authAction }: Login & { readonly authAction: LoadedAuthAction },
  { settings }: AppOptions,
): Promise<FastifyReply> {
  const { id, type, name, email } = owner;
  const request = toWebRequest(reply.request, settings.origin);
  const answer = await runAuthAction(authAction, { passkey: passkeyBody(passkey), owner: { id, type, name, email }, request });
  return reply.code(answer.status).headers(answer.headers).send(answer.body);
}

function toWebRequest(request: FastifyRequest, origin: string): Request {
  const headers = new Headers();
  for (const [name, value] of Object.entries(request.headers)) {
    if (value === undefined || HOP_HEADERS.has(name)) continue;
    for (const each of [value].flat()) headers.append(name, each);
  }
  // The target may be in absolute form and name any host; only its path is believed.
  const { pathname, search } = new URL(request.url, origin);
  return new Request(new URL(`${pathname}${search}`, origin), { method: request.method, headers, body: JSON.stringify(request.body) });
}
