import { describe, expect, it } from 'vitest';
import { encodingMistake, isBytes } from '../../../src/relying-party/diagnosis/encoding.js';
import { encodeBase64, encodeBase64url } from '../../../src/webauthn/base64url.js';
import { encodeUtf8, toHex } from '../../../src/webauthn/bytes.js';

const bytes = Uint8Array.from({ length: 40 }, (_, index) => 255 - index);
const right = encodeBase64url(bytes);

describe('how a member is written', () => {
  it.each<[string, unknown, string | undefined]>([
    ['base64url', right, undefined],
    ['base64 with its own characters', encodeBase64(bytes), 'base64'],
    ['base64url with padding', `${right}==`.replace(/=+$/, '=='), 'padding'],
    ['hexadecimal', toHex(bytes), 'hexadecimal'],
    ['encoded twice', encodeBase64url(encodeUtf8(right)), 'encoded-twice'],
    ['base64url of base64', encodeBase64url(encodeUtf8(encodeBase64(bytes))), 'encoded-twice'],
    ['cut off', right.slice(0, -1), 'cut-off'],
    ['plain text', 'hello world', 'wrong-character'],
    ['plain JSON', '{"type":"webauthn.get"}', 'plain-json'],
    ['an ArrayBuffer through JSON.stringify', {}, 'not-text'],
    ['a list of numbers', [1, 2], 'not-text'],
    ['nothing', undefined, 'not-text'],
  ])('%s', (_, value, mistake) => {
    const found = encodingMistake('/response/signature', value, isBytes(bytes));
    expect(found?.mistake).toBe(mistake);
    if (found !== undefined) expect(found.message).toMatch(/^\/response\/signature (is|ends)/);
  });

  it('names the position of the first wrong character', () => {
    expect(encodingMistake('/id', 'AAAA AAAA')?.message).toContain('" " at position 4');
  });
});
