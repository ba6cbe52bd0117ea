import * as Type from 'typebox';
import { PasskeyError } from '../../errors.js';
import { recordCeremony } from '../../fixture/recorded-ceremony.js';
import { computeIntegrity } from '../../fixture/write.js';
import { passkeyDocument } from '../../relying-party/passkey-document.js';
import { type AccessGuard, requireCaller } from '../access.js';
import { operationContext } from '../ceremony-input.js';
import { createDevelopmentGuard, type DevelopmentGuard, maySee } from '../development-guard.js';
import type { App, AppOptions } from '../options.js';
import { type RememberedCeremonies, rememberCeremonies } from '../remembered-ceremonies.js';
import { PasskeyParams, parsePasskeyId } from '../schemas/passkey.js';
import type { ScriptedAnswers } from '../scripted-answers.js';
import type { Stream } from '../stream/stream.js';
import { watchMutations, watchSoftware } from '../stream/watch.js';
import { addDevAnswerRoutes } from './development-answer.js';
import { addDevAnnotateRoute, addDevBrowserErrorRoute, addDevExpectationsRoute, addDevExplainRoute } from './development-explain.js';
import { addDevNextRoutes } from './development-next.js';
import { addDevOptionsRoutes } from './development-options.js';
import { addDevSignInRoutes } from './development-sign-in.js';
import { addDevStreamRoutes } from './development-stream.js';
import { addDevTimelineRoute } from './development-timeline.js';

/**
 * Adds `/dev/*`: routes for the test page, not for applications. These routes exist in development mode only, and are not part of the
 * OpenAPI document.
 */
export function addDevelopmentRoutes(
  app: App,
  options: AppOptions,
  {
    guard: access,
    stream,
    scripted,
  }: { readonly guard: AccessGuard; readonly stream: Stream | undefined; readonly scripted: ScriptedAnswers },
): void {
  const guard = createDevelopmentGuard(options.settings, access);
  addDevSignInRoutes(app, options, guard);
  addDevOptionsRoutes(app, options, guard);
  addDevNextRoutes(app, guard, scripted);
  addDevPasskeyRoutes(app, options, guard);
  if (stream !== undefined) {
    addDevTimelineRoute(app, options, { guard, stream });
    addDevStreamRoutes(app, options, { guard, stream });
  }
  const ceremonies = rememberCeremonies(options.relyingParty);
  addDevFixtureRoute(app, options, { guard, ceremonies });
  app.addHook('onClose', async () => ceremonies.stop());
  const { software, mutations } = options;
  const watched = stream && {
    software: software && watchSoftware(software, stream),
    mutations: mutations && watchMutations(mutations, stream),
  };
  addDevAnswerRoutes(app, { ...options, ...watched }, { guard, ceremonies });
  addDevExplainRoute(app, options, { guard, ceremonies });
  addDevExpectationsRoute(app, guard);
  addDevAnnotateRoute(app, guard);
  addDevBrowserErrorRoute(app, guard);
}

const ListQuery = Type.Object({ all: Type.Optional(Type.String()) });

/**
 * Adds `GET /dev/passkeys`, which lists the user's own passkeys (with `?all=1` also revoked ones), and `POST /dev/passkeys/:id/restore`.
 */
function addDevPasskeyRoutes(app: App, { relyingParty }: AppOptions, guard: DevelopmentGuard): void {
  const onRequest = [guard.localOrBearer, guard.bearerOrSession];

  app.get('/dev/passkeys', { onRequest, schema: { hide: true, querystring: ListQuery } }, async (request) => {
    const { type, id, email } = requireCaller(request).owner;
    const passkeys = await relyingParty.list({ owner: { type, id }, revoked: request.query.all === '1' });
    return passkeys.map((passkey) => passkeyDocument(passkey, email));
  });

  app.post('/dev/passkeys/:id/restore', { onRequest, schema: { hide: true, params: PasskeyParams } }, async (request) => {
    const { owner } = requireCaller(request);
    const id = parsePasskeyId(request.params.id);
    const passkey = id === undefined ? undefined : await relyingParty.find(id);
    if (passkey === undefined || passkey.owner.type !== owner.type || passkey.owner.id !== owner.id) {
      throw new PasskeyError('passkey_not_found', 'You have no such passkey. GET /dev/passkeys?all=1 lists your passkeys.');
    }
    return { passkey: passkeyDocument(await relyingParty.restore(passkey.id, {}, operationContext(request)), owner.email) };
  });
}

const FixtureParams = Type.Object({ challenge: Type.String() });

/**
 * Adds `GET /dev/fixtures/:challenge`, which returns a finished ceremony as a fixture. The fixture is identical to the one that `passkey
 * serve --record` writes.
 */
function addDevFixtureRoute(
  app: App,
  { version = '' }: AppOptions,
  { guard: { localOrBearer }, ceremonies }: { readonly guard: DevelopmentGuard; readonly ceremonies: RememberedCeremonies },
): void {
  app.get('/dev/fixtures/:challenge', { onRequest: localOrBearer, schema: { hide: true, params: FixtureParams } }, async (request) => {
    const found = ceremonies.find(request.params.challenge)?.finished;
    // Made when it is asked for: most never are.
    const recorded = found && recordCeremony(found, { tool: 'passkey serve', version });
    if (recorded?.status !== 'recorded' || !maySee(request, found?.passkey?.owner ?? found?.owner)) {
      throw new PasskeyError(
        'route_not_found',
        'None of the latest finished ceremonies has this challenge and can be replayed. Run the ceremony again.',
      );
    }
    return { ...recorded.fixture, integrity: computeIntegrity(recorded.fixture) };
  });
}
