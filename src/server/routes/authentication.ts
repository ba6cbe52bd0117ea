import type { FastifyReply, FastifyRequest } from 'fastify';
import { describeUser } from '../../accounts/accounts.js';
import { type LoginGrant, prepareAuthAction } from '../../accounts/auth-actions.js';
import type { Owner } from '../../accounts/ports.js';
import { PasskeyError } from '../../errors.js';
import { formatTimestamp } from '../../kernel/wording.js';
import type { Passkey } from '../../relying-party/credential-record.js';
import { passkeyBody } from '../../relying-party/passkey-document.js';
import type { AccessGuard } from '../access.js';
import { type LoadedAuthAction, runAuthAction } from '../auth-action.js';
import { ceremonyClient, decodeCredentialId, operationContext, scopeOfAppUrl, scopeOfRequest } from '../ceremony-input.js';
import { SESSION_COOKIE, setCookie } from '../cookies.js';
import { keepEndToEnd } from '../message-fields.js';
import type { App, AppOptions } from '../options.js';
import type { PublicRoute } from '../rate-limit.js';
import { AssertionBody, LoginOptions, LoginOptionsBody, VerifyOptions, VerifyOptionsBody, VerifyReply } from '../schemas/ceremony.js';
import { LoginReply, ModuleLoginReply } from '../schemas/passkey.js';
import { BODY_PROBLEMS, json, problems } from '../schemas/problem.js';

/** Adds `POST /api/passkeys/login/options` and `POST /api/passkeys/login`. */
export function addLoginRoutes(
  app: App,
  options: AppOptions,
  { guard, publicRoute }: { readonly guard: AccessGuard; readonly publicRoute: PublicRoute },
): void {
  const { relyingParty, accounts, settings, now } = options;

  app.post(
    '/api/passkeys/login/options',
    {
      ...publicRoute,
      schema: {
        operationId: 'loginOptions',
        tags: ['Authentication'],
        summary: 'Begin an authentication with a passkey that the user chooses',
        description:
          'For discoverable credentials and autofill. Good at `verify` and `login`; the user handle must then be present and match.',
        body: LoginOptionsBody,
        response: { 200: json('Request options', LoginOptions), ...problems(...BODY_PROBLEMS, 429) },
      },
    },
    async (request) => {
      const { app_url: appUrl } = request.body;
      const { rpId, origin } = appUrl === undefined ? scopeOfRequest(request, settings) : scopeOfAppUrl(appUrl, settings, request.log);
      return await relyingParty.beginAuthentication({
        rpId,
        origins: [origin],
        client: ceremonyClient(request),
        context: operationContext(request),
      });
    },
  );

  app.post(
    '/api/passkeys/login',
    {
      ...publicRoute,
      config: { failedCheckStatus: 401 },
      schema: {
        operationId: 'login',
        tags: ['Authentication'],
        summary: 'End an authentication and log the owner in',
        body: AssertionBody,
        response: {
          200: json('The result of the configured auth action', typeof settings.authAction === 'string' ? LoginReply : ModuleLoginReply),
          ...problems(401, 404, ...BODY_PROBLEMS, 429),
        },
      },
    },
    async (request, reply) => {
      const { authAction, sessionTtl, tokenTtl } = settings;
      const input = {
        response: request.body,
        // The options of /dev may ask for less; what opens a session is judged by the policy.
        userVerification: relyingParty.policy.userVerification === 'required' ? ('required' as const) : undefined,
        context: operationContext(request),
      };
      if (typeof authAction !== 'string') {
        const { passkey } = await relyingParty.authenticate(input);
        return await answerByModule(reply, { passkey, owner: await ownerOf(passkey), authAction }, options);
      }
      const { grant, opens } = prepareAuthAction(authAction, { accounts, now: now(), sessionTtl, tokenTtl });
      const { passkey, opened } = await relyingParty.authenticate({ ...input, opens });
      if (opened === undefined) throw new PasskeyError('internal_error', 'An accepted login opened nothing. Please report it.');
      accounts.loginOpened(opened, input.context);
      const owner = await ownerOf(passkey);
      if (grant.kind === 'session') await guard.endReplaced(request, input.context);
      return answerGrant(reply, { owner, grant }, options);
    },
  );

  async function ownerOf(passkey: Passkey): Promise<Owner> {
    const owner = await accounts.findOwner(passkey.owner);
    if (owner === undefined) throw new PasskeyError('passkey_not_found', 'The user of this passkey was removed in the meantime.');
    return owner;
  }
}

/** Adds `POST /api/passkeys/verify/options` and `POST /api/passkeys/verify`. */
export function addVerifyRoutes(app: App, { relyingParty }: AppOptions, publicRoute: PublicRoute): void {
  app.post(
    '/api/passkeys/verify/options',
    {
      ...publicRoute,
      schema: {
        operationId: 'verifyOptions',
        tags: ['Authentication'],
        summary: 'Begin an authentication with one known passkey',
        body: VerifyOptionsBody,
        response: { 200: json('Request options', VerifyOptions), ...problems(404, ...BODY_PROBLEMS, 429) },
      },
    },
    async (request) =>
      await relyingParty.beginAuthentication({
        credentialId: decodeCredentialId(request.body.credential_id),
        client: ceremonyClient(request),
        context: operationContext(request),
      }),
  );

  app.post(
    '/api/passkeys/verify',
    {
      ...publicRoute,
      config: { failedCheckStatus: 401 },
      schema: {
        operationId: 'verify',
        tags: ['Authentication'],
        summary: 'End an authentication, and return the owner of the passkey',
        body: AssertionBody,
        response: { 200: json('The owner', VerifyReply), ...problems(401, 404, ...BODY_PROBLEMS, 429) },
      },
    },
    async (request) => {
      const { passkey } = await relyingParty.authenticate({ response: request.body, context: operationContext(request) });
      return { passkeeable_id: passkey.owner.id, passkeeable_type: passkey.owner.type, passkey: { id: passkey.id } };
    },
  );
}

interface Login {
  readonly passkey: Passkey;
  readonly owner: Owner;
}

/** Responds to an accepted login with the access that the built-in auth action grants. */
function answerGrant(
  reply: FastifyReply,
  { owner, grant }: { readonly owner: Owner; readonly grant: LoginGrant },
  { settings }: AppOptions,
): FastifyReply {
  const user = describeUser(owner);
  if (grant.kind === 'session') {
    setCookie(reply, SESSION_COOKIE, { value: grant.secret, maxAge: settings.sessionTtl, settings });
    return reply.send({ user });
  }
  const end = grant.expiresAt === undefined ? {} : { expires_at: formatTimestamp(grant.expiresAt) };
  return reply.send({ user, token: grant.secret, ...end });
}

/** Responds to an accepted login with the response of the user's own auth action module. */
async function answerByModule(
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
  for (const [name, value] of keepEndToEnd(Object.entries(request.headers), request.headers.connection)) {
    if (value === undefined) continue;
    for (const each of [value].flat()) headers.append(name, each);
  }
  // The target may be in absolute form and name any host; only its path is believed.
  const { pathname, search } = new URL(request.url, origin);
  return new Request(new URL(`${pathname}${search}`, origin), { method: request.method, headers, body: JSON.stringify(request.body) });
}
