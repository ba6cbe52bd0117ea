import { MAX_DOCUMENT_BYTES } from '../../webauthn/limits.js';
import type { DevelopmentGuard } from '../development-guard.js';
import type { App } from '../options.js';
import { DevAnnotateBody } from '../schemas/explain.js';

/** `POST /dev/annotate`: the fields of a response and of a public key, so that the page can draw their bytes without decoding them. */
export function addDevAnnotateRoute(app: App, { localOrBearer }: DevelopmentGuard): void {
  const schema = { hide: true, body: DevAnnotateBody };
  app.post('/dev/annotate', { onRequest: localOrBearer, bodyLimit: MAX_DOCUMENT_BYTES, schema }, async ({ body }) => {
    const { annotationOf } = await import('../../explain/annotation.js');
    const { response, public_key: publicKey, rp_id: rpId } = body;
    return annotationOf({ response, publicKey, rpId });
  });
}
