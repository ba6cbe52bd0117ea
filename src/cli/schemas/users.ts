import type { Static } from 'typebox';
import * as Type from 'typebox';
import { id, orNull, strict, timestamp } from '../../kernel/schema-kit.js';
import { PasskeyRow } from '../../relying-party/passkey-document.js';
import { change } from './passkeys.js';

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

const token = Type.Object(tokenMembers, strict);
export type TokenRow = Static<typeof token>;

const handle = (o: object) => orNull(Type.String({ ...o, description: 'Null before the first registration.' }));

export const userInFull = Type.Object(
  {
    ...user.properties,
    revoked_passkeys: Type.Integer({ minimum: 0 }),
    user_handle: handle({ contentEncoding: 'base64url' }),
    user_handle_hex: handle({ pattern: '^([0-9a-f]{2})+$' }),
    user_handle_text: orNull(Type.String({ description: 'The handle as text, where it is text.' })),
    last_used_at: orNull(timestamp),
    live_sessions: Type.Integer({ minimum: 0 }),
    tokens: Type.Array(token, { description: 'Live bearer tokens.' }),
    passkey_list: Type.Array(PasskeyRow, { description: 'Revoked ones included.' }),
  },
  { ...strict, title: 'passkey user show --json' },
);
export type UserInFull = Static<typeof userInFull>;

export const userEdited = Type.Object(user.properties, { ...strict, title: 'passkey user edit --json' });

export const userRemoval = Type.Object(
  {
    dry_run: Type.Boolean(),
    change,
    users: Type.Array(user, { description: 'As they were.' }),
    revoked_passkeys: Type.Array(id, { description: 'Passkeys that the removal revokes.' }),
  },
  { ...strict, title: 'passkey user remove --json' },
);

export const tokenList = Type.Array(token, { title: 'passkey token list --json' });

export const tokenCreated = Type.Object(
  { token: Type.String({ description: 'The bearer token; shown only here.' }), ...tokenMembers },
  { ...strict, title: 'passkey token create --json' },
);

export const tokenRevocation = Type.Object(
  { dry_run: Type.Boolean(), change, tokens: Type.Array(token) },
  { ...strict, title: 'passkey token revoke --json' },
);
