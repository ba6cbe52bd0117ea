import * as Type from 'typebox';
import { PasskeyDocument, PasskeyRow } from '../../relying-party/passkey-document.js';
import { id, strict, timestamp } from '../../webauthn/schema-kit.js';

export const passkeyList = Type.Array(PasskeyRow, { title: 'passkey list --json' });

export const passkeyInFull = Type.Object(PasskeyDocument.properties, { ...strict, title: 'passkey show --json' });

/** `passkey revoke` and `passkey restore`. */
export const passkeyChange = Type.Object(
  {
    dry_run: Type.Boolean(),
    passkeys: Type.Array(PasskeyRow, { description: 'As they are after the change; with --dry-run as they are now.' }),
  },
  { ...strict, title: 'passkey revoke --json, passkey restore --json' },
);

export const purge = Type.Object(
  {
    dry_run: Type.Boolean(),
    ended_before: timestamp,
    passkeys: Type.Array(PasskeyRow, { description: 'As they were.' }),
    tokens: Type.Array(id, { description: 'Ids of tokens that were revoked or had expired.' }),
    sessions: Type.Array(id, { description: 'Ids of sessions that had ended.' }),
  },
  { ...strict, title: 'passkey purge --json' },
);
