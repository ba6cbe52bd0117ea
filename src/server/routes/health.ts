import * as Type from 'typebox';
import { PasskeyError } from '../../errors.js';
import type { App } from '../app-instance.js';
import type { AppOptions } from '../app-options.js';
import { json, problems } from '../schemas/problem.js';

/** `GET /healthz`: ready when the store can be read. */
export function addHealthRoute(app: App, { checkStore }: AppOptions): void {
  app.get(
    '/healthz',
    {
      schema: {
        operationId: 'health',
        tags: ['Operation'],
        summary: 'Readiness',
        response: { 200: json('Ready', Type.Object({ status: Type.Literal('ok') }, { additionalProperties: false })), ...problems(503) },
      },
    },
    async () => {
      try {
        await checkStore();
      } catch (cause) {
        throw new PasskeyError('store_unavailable', 'The store cannot be read. See the log.', { cause });
      }
      return { status: 'ok' as const };
    },
  );
}
