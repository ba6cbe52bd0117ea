import type { FastifyRequest } from 'fastify';
import { PasskeyError } from '../../errors.js';
import { equalBytes } from '../../kernel/bytes.js';
import { requireCaller } from '../access.js';
import { ceremonyClient, decodeCredentialId, makeUserEntity, operationContext, scopeOfAppUrl, scopeOfRequest } from '../ceremony-input.js';
import { confinedTo, type DevelopmentGuard } from '../development-guard.js';
import type { App, AppOptions } from '../options.js';
import { DevLoginOptionsBody, DevRegisterOptionsBody, DevVerifyOptionsBody } from '../schemas/development.js';
import { refuseUnverifiable } from '../verifiable.js';

/**
 * Adds endpoints that make creation and request options with arbitrary members. The response to these options is later checked against
 * them.
 */
export function addDevOptionsRoutes(app: App, { relyingParty, accounts, settings }: AppOptions, guard: DevelopmentGuard): void {
  const { localOrBearer } = guard;
  const schema = { hide: true };

  app.post(
    '/dev/register/options',
    { onRequest: [localOrBearer, guard.bearer], schema: { ...schema, body: DevRegisterOptionsBody } },
    async (request) => {
      const { owner } = requireCaller(request);
      const { app_name: appName = 'Passkey test page', app_url: appUrl = settings.origin, mediation, options = {} } = request.body;
      refuseUnverifiable('registration', options);
      const { rpId, origin } = scopeOfAppUrl(appUrl, settings, request.log);
      return await relyingParty.beginRegistration({
        user: await makeUserEntity(owner, accounts),
        rpId,
        rpName: appName,
        origins: [origin],
        client: ceremonyClient(request, owner),
        context: operationContext(request),
        policy: readTimeout(options),
        mediation,
        options,
      });
    },
  );

  app.post('/dev/verify/options', { onRequest: localOrBearer, schema: { ...schema, body: DevVerifyOptionsBody } }, async (request) => {
    const { credential_id, options = {} } = request.body;
    refuseUnverifiable('authentication', options);
    const credentialId = decodeCredentialId(credential_id);
    await refuseOthersPasskeys(request, credentialId);
    return await relyingParty.beginAuthentication({
      credentialId,
      client: ceremonyClient(request, confinedTo(request)),
      context: operationContext(request),
      policy: readTimeout(options),
      options,
    });
  });

  app.post('/dev/login/options', { onRequest: localOrBearer, schema: { ...schema, body: DevLoginOptionsBody } }, async (request) => {
    const { app_url: appUrl, options = {} } = request.body;
    refuseUnverifiable('authentication', options);
    const scope = appUrl === undefined ? scopeOfRequest(request, settings) : scopeOfAppUrl(appUrl, settings, request.log);
    return await relyingParty.beginAuthentication({
      rpId: scope.rpId,
      origins: [scope.origin],
      client: ceremonyClient(request, confinedTo(request)),
      context: operationContext(request),
      policy: readTimeout(options),
      options,
    });
  });

  async function refuseOthersPasskeys(request: FastifyRequest, credentialId: Uint8Array): Promise<void> {
    const owner = confinedTo(request);
    if (owner === undefined) return;
    const own = await relyingParty.list({ owner: { type: owner.type, id: owner.id } });
    if (!own.some(({ credential }) => equalBytes(credential.id, credentialId))) {
      throw new PasskeyError(
        'passkey_not_found',
        'You have no live passkey with this credential ID. GET /dev/passkeys lists your passkeys.',
      );
    }
  }
}

/** Reads the timeout of a request. Refuses a timeout that is longer than the time for which the challenge is valid. */
function readTimeout({ timeout }: { readonly timeout?: number }): { readonly timeout?: number } {
  return timeout === undefined ? {} : { timeout };
}
