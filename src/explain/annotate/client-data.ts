import { encodeUtf8, equalBytes } from '../../kernel/bytes.js';
import { memberOffsets } from '../../kernel/json-offsets.js';
import { isWithinDepth, MAX_JSON_LEVELS } from '../../kernel/json-value.js';
import { count } from '../../kernel/wording.js';
import { decodeBase64 } from '../../webauthn/base64url.js';
import type { ClientData } from '../../webauthn/client-data.js';
import { type AnnotatedNode, jsonNode } from './node.js';

const KNOWN: ReadonlyMap<string, string> = new Map([
  ['topOrigin', 'origin of the page that embeds this page'],
  ['tokenBinding', 'reserved; older clients sent it'],
]);

/** Annotates client data (WebAuthn L3 §5.8.1), member by member, in the order in which the client wrote them. */
export function annotateClientData(bytes: Uint8Array, { raw }: ClientData, label = 'client data'): AnnotatedNode {
  const offsets = memberOffsets(bytes);
  const children = Object.entries(raw).map(([name, value]): AnnotatedNode => {
    const offset = offsets.get(name);
    const note = noteMember(name, value);
    return {
      ...jsonNode(name, value),
      ...(offset !== undefined && { offset, ...measureMember(bytes, offset, value) }),
      ...(note !== undefined && { note }),
    };
  });
  const mark = bytes[0] === 0xef ? ', with a byte order mark' : '';
  return { label, offset: 0, length: bytes.length, note: `JSON, ${count(bytes.length, 'byte')}${mark}`, children };
}

function noteMember(name: string, value: unknown): string | undefined {
  switch (name) {
    case 'type':
      return value === 'webauthn.create'
        ? 'a registration'
        : value === 'webauthn.get'
          ? 'an authentication'
          : 'not a type of a passkey ceremony';
    case 'challenge': {
      const decoded = decodeBase64(String(value));
      return decoded === undefined ? 'not base64url' : `base64url, ${count(decoded.bytes.length, 'byte')}`;
    }
    case 'origin':
      return String(value).startsWith('android:')
        ? 'an Android app, by the hash of its signing certificate'
        : 'the page that made the call';
    case 'crossOrigin':
      return value === true ? 'called in an iframe of another origin' : 'not in an iframe of another origin';
    default:
      return KNOWN.get(name) ?? 'not a member of the standard; verifiers ignore it';
  }
}

/**
 * Measures the length of a member in bytes. Returns no length unless the client wrote the member's value exactly as `JSON.stringify` does.
 * The time grows with the depth of the value.
 */
function measureMember(bytes: Uint8Array, offset: number, value: unknown): { readonly length?: number } {
  if (!isWithinDepth(value, MAX_JSON_LEVELS)) return {};
  const written = encodeUtf8(JSON.stringify(value));
  return equalBytes(bytes.subarray(offset, offset + written.length), written) ? { length: written.length } : {};
}
