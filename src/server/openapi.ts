import swagger from '@fastify/swagger';
import type { App } from './app-instance.js';
import { ProblemSchema } from './schemas/problem.js';
import { sessionCookieName } from './session-cookie.js';
import type { ServerSettings } from './settings.js';

/** Collects the schemas of the routes added from here on into an OpenAPI 3.1 document, served at `/openapi.json`. */
export async function describeRoutes(app: App, settings: Pick<ServerSettings, 'mode' | 'origin'>, version: string): Promise<void> {
  app.addSchema(ProblemSchema);
  await app.register(swagger, {
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
          session: { type: 'apiKey', in: 'cookie', name: sessionCookieName(settings) },
        },
      },
    },
    transformObject: (described) => {
      if (!('openapiObject' in described)) {
        return described.swaggerObject;
      }
      markOptionalBodies(described.openapiObject.paths);
      return described.openapiObject;
    },
    refResolver: {
      buildLocalReference: (schema, _base, _fragment, index) => (typeof schema.$id === 'string' ? schema.$id : `Schema${index}`),
    },
  });
  app.get('/openapi.json', { schema: { hide: true } }, async () => app.swagger());
}

/** Bodies are described as required throughout; one whose members are all optional may be left out. */
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
