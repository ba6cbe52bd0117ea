import { passkeyBody } from '../../relying-party/passkey-document.js';
import { type AccessGuard, requireCaller } from '../access.js';
import { ceremonyClient, makeUserEntity, operationContext, scopeOfAppUrl } from '../ceremony-input.js';
import type { App, AppOptions } from '../options.js';
import type { RateLimits } from '../rate-limit.js';
import { CreationOptions, RegisterBody, RegisterOptionsBody } from '../schemas/ceremony.js';
import { PasskeyReply } from '../schemas/passkey.js';
import { BODY_PROBLEMS, json, problems } from '../schemas/problem.js';

/** Adds `POST /api/passkeys/register/options` and `POST /api/passkeys/register`. */
export function addRegisterRoutes(
  app: App,
  { relyingParty, accounts, settings }: AppOptions,
  { guard, limits }: { readonly guard: AccessGuard; readonly limits: RateLimits },
): void {
  app.post(
    '/api/passkeys/register/options',
    {
      onRequest: [guard.bearer, ...limits.registration()],
      schema: {
        operationId: 'registerOptions',
        tags: ['Registration'],
        summary: 'Begin a registration',
        security: [{ bearer: [] }],
        body: RegisterOptionsBody,
        response: { 200: json('Creation options', CreationOptions), ...problems(401, 409, ...BODY_PROBLEMS, 429) },
      },
    },
    async (request) => {
      const { owner } = requireCaller(request);
      const { rpId, origin } = scopeOfAppUrl(request.body.app_url, settings, request.log);
      return await relyingParty.beginRegistration({
        user: await makeUserEntity(owner, accounts),
        rpId,
        rpName: request.body.app_name,
        origins: [origin],
        client: ceremonyClient(request, owner),
        context: operationContext(request),
      });
    },
  );

  app.post(
    '/api/passkeys/register',
    {
      onRequest: [guard.bearer, ...limits.registration()],
      schema: {
        operationId: 'register',
        tags: ['Registration'],
        summary: 'End a registration and store the passkey',
        security: [{ bearer: [] }],
        body: RegisterBody,
        response: { 200: json('The new passkey', PasskeyReply), ...problems(401, 409, ...BODY_PROBLEMS, 429) },
      },
    },
    async (request) => {
      const { owner } = requireCaller(request);
      const { label, ...response } = request.body;
      const passkey = await relyingParty.register({
        owner: { type: owner.type, id: owner.id },
        response,
        label: label ?? null,
        context: operationContext(request),
      });
      return { passkey: passkeyBody(passkey) };
    },
  );
}
