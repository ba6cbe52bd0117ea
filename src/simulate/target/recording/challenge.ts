import { plainBase64 } from '../../../explain/annotate/har-entries.js';
import { encodeUtf8 } from '../../../kernel/bytes.js';
import { encodeBase64url } from '../../../webauthn/base64url.js';
import type { RecordedExchange } from './exchanges.js';
import { type Found, listValues } from './sources.js';

/** A challenge that a server sent without options around it. */
export interface RecordedChallenge {
  /** Index of the exchange in the recording. */
  readonly index: number;
  readonly found: Found;
  /** Filter in the profile that converts the sent value to base64url, which options need. */
  readonly filter: string;
}

/**
 * Finds the last response before the exchange `before` that contains the challenge as a single value: in any form of base64, or as a string
 * whose bytes are the challenge.
 */
export function findChallenge(exchanges: readonly RecordedExchange[], challenge: string, before: number): RecordedChallenge | undefined {
  for (let index = before - 1; index >= 0; index -= 1) {
    const exchange = exchanges[index];
    for (const found of exchange === undefined ? [] : listValues(exchange)) {
      const filter = filterFor(found.value, challenge);
      if (filter !== undefined) return { index, found, filter };
    }
  }
  return undefined;
}

/**
 * Chooses the filter that converts a value to the challenge in base64url. Empty if the value needs no conversion. Undefined if the value is
 * not the challenge.
 */
function filterFor(value: string, bytes: string): string | undefined {
  if (value === bytes) return '';
  if (plainBase64(value) === bytes) return ' | base64url';
  return encodeText(value) === bytes ? ' | bytes' : undefined;
}

/** Encodes the UTF-8 bytes of a string in base64url. */
export const encodeText = (text: string): string => encodeBase64url(encodeUtf8(text));
