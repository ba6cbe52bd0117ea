import { isEncoded, readBase64 } from '../../webauthn/text-encoding.js';
import { count } from '../../webauthn/wording.js';
import { type AnnotatedNode, bytesNode, readable } from './node.js';

/** A member that holds bytes as text: how they are written, and what `annotate` makes of them. */
export function encodedField(label: string, value: unknown, annotate?: (bytes: Uint8Array) => AnnotatedNode): AnnotatedNode {
  if (typeof value !== 'string') {
    return { label, value: value === null ? 'null' : typeof value, error: 'Expected base64url text.' };
  }
  const read = readBase64(value);
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
        error: `The last character, at position ${value.replace(/=+$/, '').length - 1}, belongs to no byte: characters are missing, or one is too many.`,
      };
  const written = `${read.encoding}${read.padded ? ' with padding' : ''}`;
  if (annotate === undefined) {
    return { ...bytesNode(label, bytes, 0, `${written}, ${count(bytes.length, 'byte')}`), ...wrong };
  }
  const node = readable(label, () => annotate(bytes), { offset: 0, length: bytes.length });
  return { ...wrong, ...node, label, note: [written, node.note].filter(Boolean).join('; ') };
}

/** A user handle or the like: as text too, where it is text. */
export function textField(label: string, value: unknown): AnnotatedNode {
  return encodedField(label, value, (bytes) => {
    const text = new TextDecoder('utf-8').decode(bytes);
    const node = bytesNode(label, bytes, 0);
    return /^[\p{L}\p{N}\p{P}\p{S} ]+$/u.test(text) && !text.includes('\ufffd')
      ? { ...node, note: `${node.note}: ${JSON.stringify(text)}` }
      : node;
  });
}
