import type { DevelopmentGuard } from '../development-guard.js';
import type { App, AppOptions } from '../options.js';
import type { RememberedCeremonies } from '../remembered-ceremonies.js';
import { DevAnswerBody } from '../schemas/development.js';
import { fieldErrors } from '../validation.js';

/**
 * `POST /dev/answer`: answers options with a software authenticator, for tests in any language and for the test page. `GET /dev/personas` and
 * `GET /dev/mutations` list what it imitates and how it breaks responses. Not for bearer tokens: its credentials are of all users.
 */
export function addDevAnswerRoutes(
  app: App,
  { software, mutations, settings }: AppOptions,
  { guard: { local } }: { readonly guard: DevelopmentGuard; readonly ceremonies: RememberedCeremonies },
): void {
  const schema = { hide: true };
  if (mutations !== undefined) {
    app.get('/dev/mutations', { onRequest: local, schema }, async () => await mutations.list());
  }
  if (software === undefined) return;
  app.get('/dev/personas', { onRequest: local, schema }, async () => await software.personas());

  app.post('/dev/answer', { onRequest: local, schema: { ...schema, body: DevAnswerBody } }, async (request) => {
    const { body } = request;
    const options = body.options ?? body.publicKey;
    if (options === undefined) throw fieldErrors([{ pointer: '/options', detail: 'is missing' }]);
    return await software.answer({
      options,
      origin: body.origin ?? settings.origin,
      topOrigin: body.top_origin,
      crossOrigin: body.cross_origin,
      mediation: body.mediation,
      persona: body.persona,
      userVerification: body.user_verification,
      credentialId: body.credential_id,
      tamper: body.tamper,
    });
  });
}
