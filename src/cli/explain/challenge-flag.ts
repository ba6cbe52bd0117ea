import { PasskeyError } from '../../errors.js';
import { isEncoded, readBase64, readHex } from '../../webauthn/text-encoding.js';

/** Every way to read `--challenge`, the likeliest first. @throws PasskeyError `usage` with the position of the first wrong character. */
export function readChallenge(raw: string): readonly Uint8Array[] {
  const text = raw.trim();
  const base64 = readBase64(text);
  const hex = readHex(text);
  if (!isEncoded(base64) && hex === undefined) {
    throw new PasskeyError(
      'usage',
      `--challenge expects base64url, base64 or hexadecimal; got ${JSON.stringify(base64.character)} at position ${base64.position}.`,
    );
  }
  const readings = [...(isEncoded(base64) ? [base64.bytes] : []), ...(hex === undefined ? [] : [hex.bytes])];
  if (readings.every((bytes) => bytes.length === 0)) {
    throw new PasskeyError(
      'usage',
      `--challenge expects base64url, base64 or hexadecimal; got ${text === '' ? 'nothing' : 'a single character, which stands for no byte'}.`,
    );
  }
  return readings;
}
