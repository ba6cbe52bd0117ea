import { ceremonyClient, credentialIdOf, operationContext } from '../ceremony-input.js';
import type { App, AppOptions } from '../options.js';
import type { PublicRoute } from '../rate-limit.js';
import { AssertionBody, VerifyOptions, VerifyOptionsBody, VerifyReply } from '../schemas/ceremony.js';
import { BODY_PROBLEMS, json, problems } from '../schemas/problem.js';

/** `POST /api/passkeys/verify/options` and `POST /api/passkeys/verify`. */
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
        credentialId: credentialIdOf(request.body.credential_id),
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
        summary: 'End an authentication: who owns the passkey',
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
