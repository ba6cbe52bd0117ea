import { describe, expect, test } from 'vitest';
import { readMember } from '../../../src/explain/annotate/read-credential.js';
import { encodingMistake, isBytes } from '../../../src/explain/report/encoding.js';
import { encodeUtf8, toHex } from '../../../src/kernel/bytes.js';
import { encodeBase64, encodeBase64url } from '../../../src/webauthn/base64url.js';

const bytes = Uint8Array.from({ length: 40 }, (_, index) => 255 - index);
const right = encodeBase64url(bytes);

describe('how a member is written', () => {
  test.each<[string, unknown, string | undefined]>([
    ['base64url', right, undefined],
    ['base64 with its own characters', encodeBase64(bytes), 'base64'],
    ['base64url with padding', `${right}==`.replace(/=+$/, '=='), 'padding'],
    ['hexadecimal', toHex(bytes), 'hexadecimal'],
    ['encoded twice', encodeBase64url(encodeUtf8(right)), 'encoded-twice'],
    ['base64url of base64', encodeBase64url(encodeUtf8(encodeBase64(bytes))), 'encoded-twice'],
    ['cut off', right.slice(0, -1), 'cut-off'],
    ['plain text', 'hello world', 'wrong-character'],
    ['a form that was not encoded', 'q83vASNFZ4mrze8 AAEC/w ', 'plus-as-space'],
    ['bytes as characters', String.fromCharCode(...bytes), 'raw-characters'],
    ['bytes through TextDecoder', new TextDecoder().decode(bytes), 'raw-characters'],
    ['plain JSON', '{"type":"webauthn.get"}', 'plain-json'],
    ['an ArrayBuffer through JSON.stringify', {}, 'not-text'],
    ['a list of numbers', [1, 2], 'not-text'],
    ['nothing', undefined, 'missing'],
    ['null', null, 'missing'],
  ])('%s', (_, value, mistake) => {
    const found = encodingMistake('/response/signature', readMember(value), isBytes(bytes));
    expect(found?.mistake).toBe(mistake);
    if (found !== undefined) expect(found.message).toMatch(/^\/response\/signature (is|ends|holds)/);
  });

  test.each<[string, string, string | undefined]>([
    ['a signature in hexadecimal', toHex(bytes), 'hexadecimal'],
    ['a UUID without dashes', '550e8400e29b41d4a716446655440000', 'hexadecimal'],
    ['zeros in base64url', encodeBase64url(new Uint8Array(30)), undefined],
    ['a short number', 'MTIzNDU2Nzg5', undefined],
    ['few digits', '12345678', undefined],
    ['base64url of text', encodeBase64url(encodeUtf8('550e8400e29b41d4a716446655440000')), undefined],
  ])('where nothing is known of the bytes: %s', (_, value, mistake) => {
    expect(encodingMistake('/response/signature', readMember(value))?.mistake).toBe(mistake);
  });

  test('names the position of the first wrong character', () => {
    expect(encodingMistake('/id', readMember('AAAA AAAA'))?.message).toContain('" " at position 4');
  });
});
