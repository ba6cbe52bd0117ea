import { annotateCredential } from '../../explain/annotate/credential.js';
import type { AnnotatedNode } from '../../explain/annotate/node.js';
import { readCredential } from '../../explain/annotate/read-credential.js';
import { decodeBase64 } from '../../webauthn/base64url.js';
import { encodeUtf8, toHex } from '../../webauthn/bytes.js';
import type { JsonObject } from '../json.js';
import type { Field } from './tree.js';

/** What the options asked for: the response is shown against it. */
export interface Asked {
  readonly challenge: string | undefined;
  readonly origin: string;
  readonly rpId: string | undefined;
}

interface Expected extends Asked {
  /** SHA-256 of the RP ID in hexadecimal, where the browser computes one. */
  readonly rpIdHash: string | undefined;
}

/** What the results of extensions mean (WebAuthn L3 §10.1), by the name of the member and of the one around it. */
const EXTENSION_NOTES: Readonly<Record<string, (value: string | undefined) => string | undefined>> = {
  'credProps.rk': (value) => (value === 'true' ? 'discoverable' : 'can be found by its id only'),
  'prf.enabled': (value) => (value === 'true' ? 'the passkey has a pseudo-random function' : 'the passkey has no pseudo-random function'),
  'results.first': (value) => `${bytesNote(value)}: a secret of this passkey and this input`,
  'results.second': (value) => `${bytesNote(value)}: a secret of this passkey and this input`,
  'largeBlob.supported': (value) => (value === 'true' ? 'the passkey can keep a blob' : 'the passkey cannot keep a blob'),
  'largeBlob.written': (value) => (value === 'true' ? 'the blob was stored' : 'the blob was not stored'),
  'largeBlob.blob': (value) => bytesNote(value, true),
};

type Marks = Pick<Field, 'verdict' | 'note'>;

/** RegistrationResponseJSON or AuthenticationResponseJSON, decoded to the last byte. Never throws: what cannot be read says why. */
export async function decodeResponse(response: JsonObject, asked: Asked): Promise<Field[]> {
  const rpIdHash = asked.rpId === undefined ? undefined : await sha256(asked.rpId);
  const rpIds = new Map(asked.rpId === undefined || rpIdHash === undefined ? [] : [[rpIdHash, asked.rpId]]);
  const { children = [] } = annotateCredential(readCredential(response), { label: 'response', rpIds });
  return children.map((node) => fieldOf(node, '', { ...asked, rpIdHash }));
}

function fieldOf(node: AnnotatedNode, parent: string, expected: Expected): Field {
  const { label, offset, length, value, note, error, children } = node;
  return {
    name: label,
    value,
    note: note ?? EXTENSION_NOTES[`${parent}.${label}`]?.(value),
    ...(offset !== undefined && length !== undefined && { at: { offset, length } }),
    ...marksOf(node, parent, expected),
    ...(error !== undefined && { note: error, verdict: 'bad' as const }),
    ...(children !== undefined && { children: children.map((child) => fieldOf(child, label, expected)) }),
  };
}

/** Good or bad, where it is known what should stand there. */
function marksOf({ label, value, note }: AnnotatedNode, parent: string, { challenge, origin, rpId, rpIdHash }: Expected): Marks {
  if (parent === 'flags') {
    return { verdict: value === '1' ? 'good' : 'neutral' };
  }
  if (parent === 'clientDataJSON' && label === 'challenge') {
    return against(value, challenge === undefined ? undefined : JSON.stringify(challenge));
  }
  if (parent === 'clientDataJSON' && label === 'origin') {
    return against(value, JSON.stringify(origin));
  }
  return label === 'rpIdHash' && rpIdHash !== undefined
    ? { verdict: value === rpIdHash ? 'good' : 'bad', note: value === rpIdHash ? note : `not the SHA-256 of "${rpId}"` }
    : {};
}

function against(value: string | undefined, expected: string | undefined): Marks {
  if (expected === undefined) {
    return {};
  }
  return value === expected ? { verdict: 'good', note: 'as expected' } : { verdict: 'bad', note: `expected ${expected}` };
}

/** Number of the bytes of a base64url text in quotes, and what they say where they are text. */
function bytesNote(value: string | undefined, text = false): string | undefined {
  const bytes = decodeBase64(value?.replace(/^"|"$/g, '') ?? '')?.bytes;
  if (bytes === undefined) {
    return undefined;
  }
  const count = `${bytes.length} ${bytes.length === 1 ? 'byte' : 'bytes'}`;
  const said = new TextDecoder().decode(bytes);
  return text && /^[\p{L}\p{N}\p{P}\p{S}\s]+$/u.test(said) && !said.includes('\uFFFD') ? `${count}: ${JSON.stringify(said)}` : count;
}

/** Undefined outside secure contexts, where there is no `crypto.subtle`. */
async function sha256(text: string): Promise<string | undefined> {
  return 'subtle' in crypto ? toHex(new Uint8Array(await crypto.subtle.digest('SHA-256', Uint8Array.from(encodeUtf8(text))))) : undefined;
}
