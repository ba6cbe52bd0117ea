import helmet from '@fastify/helmet';
import type { App } from './app-instance.js';
import type { ServerSettings } from './settings.js';

/** Nothing of the API is a document: it may load nothing and be framed by nobody. The page sends a policy of its own. */
export async function addSecurityHeaders(app: App, { origin }: Pick<ServerSettings, 'origin'>): Promise<void> {
  await app.register(helmet, {
    contentSecurityPolicy: {
      useDefaults: false,
      directives: { defaultSrc: ["'none'"], frameAncestors: ["'none'"], baseUri: ["'none'"], formAction: ["'none'"] },
    },
    // The answer to a form of the page must keep its Origin; `no-referrer` would make it "null".
    referrerPolicy: { policy: 'same-origin' },
    strictTransportSecurity: origin.startsWith('https:') ? { maxAge: 31_536_000, includeSubDomains: false } : false,
    xFrameOptions: { action: 'deny' },
  });
  // Answers hold challenges, tokens and personal data.
  app.addHook('onRequest', async (_request, reply) => {
    reply.header('cache-control', 'no-store');
  });
}
