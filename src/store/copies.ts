import type { Owner } from '../accounts/ports.js';
import type { NewAccess } from '../kernel/access.js';
import type { NewPasskey, Passkey } from '../relying-party/credential-record.js';

// Records are copied on their way in and out, so that no caller can change what is stored. Bytes are copied one by one and not
// by structuredClone, which would copy the whole pool behind a Buffer.

const bytes = (value: Uint8Array): Uint8Array => new Uint8Array(value);
const optionalBytes = (value: Uint8Array | undefined): Uint8Array | undefined => (value === undefined ? undefined : bytes(value));

export function copyPasskey<T extends NewPasskey | Passkey>(passkey: T): T {
  const { credential } = passkey;
  return {
    ...passkey,
    owner: { type: passkey.owner.type, id: passkey.owner.id },
    userHandle: bytes(passkey.userHandle),
    credential: {
      ...credential,
      id: bytes(credential.id),
      publicKey: bytes(credential.publicKey),
      transports: [...credential.transports],
      attestationObject: bytes(credential.attestationObject),
      attestationClientDataJSON: bytes(credential.attestationClientDataJSON),
    },
    attestation: { ...passkey.attestation },
    // Most are empty, and cloning one takes longer than all the rest.
    clientExtensionResults: Object.keys(passkey.clientExtensionResults).length === 0 ? {} : structuredClone(passkey.clientExtensionResults),
    challenge: bytes(passkey.challenge),
  };
}

export function copyOwner(owner: Owner): Owner {
  return { ...owner, userHandle: optionalBytes(owner.userHandle) };
}

export function copyAccess<T extends NewAccess>(access: T): T {
  return { ...access, owner: { type: access.owner.type, id: access.owner.id }, hash: bytes(access.hash) };
}
