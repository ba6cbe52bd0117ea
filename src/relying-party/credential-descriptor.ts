import { encodeBase64url } from '../webauthn/base64url.js';
import type { PublicKeyCredentialDescriptorJSON } from '../webauthn/json.js';
import { MAX_CREDENTIAL_DESCRIPTORS } from '../webauthn/limits.js';
import type { CredentialRecord, Passkey } from './credential-record.js';

/** An entry of `allowCredentials` or `excludeCredentials`; `transports` only where the registration gave them. */
export function credentialDescriptor({ id, transports }: CredentialRecord): PublicKeyCredentialDescriptorJSON {
  return { id: encodeBase64url(id), type: 'public-key', ...(transports.length > 0 && { transports: [...transports] }) };
}

/**
 * A user's passkeys as `allowCredentials` or `excludeCredentials`: those used last first (one that was never used counts from its
 * registration), and no more than browsers take.
 */
export function credentialDescriptors(passkeys: readonly Passkey[]): PublicKeyCredentialDescriptorJSON[] {
  const lastSeen = ({ lastUsedAt, createdAt }: Passkey) => lastUsedAt ?? createdAt;
  return passkeys
    .toSorted((a, b) => lastSeen(b) - lastSeen(a) || b.id - a.id)
    .slice(0, MAX_CREDENTIAL_DESCRIPTORS)
    .map(({ credential }) => credentialDescriptor(credential));
}
