import type { Passkey } from '../relying-party/credential-record.js';
import { encodeBase64 } from '../webauthn/base64url.js';
import { formatTimestamp } from '../webauthn/wording.js';
import type { PasskeyBody } from './schemas/passkey.js';

/** What the API shows of a passkey. Its challenge and public key are never returned. */
export function passkeyBody({ id, label, credential, createdAt }: Passkey): PasskeyBody {
  return { id, label, credential_id: encodeBase64(credential.id), created_at: formatTimestamp(createdAt) };
}
