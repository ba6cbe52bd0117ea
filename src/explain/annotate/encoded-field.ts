import { count } from '../../kernel/wording.js';
import { contents, type DerElement } from '../../webauthn/der.js';
import { ecdsaSignatureParts } from '../../webauthn/der-values.js';
import { isEncoded } from '../../webauthn/text-encoding.js';
import { type AnnotatedNode, bytesNode, readable } from './node.js';
import type { EncodedMember } from './read-credential.js';

/** Annotates a JSON member that holds encoded bytes: names the encoding, and annotates the decoded bytes as `annotate` does. */
export function encodedField(
  label: string,
  { value, text: read }: EncodedMember,
  annotate?: (bytes: Uint8Array) => AnnotatedNode,
): AnnotatedNode {
  if (typeof value !== 'string' || read === undefined) {
    return { label, value: value === null ? 'null' : typeof value, error: 'Expected base64url text.' };
  }
  if (!isEncoded(read)) {
    return {
      label,
      value: JSON.stringify(value.length > 60 ? `${value.slice(0, 60)}…` : value),
      error: `Expected base64url; ${JSON.stringify(read.character)} at position ${read.position} does not belong there.`,
    };
  }
  const { bytes, canonical } = read;
  const wrong = canonical
    ? {}
    : {
        error: `The last character, at position ${value.replace(/=+$/, '').length - 1}, completes no byte: characters are missing, or one is too many.`,
      };
  const written = `${read.encoding}${read.padded ? ' with padding' : ''}`;
  if (annotate === undefined) {
    return { ...bytesNode(label, bytes, 0, `${written}, ${count(bytes.length, 'byte')}`), ...wrong };
  }
  const node = readable(label, () => annotate(bytes), { offset: 0, length: bytes.length });
  return { ...wrong, ...node, label, note: [written, node.note].filter(Boolean).join('; ') };
}

/** Annotates a user handle or a similar member. If its bytes are UTF-8, also shows them as text. */
export function textField(label: string, member: EncodedMember): AnnotatedNode {
  return encodedField(label, member, (bytes) => {
    const text = new TextDecoder('utf-8').decode(bytes);
    const node = bytesNode(label, bytes, 0);
    return /^[\p{L}\p{N}\p{P}\p{S} ]+$/u.test(text) && !text.includes('\ufffd')
      ? { ...node, note: `${node.note}: ${JSON.stringify(text)}` }
      : node;
  });
}

/** Annotates the numbers r and s of an ECDSA signature in DER; undefined if the bytes are not such a signature. */
export function signatureChildren(bytes: Uint8Array, base: number): AnnotatedNode[] | undefined {
  const parts = ecdsaSignatureParts(bytes);
  const node = (label: string, integer: DerElement) => bytesNode(label, contents(integer), base + integer.contentStart);
  return parts && [node('r', parts.r), node('s', parts.s)];
}

/** Annotates a signature and describes its format. Cannot tell which key made the signature; only verification can. */
export function annotateSignature(bytes: Uint8Array, label = 'signature'): AnnotatedNode {
  const children = signatureChildren(bytes, 0);
  const shape =
    children === undefined
      ? bytes.length === 64
        ? 'raw (right for EdDSA; ECDSA must be DER)'
        : 'raw (RSA, EdDSA, ML-DSA)'
      : 'ECDSA in DER';
  return { ...bytesNode(label, bytes, 0, `${shape}, ${count(bytes.length, 'byte')}`), ...(children !== undefined && { children }) };
}
