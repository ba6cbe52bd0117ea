import { equalBytes } from '../../kernel/bytes.js';
import { isBase64 } from '../../webauthn/base64url.js';
import { decodedTwice, isEncoded, MISREADINGS, readHex, type WrongCharacter } from '../../webauthn/text-encoding.js';
import type { EncodedMember } from '../annotate/read-credential.js';

/** A member whose bytes are not encoded as base64url without padding. */
export interface EncodingMistake {
  /** JSON Pointer (RFC 6901), e.g. `/response/signature`. */
  readonly pointer: string;
  readonly mistake:
    | 'missing'
    | 'not-text'
    | 'wrong-character'
    | 'raw-characters'
    | 'plus-as-space'
    | 'plain-json'
    | 'hexadecimal'
    | 'encoded-twice'
    | 'base64'
    | 'padding'
    | 'cut-off';
  /** One sentence that describes the mistake and how to fix it. */
  readonly message: string;
}

type IsRight = (bytes: Uint8Array) => boolean;

/**
 * Finds out how a member is encoded that should be base64url without padding (§5.1.8). Returns undefined if the encoding is right.
 *
 * @param isRight tells whether decoded bytes make sense in this member. Without it, only the text is judged.
 */
export function encodingMistake(pointer: string, { value, text: read }: EncodedMember, isRight?: IsRight): EncodingMistake | undefined {
  const found = (mistake: EncodingMistake['mistake'], message: string): EncodingMistake => ({
    pointer,
    mistake,
    message: `${pointer} ${message}`,
  });
  if (value === undefined || value === null) {
    return found('missing', 'is missing; send the whole credential, as credential.toJSON() returns it.');
  }
  if (typeof value !== 'string' || read === undefined) {
    return found(
      'not-text',
      'is not a string: JSON cannot hold an ArrayBuffer (it becomes {} or a list of numbers); write its bytes as base64url, or send credential.toJSON().',
    );
  }
  if (!isEncoded(read)) {
    return unreadable(value, read, found);
  }
  const hex = readHex(value);
  const isHex = hex !== undefined && (isRight?.(hex.bytes) ?? isHexByLooks(value));
  if (isHex && isRight?.(read.bytes) !== true) {
    return found('hexadecimal', MISREADINGS.hexadecimal);
  }
  if (isRight !== undefined && !isRight(read.bytes)) {
    const inner = decodedTwice(read.bytes);
    if (inner !== undefined && isRight(inner)) {
      return found('encoded-twice', MISREADINGS['encoded-twice']);
    }
  }
  if (!read.canonical) {
    return found('cut-off', 'ends in bits that complete no byte: characters are missing, or one is too many; send the value unchanged.');
  }
  if (read.encoding === 'base64') {
    return found('base64', `is base64${read.padded ? ' with padding' : ''}, not base64url: write - for +, _ for /, and no =.`);
  }
  return read.padded ? found('padding', 'is base64url with padding: leave out the =.') : undefined;
}

/** Tells whether a string looks like hexadecimal: it has at least 32 digits and enough different ones, which is unlikely for base64url. */
function isHexByLooks(value: string): boolean {
  return value.length >= 32 && /\d/.test(value) && new Set(value.toLowerCase()).size >= 6;
}

type Found = (mistake: EncodingMistake['mistake'], message: string) => EncodingMistake;

function unreadable(value: string, { character, position }: WrongCharacter, found: Found): EncodingMistake {
  const where = `${JSON.stringify(character)} at position ${position} is outside the alphabet`;
  if (value.trimStart().startsWith('{')) {
    return found('plain-json', 'is plain JSON; encode its bytes as base64url.');
  }
  if (character === ' ' && /(?=.*\d)(?=.*[A-Z]).{20}/.test(value) && isBase64(value.replaceAll(' ', '+'))) {
    return found(
      'plus-as-space',
      'holds spaces where + was: the form was sent without URL encoding; send base64url, or encode the value with encodeURIComponent() or URLSearchParams.',
    );
  }
  return /[^\t-\r -~]/.test(value)
    ? found(
        'raw-characters',
        `holds the bytes as characters (String.fromCharCode or TextDecoder), which do not survive as JSON: ${where}; encode the bytes as base64url.`,
      )
    : found('wrong-character', `is not base64url: ${where}; encode the bytes (the UTF-8 of plain text) as base64url.`);
}

export const isBytes =
  (expected: Uint8Array): IsRight =>
  (bytes) =>
    equalBytes(bytes, expected);
