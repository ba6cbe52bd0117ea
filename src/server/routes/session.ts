import { type AccessGuard, callerOf } from '../access.js';
import type { App } from '../app-instance.js';
import type { AppOptions } from '../app-options.js';
import { noContent, problems } from '../schemas/problem.js';
import { clearSessionCookie } from '../session-cookie.js';

/** `DELETE /api/session`. */
export function addSessionRoutes(app: App, { accounts, settings }: AppOptions, guard: AccessGuard): void {
  app.delete(
    '/api/session',
    {
      onRequest: guard.session,
      schema: {
        operationId: 'logOut',
        tags: ['Session'],
        summary: 'Log out: end the session on the server',
        security: [{ session: [] }],
        response: { 204: noContent('Ended'), ...problems(401, 503) },
      },
    },
    async (request, reply) => {
      await accounts.endAccess(callerOf(request).access.id);
      clearSessionCookie(reply, settings);
      return reply.code(204).send();
    },
  );
}
