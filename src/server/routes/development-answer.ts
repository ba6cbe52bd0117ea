import { decodeBase64, encodeBase64url } from '../../webauthn/base64url.js';
import { readCoseAlgorithm } from '../../webauthn/cose-key.js';
import type { DevelopmentGuard } from '../development-guard.js';
import type { App, AppOptions } from '../options.js';
import type { RememberedCeremonies } from '../remembered-ceremonies.js';
import { DevAnswerBody, DevSiteBody, DevTamperBody } from '../schemas/development.js';
import type { AnswerRequest } from '../software-answers.js';
import { fieldErrors } from '../validation.js';

/**
 * Adds routes for tests in any language, and for the test page. `POST /dev/answer` responds to options with a software authenticator. `GET
 * /dev/personas` lists the authenticators that it can imitate, and `GET /dev/mutations` the ways to break a response. `POST /dev/tamper`
 * breaks the response of a browser. `POST /dev/site` breaks the next response to the site that `passkey browse` follows. Bearer tokens give
 * no access to these routes, since the credentials belong to all users.
 */
export function addDevAnswerRoutes(
  app: App,
  { software, mutations, settings, relyingParty, site, now }: AppOptions,
  { guard: { local }, ceremonies }: { readonly guard: DevelopmentGuard; readonly ceremonies: RememberedCeremonies },
): void {
  const schema = { hide: true };
  const findChallenge: AnswerRequest['findChallenge'] = (wanted) => {
    const found = ceremonies.findLast(wanted, now());
    return found && encodeBase64url(found.ceremony.challenge);
  };
  if (mutations !== undefined) {
    app.get('/dev/mutations', { onRequest: local, schema }, async () => {
      const { origin } = settings;
      return await mutations.list({ ...relyingParty.policy, origin });
    });
    app.post('/dev/tamper', { onRequest: local, schema: { ...schema, body: DevTamperBody } }, async ({ body }) => {
      const { id, response } = body;
      return await mutations.tamper({ id, options: chooseOptions(body), response, algorithmOf, findChallenge });
    });
  }
  if (site !== undefined) {
    app.post('/dev/site', { onRequest: local, schema: { ...schema, body: DevSiteBody } }, async ({ body }, reply) => {
      site.choose(body);
      return reply.code(204).send();
    });
  }
  if (software === undefined) return;
  app.get('/dev/personas', { onRequest: local, schema }, async () => await software.personas());

  app.post('/dev/answer', { onRequest: local, schema: { ...schema, body: DevAnswerBody } }, async (request) => {
    const { body } = request;
    return await software.answer({
      options: chooseOptions(body),
      origin: body.origin ?? settings.origin,
      topOrigin: body.top_origin,
      crossOrigin: body.cross_origin,
      mediation: body.mediation,
      persona: body.persona,
      userVerification: body.user_verification,
      credentialId: body.credential_id,
      tamper: body.tamper,
      findChallenge,
    });
  });

  async function algorithmOf(credentialId: string): Promise<number | undefined> {
    const id = decodeBase64(credentialId)?.bytes;
    const passkey = id && (await relyingParty.findByCredentialId(id));
    return passkey && readCoseAlgorithm(passkey.credential.publicKey);
  }
}

function chooseOptions({ options, publicKey }: { readonly options?: unknown; readonly publicKey?: unknown }): unknown {
  const given = options ?? publicKey;
  if (given === undefined) throw fieldErrors([{ pointer: '/options', detail: 'is missing' }]);
  return given;
}
