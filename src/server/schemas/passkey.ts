import * as Type from 'typebox';
import { MAX_TEXT_LENGTH } from '../../kernel/limits.js';
import { NOT_BLANK } from '../../kernel/misfit.js';
import { strict, timestamp } from '../../kernel/schema-kit.js';
import { PasskeyBody } from '../../relying-party/passkey-document.js';
import { Text } from './text.js';

export const PasskeyReply = Type.Object({ passkey: PasskeyBody }, strict);

export const PasskeyList = Type.Array(PasskeyBody);

export const RenameBody = Type.Object({ label: Text({ minLength: 1, maxLength: MAX_TEXT_LENGTH, pattern: NOT_BLANK }) });

/**
 * Path parameters of the routes for one passkey. The id is declared as a string: if it is not an integer, it names no passkey, which must
 * give a 404 and not a 422.
 */
export const PasskeyParams = Type.Object({ id: Type.String({ description: 'Id of the passkey, an integer.' }) });

export function parsePasskeyId(text: string): number | undefined {
  const id = Number(text);
  return /^[1-9]\d*$/.test(text) && Number.isSafeInteger(id) ? id : undefined;
}

const User = Type.Object({ id: Type.Integer(), name: Type.String(), email: Type.String() }, strict);

/** Response of a login with one of the built-in auth actions `session`, `token` and `expiring_token`. */
export const LoginReply = Type.Object(
  {
    user: User,
    token: Type.Optional(Type.String({ description: 'Bearer token, for the auth actions `token` and `expiring_token`.' })),
    expires_at: Type.Optional(
      Type.String({ ...timestamp, description: 'Time at which the token expires, for the auth action `expiring_token`.' }),
    ),
  },
  strict,
);

/** Response of `GET /api/session`. */
export const SessionReply = Type.Object({ user: User }, strict);

/** Response of a login with an auth action module. The module may return any value. */
export const ModuleLoginReply = Type.Unknown({ description: 'The response of the configured auth action module.' });
