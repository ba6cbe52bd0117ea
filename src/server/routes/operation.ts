import { setTimeout } from 'node:timers/promises';
import { fastify, type RouteOptions } from 'fastify';
import * as Type from 'typebox';
import { PasskeyError } from '../../errors.js';
import { strict } from '../../kernel/schema-kit.js';
import { type CookieSettings, cookieName, SESSION_COOKIE } from '../cookies.js';
import type { App, AppOptions } from '../options.js';
import { json, ProblemSchema, problems } from '../schemas/problem.js';
import { WITHOUT_COMPILERS } from '../validation.js';

/** Adds `GET /openapi.json`, an OpenAPI 3.1 document made from the schemas of all routes that are added after this call. */
export function describeRoutes(app: App, settings: CookieSettings, version: string): void {
  app.addSchema(ProblemSchema);
  const routes: Pick<RouteOptions, 'method' | 'url' | 'schema'>[] = [];
  app.addHook('onRoute', ({ method, url, schema = {} }) => {
    if (method !== 'HEAD') routes.push({ method, url, schema });
  });
  // Written once: a copy for each request would fill the memory with answers that are never read.
  let writing: Promise<string> | undefined;
  app.get('/openapi.json', { schema: { hide: true } }, async (_request, reply) => {
    writing ??= writeOpenApi(routes, settings, version);
    return reply.type('application/json; charset=utf-8').send(await writing);
  });
}

/**
 * Creates the OpenAPI document on the first request for it, because the generator takes long to load. Uses a separate application that has
 * only the schemas.
 */
async function writeOpenApi(
  routes: readonly Pick<RouteOptions, 'method' | 'url' | 'schema'>[],
  settings: CookieSettings,
  version: string,
): Promise<string> {
  const { default: swagger } = await import('@fastify/swagger');
  const described = fastify({ schemaController: WITHOUT_COMPILERS });
  described.setValidatorCompiler(() => () => true);
  described.setSerializerCompiler(() => JSON.stringify);
  described.addSchema(ProblemSchema);
  await described.register(swagger, {
    openapi: {
      openapi: '3.1.0',
      info: {
        title: 'Passkeys',
        description: 'Registers passkeys (W3C WebAuthn Level 3) and logs in with them. Errors are problem documents (RFC 9457).',
        version,
      },
      servers: [{ url: settings.origin }],
      tags: [{ name: 'Registration' }, { name: 'Authentication' }, { name: 'Passkeys' }, { name: 'Session' }, { name: 'Operation' }],
      components: {
        securitySchemes: {
          bearer: { type: 'http', scheme: 'bearer', description: 'Opaque token of `passkey token create` or of a login.' },
          session: {
            type: 'apiKey',
            in: 'cookie',
            name: cookieName(SESSION_COOKIE, settings),
            description: 'On https its name begins with `__Host-`.',
          },
        },
      },
    },
    transformObject: (document) => {
      if (!('openapiObject' in document)) {
        return document.swaggerObject;
      }
      markOptionalBodies(document.openapiObject.paths);
      return document.openapiObject;
    },
    refResolver: {
      buildLocalReference: (schema, _base, _fragment, index) => (typeof schema.$id === 'string' ? schema.$id : `Schema${index}`),
    },
  });
  for (const route of routes) described.route({ ...route, handler: () => undefined });
  await described.ready();
  return JSON.stringify(described.swagger());
}

/** Marks a request body as optional if all its members are optional. The generator marks every body as required. */
function markOptionalBodies(paths: object = {}): void {
  const operations = Object.values(paths).flatMap((methods: Record<string, { requestBody?: DescribedBody }>) => Object.values(methods));
  for (const { requestBody } of operations) {
    const schema = requestBody?.content['application/json']?.schema;
    if (requestBody !== undefined && schema !== undefined && schema.required === undefined) {
      requestBody.required = false;
    }
  }
}

interface DescribedBody {
  required?: boolean;
  content: Record<string, { schema: { required?: readonly string[] } }>;
}

/** How long the store may take to respond to a health check, in milliseconds. */
const HEALTH_TIMEOUT = 4_000;

async function giveUp(): Promise<void> {
  await setTimeout(HEALTH_TIMEOUT, undefined, { ref: false });
  throw new PasskeyError('store_unavailable', `The store has not responded for ${HEALTH_TIMEOUT / 1_000} s.`);
}

/** Adds `GET /healthz`, which reports the server as ready if the store can be read. */
export function addHealthRoute(app: App, { checkStore }: AppOptions): void {
  app.get(
    '/healthz',
    {
      schema: {
        operationId: 'health',
        tags: ['Operation'],
        summary: 'Readiness',
        response: { 200: json('Ready', Type.Object({ status: Type.Literal('ok') }, strict)), ...problems() },
      },
    },
    async () => {
      try {
        await Promise.race([checkStore(), giveUp()]);
      } catch (cause) {
        throw new PasskeyError('store_unavailable', 'The store cannot be read. See the log.', { cause });
      }
      return { status: 'ok' as const };
    },
  );
}
