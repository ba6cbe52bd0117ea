import { plainBase64 } from '../../../explain/annotate/har-entries.js';
import { encodeUtf8 } from '../../../kernel/bytes.js';
import { encodeBase64url } from '../../../webauthn/base64url.js';
import type { RecordedExchange } from './exchanges.js';
import { type Found, listValues } from './sources.js';

/** A challenge in an answer that is no options. */
export interface RecordedChallenge {
  /** Index of the exchange. */
  readonly index: number;
  readonly found: Found;
  /** Makes base64url of it, as options have it. */
  readonly filter: string;
}

/** The last answer before `before` that has the challenge as one value: as any base64 of it, or as the text whose bytes it is. */
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

/** The filter that makes base64url of a value; empty if the value is base64url already. */
function filterFor(value: string, bytes: string): string | undefined {
  if (value === bytes) return '';
  if (plainBase64(value) === bytes) return ' | base64url';
  return encodeText(value) === bytes ? ' | bytes' : undefined;
}

/** The UTF-8 of a text, as base64url. */
export const encodeText = (text: string): string => encodeBase64url(encodeUtf8(text));
