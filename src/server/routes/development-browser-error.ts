import type { DevelopmentGuard } from '../development-guard.js';
import type { App } from '../options.js';
import { DevBrowserErrorBody } from '../schemas/explain.js';

/** `POST /dev/browser-error`: what an error of `navigator.credentials` means, by the options of the call and what its page knows. */
export function addDevBrowserErrorRoute(app: App, { localOrBearer }: DevelopmentGuard): void {
  const schema = { hide: true, body: DevBrowserErrorBody };
  app.post('/dev/browser-error', { onRequest: localOrBearer, schema }, async ({ body }) => {
    const [{ explainBrowserError }, { failedCall }] = await Promise.all([
      import('../../explain/browser-errors/browser-errors.js'),
      import('../../explain/browser-errors/failed-call.js'),
    ]);
    const { name, message, call, mediation, milliseconds, options, permitted, secure_context: secureContext, ...seen } = body;
    const thrown = { name, message, call, mediation, milliseconds, options };
    return explainBrowserError(failedCall(thrown, { ...seen, secureContext, permitted: permitted ?? undefined }));
  });
}
