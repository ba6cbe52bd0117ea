import cors from '@fastify/cors';
import type { App } from './app-instance.js';
import type { ServerSettings } from './settings.js';

/** Pages of the origins given with `--origin`, and no others, may call the API with the user's cookie or token. */
export async function allowCrossOriginCalls(app: App, { origins }: Pick<ServerSettings, 'origins'>): Promise<void> {
  if (origins.length === 0) {
    return;
  }
  const allowed = new Set(origins);
  await app.register(cors, {
    origin: (origin, done) => done(null, origin !== undefined && allowed.has(origin)),
    credentials: true,
    methods: ['GET', 'HEAD', 'POST', 'PATCH', 'DELETE'],
    allowedHeaders: ['Authorization', 'Content-Type', 'X-Request-Id'],
    exposedHeaders: ['X-Request-Id', 'Retry-After', 'RateLimit-Limit', 'RateLimit-Remaining', 'RateLimit-Reset', 'WWW-Authenticate'],
    maxAge: 600,
    hideOptionsRoute: true,
  });
}
