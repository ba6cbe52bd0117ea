import { decodedTwice, isEncoded, readBase64, readHex } from '../../webauthn/annotate/text-encoding.js';
import { equalBytes } from '../../webauthn/bytes.js';

/** One member that holds bytes in another way than as base64url without padding. */
export interface EncodingMistake {
  /** RFC 6901, e.g. `/response/signature`. */
  readonly pointer: string;
  readonly mistake: 'not-text' | 'wrong-character' | 'plain-json' | 'hexadecimal' | 'encoded-twice' | 'base64' | 'padding' | 'cut-off';
  /** One sentence with the fix. */
  readonly message: string;
}

type IsRight = (bytes: Uint8Array) => boolean;

/**
 * How a member that should be base64url without padding (§5.1.8) is really written; undefined when it is right.
 *
 * @param isRight whether bytes are what the member should hold; without it only the text is judged.
 */
export function encodingMistake(pointer: string, value: unknown, isRight?: IsRight): EncodingMistake | undefined {
  const found = (mistake: EncodingMistake['mistake'], message: string): EncodingMistake => ({
    pointer,
    mistake,
    message: `${pointer} ${message}`,
  });
  if (typeof value !== 'string') {
    return found(
      'not-text',
      'is no text: JSON cannot hold an ArrayBuffer (it becomes {} or a list of numbers); write its bytes as base64url, or send credential.toJSON().',
    );
  }
  const read = readBase64(value);
  if (!isEncoded(read)) {
    return value.trimStart().startsWith('{')
      ? found('plain-json', 'is plain JSON; encode its bytes as base64url.')
      : found(
          'wrong-character',
          `is no base64url: ${JSON.stringify(read.character)} at position ${read.position} is outside the alphabet; encode the bytes as base64url.`,
        );
  }
  if (isRight !== undefined && !isRight(read.bytes)) {
    const hex = readHex(value);
    if (hex !== undefined && isRight(hex.bytes)) {
      return found('hexadecimal', 'is hexadecimal; write the bytes as base64url.');
    }
    const inner = decodedTwice(read.bytes);
    if (inner !== undefined && isRight(inner)) {
      return found('encoded-twice', 'is encoded twice: its bytes are base64 text again; encode once.');
    }
  }
  if (!read.canonical) {
    return found('cut-off', 'ends in bits that belong to no byte: characters are missing; send the whole value.');
  }
  if (read.encoding === 'base64') {
    return found('base64', `is base64${read.padded ? ' with padding' : ''}, not base64url: write - for +, _ for /, and no =.`);
  }
  return read.padded ? found('padding', 'is base64url with padding: leave the = away.') : undefined;
}

export const isBytes =
  (expected: Uint8Array): IsRight =>
  (bytes) =>
    equalBytes(bytes, expected);
