import type { Static } from 'typebox';
import * as Type from 'typebox';
import { id, orNull, strict, timestamp } from '../../kernel/schema-kit.js';
import { PasskeyDocument, PasskeyRow } from '../../relying-party/passkey-document.js';

export const passkeyList = Type.Array(PasskeyRow, { title: 'passkey list --json' });

const time = Type.String({ format: 'date-time' });

export const passkeyInFull = Type.Object(
  {
    ...PasskeyDocument.properties,
    revoked_change: orNull(Type.String({ description: 'Id of the bulk change that revoked it.' })),
    credential_id_hex: Type.String({ pattern: '^([0-9a-f]{2})+$' }),
    key: orNull(
      Type.Object(
        {
          type: Type.String({ description: 'Name of the COSE key type.' }),
          curve: orNull(Type.String()),
          jwk: Type.Record(Type.String(), Type.String(), { description: 'JSON Web Key (RFC 7517).' }),
          pem: Type.String({ description: 'SubjectPublicKeyInfo (RFC 5280) in PEM.' }),
        },
        { ...strict, description: 'Null when the key cannot be decoded.' },
      ),
    ),
    authenticator_data: orNull(
      Type.Object(
        {
          flags: Type.Array(Type.String(), { description: 'Those that were set: UP, UV, BE, BS, AT, ED.' }),
          sign_count: Type.Integer({ minimum: 0 }),
          extensions: Type.Record(Type.String(), Type.Unknown(), { description: 'Byte strings as base64url.' }),
        },
        { ...strict, description: 'Of the registration. Null when it cannot be decoded.' },
      ),
    ),
    certificates: Type.Array(
      Type.Object(
        {
          subject: orNull(Type.String()),
          issuer: orNull(Type.String()),
          serial_number: orNull(Type.String({ description: 'Hexadecimal.' })),
          not_before: orNull(time),
          not_after: orNull(time),
          der: Type.String({ contentEncoding: 'base64url' }),
        },
        strict,
      ),
      { description: 'Of the attestation statement, in its order. All but der is null when one cannot be decoded.' },
    ),
    client_extension_results: Type.Record(Type.String(), Type.Unknown(), { description: 'Without the results of prf, which are secrets.' }),
    live_sessions: Type.Integer({ minimum: 0, description: 'Sessions that its logins opened and that have not ended.' }),
    live_tokens: Type.Integer({ minimum: 0, description: 'Likewise, bearer tokens.' }),
  },
  { ...strict, title: 'passkey show --json' },
);
export type PasskeyInFull = Static<typeof passkeyInFull>;

/** Id of a bulk change, as every command that makes one prints it. */
export const change = orNull(Type.String({ description: 'Id of the change; null when nothing was changed.' }));

/** `passkey revoke` and `passkey restore`. */
export const passkeyChange = Type.Object(
  {
    dry_run: Type.Boolean(),
    change,
    passkeys: Type.Array(PasskeyRow, { description: 'As they are after the change; with --dry-run as they are now.' }),
  },
  { ...strict, title: 'passkey revoke --json, passkey restore --json' },
);

export const purge = Type.Object(
  {
    dry_run: Type.Boolean(),
    change,
    ended_before: timestamp,
    passkeys: Type.Array(PasskeyRow, { description: 'As they were.' }),
    tokens: Type.Array(id, { description: 'Ids of tokens that were revoked or had expired.' }),
    sessions: Type.Array(id, { description: 'Ids of sessions that had ended.' }),
  },
  { ...strict, title: 'passkey purge --json' },
);
