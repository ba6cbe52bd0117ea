import { type DerElement, DerSyntaxError, decodeDer, isUniversal, sequence, TAG } from './der.js';

/** The INTEGERs r and s of an ECDSA signature in DER (WebAuthn L3 §6.5.5); undefined when the bytes are no such signature. */
export function ecdsaSignatureParts(bytes: Uint8Array): { readonly r: DerElement; readonly s: DerElement } | undefined {
  try {
    const [r, s, ...rest] = sequence(decodeDer(bytes), 'a signature');
    return isUniversal(r, TAG.integer) && isUniversal(s, TAG.integer) && rest.length === 0 ? { r, s } : undefined;
  } catch (error) {
    if (error instanceof DerSyntaxError) {
      return undefined;
    }
    throw error;
  }
}
