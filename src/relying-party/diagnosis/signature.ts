import type { CoseKey } from '../../webauthn/cose-key.js';
import { ecdsaSignatureParts } from '../../webauthn/der-values.js';
import { asciiText, decodedTwice } from '../../webauthn/text-encoding.js';

const EC2 = 2;
const RSA = 3;

/** One sentence on a signature that does not verify, from the shape it has. */
export function signatureHint(key: CoseKey, signature: Uint8Array): string {
  if (signature.length === 0) {
    return 'The signature is empty; send response.signature as the browser gave it.';
  }
  if (asciiText(signature) !== undefined && decodedTwice(signature) !== undefined) {
    return 'The signature was encoded twice: its bytes are base64 text; encode response.signature once.';
  }
  const isDer = ecdsaSignatureParts(signature) !== undefined;
  if (key.kty === EC2 && !isDer) {
    return signature.length === 2 * key.x.length
      ? 'This has the length of raw r and s; WebAuthn wants ECDSA signatures in DER (§6.5.5).'
      : 'This is no ECDSA signature in DER (§6.5.5): bytes were added, lost or changed; send response.signature unchanged.';
  }
  if (key.kty === RSA && signature.length !== key.n.length) {
    return `An RSA signature is as long as the modulus (${key.n.length} bytes); this one has ${signature.length}, so it is of another key, or was changed.`;
  }
  if (key.kty !== EC2 && isDer) {
    return 'This is an ECDSA signature, and the registered key is none for ECDSA; the response is of another credential.';
  }
  return 'The signature was made with another key or over other bytes; send authenticatorData, clientDataJSON and signature unchanged, and check that the stored public key is that of this credential.';
}
