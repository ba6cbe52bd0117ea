import type { DevelopmentGuard } from '../development-guard.js';
import type { App } from '../options.js';
import { DevBrowserErrorBody } from '../schemas/explain.js';

/** `POST /dev/browser-error`: what an error of `navigator.credentials`, or of a software authenticator in its place, means, by the options of the call and what its page knows. */
export function addDevBrowserErrorRoute(app: App, { localOrBearer }: DevelopmentGuard): void {
  const schema = { hide: true, body: DevBrowserErrorBody };
  app.post('/dev/browser-error', { onRequest: localOrBearer, schema }, async ({ body }) => {
    const [{ explainBrowserError }, { explainSoftwareError }, { failedCall }] = await Promise.all([
      import('../../explain/browser-errors/browser-errors.js'),
      import('../../explain/browser-errors/software-errors.js'),
      import('../../explain/browser-errors/failed-call.js'),
    ]);
    const { name, message, call, mediation, milliseconds, options, permitted, secure_context: secureContext, software, ...seen } = body;
    const thrown = { name, message, call, mediation, milliseconds, options };
    const failed = failedCall(thrown, { ...seen, secureContext, permitted: permitted ?? undefined });
    return software === true ? explainSoftwareError(failed) : explainBrowserError(failed);
  });
}
