import type { DevelopmentGuard } from '../development-guard.js';
import type { App } from '../options.js';
import { DevAnnotateBody } from '../schemas/explain.js';

/**
 * Bytes of one response with its public key: sixteen times what the API takes. Each member becomes a tree of its own, so a body of many
 * megabytes would keep the server from everybody else for seconds.
 */
const BODY_LIMIT = 1024 * 1024;

/** `POST /dev/annotate`: the fields of a response and of a public key, so that the page can draw their bytes without decoding them. */
export function addDevAnnotateRoute(app: App, { localOrBearer }: DevelopmentGuard): void {
  const schema = { hide: true, body: DevAnnotateBody };
  app.post('/dev/annotate', { onRequest: localOrBearer, bodyLimit: BODY_LIMIT, schema }, async ({ body }) => {
    const { annotationOf } = await import('../../explain/annotation.js');
    const { response, public_key: publicKey, rp_id: rpId } = body;
    return annotationOf({ response, publicKey, rpId });
  });
}
