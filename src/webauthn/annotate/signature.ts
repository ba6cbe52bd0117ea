import { contents, DerSyntaxError, decodeDer, isUniversal, sequence, TAG } from '../der.js';
import { type AnnotatedNode, bytesNode, plural } from './node.js';

/** r and s of an ECDSA signature in DER (WebAuthn L3 §6.5.5); undefined when it is none. */
export function signatureChildren(bytes: Uint8Array, base: number): AnnotatedNode[] | undefined {
  try {
    const [r, s, ...rest] = sequence(decodeDer(bytes), 'a signature');
    if (!isUniversal(r, TAG.integer) || !isUniversal(s, TAG.integer) || rest.length > 0) {
      return undefined;
    }
    return [bytesNode('r', contents(r), base + r.contentStart), bytesNode('s', contents(s), base + s.contentStart)];
  } catch (error) {
    if (error instanceof DerSyntaxError) {
      return undefined;
    }
    throw error;
  }
}

/** What a signature looks like; which key made it, only its verification tells. */
export function annotateSignature(bytes: Uint8Array, label = 'signature'): AnnotatedNode {
  const children = signatureChildren(bytes, 0);
  const shape =
    children === undefined ? (bytes.length === 64 ? 'raw (EdDSA; of ECDSA it must be DER)' : 'raw (RSA, EdDSA, ML-DSA)') : 'ECDSA in DER';
  return { ...bytesNode(label, bytes, 0, `${shape}, ${plural(bytes.length, 'byte')}`), ...(children !== undefined && { children }) };
}
