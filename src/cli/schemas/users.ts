import type { Static } from 'typebox';
import * as Type from 'typebox';
import { id, orNull, strict, timestamp } from '../../webauthn/schema-kit.js';

export const user = Type.Object(
  {
    id,
    type: Type.String(),
    email: Type.String(),
    name: Type.String(),
    created_at: timestamp,
    passkeys: Type.Integer({ minimum: 0, description: 'Live passkeys.' }),
  },
  { ...strict, title: 'passkey user add --json' },
);
export type UserRow = Static<typeof user>;

export const userList = Type.Array(user, { title: 'passkey user list --json' });

export const userRemoval = Type.Object(
  {
    dry_run: Type.Boolean(),
    users: Type.Array(user, { description: 'As they were.' }),
    revoked_passkeys: Type.Array(id, { description: 'Passkeys that the removal revokes.' }),
  },
  { ...strict, title: 'passkey user remove --json' },
);

const tokenMembers = {
  id,
  label: orNull(Type.String()),
  user_id: id,
  user_type: Type.String(),
  passkey_id: orNull(Type.Integer({ minimum: 1, description: 'The passkey whose login opened it.' })),
  created_at: timestamp,
  expires_at: orNull(timestamp),
  revoked_at: orNull(timestamp),
};

export const token = Type.Object(tokenMembers, strict);
export type TokenRow = Static<typeof token>;

export const tokenList = Type.Array(token, { title: 'passkey token list --json' });

export const tokenCreated = Type.Object(
  { token: Type.String({ description: 'The bearer token; shown only here.' }), ...tokenMembers },
  { ...strict, title: 'passkey token create --json' },
);

export const tokenRevocation = Type.Object(
  { dry_run: Type.Boolean(), tokens: Type.Array(token) },
  { ...strict, title: 'passkey token revoke --json' },
);
