import type { FastifyRequest } from 'fastify';
import { PasskeyError } from '../../errors.js';
import type { Passkey } from '../../relying-party/credential-record.js';
import { passkeyBody } from '../../relying-party/passkey-document.js';
import { type AccessGuard, requireCaller } from '../access.js';
import { operationContext } from '../ceremony-input.js';
import type { App, AppOptions } from '../options.js';
import { PasskeyList, PasskeyParams, PasskeyReply, parsePasskeyId, RenameBody } from '../schemas/passkey.js';
import { BODY_PROBLEMS, json, noContent, problems, UNUSED_BODY_PROBLEMS } from '../schemas/problem.js';

const security = [{ bearer: [] }, { session: [] }];

/** Adds the `GET`, `PATCH` and `DELETE` routes for the caller's own passkeys. */
export function addPasskeyRoutes(app: App, { relyingParty }: AppOptions, guard: AccessGuard): void {
  app.get(
    '/api/passkeys',
    {
      onRequest: guard.bearerOrSession,
      schema: {
        operationId: 'listPasskeys',
        tags: ['Passkeys'],
        summary: 'Live passkeys of the caller',
        security,
        response: { 200: json('In ascending order of id', PasskeyList), ...problems(401) },
      },
    },
    async (request) => {
      const { type, id } = requireCaller(request).owner;
      const passkeys = await relyingParty.list({ owner: { type, id } });
      return passkeys.map(passkeyBody);
    },
  );

  app.patch(
    '/api/passkeys/:id',
    {
      onRequest: guard.bearerOrSession,
      schema: {
        operationId: 'renamePasskey',
        tags: ['Passkeys'],
        summary: 'Rename a passkey of the caller',
        security,
        params: PasskeyParams,
        body: RenameBody,
        response: { 200: json('The passkey', PasskeyReply), ...problems(401, 404, ...BODY_PROBLEMS) },
      },
    },
    async (request) => {
      const { id } = await ownLivePasskey(request, request.params.id);
      return { passkey: passkeyBody(await relyingParty.rename(id, request.body.label, operationContext(request))) };
    },
  );

  app.delete(
    '/api/passkeys/:id',
    {
      onRequest: guard.bearerOrSession,
      schema: {
        operationId: 'revokePasskey',
        tags: ['Passkeys'],
        summary: 'Revoke a passkey of the caller',
        description: 'The passkey is refused from the next request on; sessions and tokens that it opened end.',
        security,
        params: PasskeyParams,
        response: { 204: noContent('Revoked'), ...problems(401, 404, ...UNUSED_BODY_PROBLEMS) },
      },
    },
    async (request, reply) => {
      const { id } = await ownLivePasskey(request, request.params.id);
      await relyingParty.revoke(id, { reason: 'revoked by its user' }, operationContext(request));
      return reply.code(204).send();
    },
  );

  /**
   * Finds a live passkey of the caller. The error for other ids does not reveal whether the passkey belongs to another user, is revoked, or
   * does not exist.
   */
  async function ownLivePasskey(request: FastifyRequest, text: string): Promise<Passkey> {
    const { owner } = requireCaller(request);
    const id = parsePasskeyId(text);
    const passkey = id === undefined ? undefined : await relyingParty.find(id);
    if (passkey === undefined || passkey.revokedAt !== undefined || passkey.owner.type !== owner.type || passkey.owner.id !== owner.id) {
      throw new PasskeyError('passkey_not_found', `You have no live passkey ${text.slice(0, 50)}. GET /api/passkeys lists your passkeys.`);
    }
    return passkey;
  }
}
