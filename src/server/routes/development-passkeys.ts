import * as Type from 'typebox';
import { PasskeyError } from '../../errors.js';
import type { Passkey } from '../../relying-party/credential-record.js';
import { providerName } from '../../webauthn/aaguid.js';
import { encodeBase64url } from '../../webauthn/base64url.js';
import { formatTimestamp } from '../../webauthn/wording.js';
import { type AccessGuard, callerOf } from '../access.js';
import type { App } from '../app-instance.js';
import type { AppOptions } from '../app-options.js';
import type { DevelopmentGuard } from '../development-guard.js';
import { operationContext } from '../operation-context.js';
import { passkeyBody } from '../passkey-body.js';
import type { DevPasskey } from '../schemas/development.js';
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
    const { type, id } = callerOf(request).owner;
    const passkeys = await relyingParty.list({ owner: { type, id }, revoked: request.query.all === '1' });
    return passkeys.map(devPasskey);
  });

  app.post('/dev/passkeys/:id/restore', { onRequest, schema: { hide: true, params: PasskeyParams } }, async (request) => {
    const { owner } = callerOf(request);
    const id = parsePasskeyId(request.params.id);
    const passkey = id === undefined ? undefined : await relyingParty.find(id);
    if (passkey === undefined || passkey.owner.type !== owner.type || passkey.owner.id !== owner.id) {
      throw new PasskeyError('passkey_not_found', 'You have no such passkey. GET /dev/passkeys?all=1 lists those you have.');
    }
    return { passkey: devPasskey(await relyingParty.restore(passkey.id, operationContext(request))) };
  });
}

function devPasskey(passkey: Passkey): DevPasskey {
  const { owner, credential, lastUsedAt, revokedAt } = passkey;
  return {
    ...passkeyBody(passkey),
    passkeeable_id: owner.id,
    passkeeable_type: owner.type,
    rp_id: passkey.rpId,
    aaguid: passkey.aaguid,
    provider: providerName(passkey.aaguid) ?? null,
    sign_count: credential.signCount,
    last_used_at: lastUsedAt === undefined ? null : formatTimestamp(lastUsedAt),
    revoked_at: revokedAt === undefined ? null : formatTimestamp(revokedAt),
    revoked_reason: passkey.revokedReason ?? null,
    backup_eligible: credential.backupEligible,
    backup_state: credential.backupState,
    uv_initialized: credential.uvInitialized,
    attestation_format: passkey.attestation.format,
    transports: [...credential.transports],
    public_key: encodeBase64url(credential.publicKey),
    user_handle: encodeBase64url(passkey.userHandle),
  };
}
