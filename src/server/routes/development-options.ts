import type { FastifyRequest } from 'fastify';
import { type AccessGuard, callerOf } from '../access.js';
import type { App } from '../app-instance.js';
import type { AppOptions } from '../app-options.js';
import { credentialIdOf } from '../credential-id.js';
import { ceremonyClient, operationContext } from '../operation-context.js';
import { scopeOfAppUrl, scopeOfRequest } from '../origins.js';
import { DevLoginOptionsBody, DevRegisterOptionsBody, DevVerifyOptionsBody } from '../schemas/development.js';
import { userEntityOf } from '../user-entity.js';

interface Guards {
  readonly guard: AccessGuard;
  readonly local: (request: FastifyRequest) => Promise<void>;
}

/** The given options endpoints with a free choice of options. What they ask for is what the ceremony is then held to. */
export function addDevOptionsRoutes(app: App, { relyingParty, accounts, settings }: AppOptions, { guard, local }: Guards): void {
  const schema = { hide: true };

  app.post(
    '/dev/register/options',
    { onRequest: [local, guard.bearer], schema: { ...schema, body: DevRegisterOptionsBody } },
    async (request) => {
      const { owner } = callerOf(request);
      const { app_name: appName = 'Passkey test page', app_url: appUrl = settings.origin, mediation, options = {} } = request.body;
      const { rpId, origin } = scopeOfAppUrl(appUrl, settings, request.log, settings.origin);
      return await relyingParty.beginRegistration({
        user: await userEntityOf(owner, accounts),
        rpId,
        rpName: appName,
        origins: [origin],
        client: ceremonyClient(request, owner),
        context: operationContext(request),
        policy: timeoutOf(options),
        mediation,
        options,
      });
    },
  );

  app.post('/dev/verify/options', { onRequest: local, schema: { ...schema, body: DevVerifyOptionsBody } }, async (request) => {
    const { credential_id: credentialId, options = {} } = request.body;
    return await relyingParty.beginAuthentication({
      credentialId: credentialIdOf(credentialId),
      client: ceremonyClient(request),
      context: operationContext(request),
      policy: timeoutOf(options),
      options,
    });
  });

  app.post('/dev/login/options', { onRequest: local, schema: { ...schema, body: DevLoginOptionsBody } }, async (request) => {
    const { app_url: appUrl, options = {} } = request.body;
    const scope = appUrl === undefined ? scopeOfRequest(request, settings) : scopeOfAppUrl(appUrl, settings, request.log, settings.origin);
    return await relyingParty.beginAuthentication({
      rpId: scope.rpId,
      origins: [scope.origin],
      client: ceremonyClient(request),
      context: operationContext(request),
      policy: timeoutOf(options),
      options,
    });
  });
}

/** A longer timeout needs a challenge that is good for longer. */
function timeoutOf({ timeout }: { readonly timeout?: number }): { readonly timeout?: number } {
  return timeout === undefined ? {} : { timeout };
}
