import { type LoginGrant, runBuiltInAuthAction } from '../../accounts/auth-actions.js';
import type { Owner } from '../../accounts/ports.js';
import { PasskeyError } from '../../errors.js';
import type { Passkey } from '../../relying-party/credential-record.js';
import type { AccessGuard } from '../access.js';
import { ceremonyClient, operationContext, scopeOfAppUrl, scopeOfRequest } from '../ceremony-input.js';
import { answerByModule, answerGrant } from '../login-reply.js';
import type { App, AppOptions } from '../options.js';
import type { PublicRoute } from '../rate-limit.js';
import { AssertionBody, LoginOptions, LoginOptionsBody } from '../schemas/ceremony.js';
import { LoginReply, ModuleLoginReply } from '../schemas/passkey.js';
import { BODY_PROBLEMS, json, problems } from '../schemas/problem.js';

/** `POST /api/passkeys/login/options` and `POST /api/passkeys/login`. */
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
          200: json('By the configured auth action', typeof settings.authAction === 'string' ? LoginReply : ModuleLoginReply),
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
      let login: { readonly owner: Owner; readonly grant: LoginGrant } | undefined;
      await relyingParty.authenticate({
        ...input,
        // One change notes the use and opens the session: no crash leaves one without the other.
        async noteUse(passkey, use) {
          const owner = await ownerOf(passkey);
          const grant = await runBuiltInAuthAction(authAction, {
            accounts,
            owner,
            passkeyId: passkey.id,
            use,
            now: now(),
            sessionTtl,
            tokenTtl,
            context: input.context,
          });
          login = grant && { owner, grant };
          return grant !== undefined;
        },
      });
      if (login === undefined) throw new PasskeyError('internal_error', 'An accepted login opened nothing. Please report it.');
      if (login.grant.kind === 'session') await guard.endReplaced(request, input.context);
      return answerGrant(reply, login, options);
    },
  );

  async function ownerOf(passkey: Passkey): Promise<Owner> {
    const owner = await accounts.findOwner(passkey.owner);
    if (owner === undefined) throw new PasskeyError('passkey_not_found', 'The user of this passkey was removed in the meantime.');
    return owner;
  }
}
