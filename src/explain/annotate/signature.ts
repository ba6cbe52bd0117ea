import { contents, type DerElement } from '../../webauthn/der.js';
import { ecdsaSignatureParts } from '../../webauthn/der-values.js';
import { count } from '../../webauthn/wording.js';
import { type AnnotatedNode, bytesNode } from './node.js';

/** r and s of an ECDSA signature in DER; undefined when it is none. */
export function signatureChildren(bytes: Uint8Array, base: number): AnnotatedNode[] | undefined {
  const parts = ecdsaSignatureParts(bytes);
  const node = (label: string, integer: DerElement) => bytesNode(label, contents(integer), base + integer.contentStart);
  return parts && [node('r', parts.r), node('s', parts.s)];
}

/** What a signature looks like; which key made it, only its verification tells. */
export function annotateSignature(bytes: Uint8Array, label = 'signature'): AnnotatedNode {
  const children = signatureChildren(bytes, 0);
  const shape =
    children === undefined ? (bytes.length === 64 ? 'raw (EdDSA; of ECDSA it must be DER)' : 'raw (RSA, EdDSA, ML-DSA)') : 'ECDSA in DER';
  return { ...bytesNode(label, bytes, 0, `${shape}, ${count(bytes.length, 'byte')}`), ...(children !== undefined && { children }) };
}
