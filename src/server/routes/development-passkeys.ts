import * as Type from 'typebox';
import { PasskeyError } from '../../errors.js';
import { passkeyDocument } from '../../relying-party/passkey-document.js';
import { type AccessGuard, callerOf } from '../access.js';
import type { App } from '../app-instance.js';
import type { AppOptions } from '../app-options.js';
import type { DevelopmentGuard } from '../development-guard.js';
import { operationContext } from '../operation-context.js';
import { PasskeyParams, parsePasskeyId } from '../schemas/passkey.js';

interface Guards {
  readonly guard: AccessGuard;
  readonly development: DevelopmentGuard;
}

/** `GET /dev/passkeys` (own ones; `?all=1`: revoked ones too) and `POST /dev/passkeys/:id/restore`. */
export function addDevPasskeyRoutes(app: App, { relyingParty }: AppOptions, { guard, development }: Guards): void {
  const onRequest = [development.localOrBearer, guard.bearerOrSession];
  const querystring = Type.Object({ all: Type.Optional(Type.String()) });

  app.get('/dev/passkeys', { onRequest, schema: { hide: true, querystring } }, async (request) => {
    const { type, id, email } = callerOf(request).owner;
    const passkeys = await relyingParty.list({ owner: { type, id }, revoked: request.query.all === '1' });
    return passkeys.map((passkey) => passkeyDocument(passkey, email));
  });

  app.post('/dev/passkeys/:id/restore', { onRequest, schema: { hide: true, params: PasskeyParams } }, async (request) => {
    const { owner } = callerOf(request);
    const id = parsePasskeyId(request.params.id);
    const passkey = id === undefined ? undefined : await relyingParty.find(id);
    if (passkey === undefined || passkey.owner.type !== owner.type || passkey.owner.id !== owner.id) {
      throw new PasskeyError('passkey_not_found', 'You have no such passkey. GET /dev/passkeys?all=1 lists those you have.');
    }
    return { passkey: passkeyDocument(await relyingParty.restore(passkey.id, operationContext(request)), owner.email) };
  });
}
