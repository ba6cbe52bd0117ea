import { describeUser } from '../../accounts/accounts.js';
import { type AccessGuard, requireCaller } from '../access.js';
import { operationContext } from '../ceremony-input.js';
import { clearCookie, SESSION_COOKIE } from '../cookies.js';
import type { App, AppOptions } from '../options.js';
import { SessionReply } from '../schemas/passkey.js';
import { json, noContent, problems, UNUSED_BODY_PROBLEMS } from '../schemas/problem.js';

/** Adds `GET` and `DELETE /api/session`. */
export function addSessionRoutes(app: App, { accounts, settings }: AppOptions, guard: AccessGuard): void {
  app.get(
    '/api/session',
    {
      onRequest: guard.bearerOrSession,
      schema: {
        operationId: 'getSession',
        tags: ['Session'],
        summary: 'The user who is signed in',
        security: [{ bearer: [] }, { session: [] }],
        response: { 200: json('The user of the bearer token, or of the session', SessionReply), ...problems(401) },
      },
    },
    async (request) => ({ user: describeUser(requireCaller(request).owner) }),
  );

  app.delete(
    '/api/session',
    {
      onRequest: guard.session,
      schema: {
        operationId: 'logOut',
        tags: ['Session'],
        summary: 'Log out: end the session on the server',
        security: [{ session: [] }],
        response: { 204: noContent('Ended'), ...problems(401, ...UNUSED_BODY_PROBLEMS) },
      },
    },
    async (request, reply) => {
      await accounts.endAccess(requireCaller(request).access.id, operationContext(request));
      clearCookie(reply, SESSION_COOKIE, settings);
      return reply.code(204).send();
    },
  );
}
