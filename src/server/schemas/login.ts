import * as Type from 'typebox';
import { Timestamp } from './text.js';

const User = Type.Object({ id: Type.Integer(), name: Type.String(), email: Type.String() }, { additionalProperties: false });

/** Answer of the built-in auth actions `session`, `token` and `expiring_token`. */
export const LoginReply = Type.Object(
  {
    user: User,
    token: Type.Optional(Type.String({ description: 'Bearer token; with the auth actions `token` and `expiring_token`.' })),
    expires_at: Type.Optional(Timestamp('End of the token; with the auth action `expiring_token`')),
  },
  { additionalProperties: false },
);

/** Answer of `GET /api/session`. */
export const SessionReply = Type.Object({ user: User }, { additionalProperties: false });

/** What a module of the server's owner answers is its own affair. */
export const ModuleLoginReply = Type.Unknown({ description: 'Whatever the configured auth action module answers.' });
