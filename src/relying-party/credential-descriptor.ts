import { encodeBase64url } from '../webauthn/base64url.js';
import type { PublicKeyCredentialDescriptorJSON } from '../webauthn/json.js';
import type { CredentialRecord } from './credential-record.js';

/** An entry of `allowCredentials` or `excludeCredentials`; `transports` only where the registration gave them. */
export function credentialDescriptor({ id, transports }: CredentialRecord): PublicKeyCredentialDescriptorJSON {
  return { id: encodeBase64url(id), type: 'public-key', ...(transports.length > 0 && { transports: [...transports] }) };
}
