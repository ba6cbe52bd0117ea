import { describe, expect } from 'vitest';
import { decodeBase64, decodeBase64url, encodeBase64, encodeBase64url } from '../../src/webauthn/base64url.js';
import { fc } from '../properties.js';
import { quick as test, thorough } from '../thorough.js';
import { text as anyText, bytes } from './arbitraries.js';

const text = (value: string) => new TextEncoder().encode(value);

describe('encodeBase64url and encodeBase64', () => {
  test.each([
    ['', '', ''],
    ['f', 'Zg', 'Zg=='],
    ['fo', 'Zm8', 'Zm8='],
    ['foo', 'Zm9v', 'Zm9v'],
    ['foob', 'Zm9vYg', 'Zm9vYg=='],
    ['fooba', 'Zm9vYmE', 'Zm9vYmE='],
    ['foobar', 'Zm9vYmFy', 'Zm9vYmFy'],
  ])('write %j (RFC 4648 §10)', (plain, url, standard) => {
    expect(encodeBase64url(text(plain))).toBe(url);
    expect(encodeBase64(text(plain))).toBe(standard);
  });

  test('differ in the last two characters of the alphabet', () => {
    expect(encodeBase64url(Uint8Array.of(0xfb, 0xff, 0xfe))).toBe('-__-');
    expect(encodeBase64(Uint8Array.of(0xfb, 0xff, 0xfe))).toBe('+//+');
  });

  test('agree with Node', () => {
    fc.assert(
      fc.property(bytes(200), (value) => {
        expect(encodeBase64url(value)).toBe(Buffer.from(value).toString('base64url'));
        expect(encodeBase64(value)).toBe(Buffer.from(value).toString('base64'));
      }),
    );
  });
});

thorough('a text of millions of characters comes back as it was', () => {
  const bytes = Uint8Array.from({ length: 3_000_001 }, (_, index) => (index * 7) >> 3);
  expect(encodeBase64url(bytes) === Buffer.from(bytes).toString('base64url')).toBe(true);
  expect(Buffer.compare(decodeBase64url(encodeBase64url(bytes)), bytes)).toBe(0);
});

test.each(['\u00ff', '\u0100', '\u{1f600}', '\u0141'])('%s is in no alphabet', (character) => {
  expect(decodeBase64(`AA${character}A`)).toBeUndefined();
});

describe('decodeBase64', () => {
  test('reads what both encoders write', () => {
    fc.assert(
      fc.property(bytes(200), (value) => {
        expect(decodeBase64(encodeBase64url(value))).toEqual({ bytes: value, canonical: true });
        expect(decodeBase64(encodeBase64(value))).toEqual({ bytes: value, canonical: true });
      }),
    );
  });

  test.each([
    ['-_+/', [0xfb, 0xff, 0xbf], true],
    ['Zg', [0x66], true],
    ['Zg==', [0x66], true],
    ['Zh', [0x66], false],
    ['Zh==', [0x66], false],
    ['Zm9', [0x66, 0x6f], false],
    ['Zm9v', [0x66, 0x6f, 0x6f], true],
    ['Zm9vA', [0x66, 0x6f, 0x6f], false],
    ['A', [], false],
    ['', [], true],
  ])('reads %j', (value, expected, canonical) => {
    expect(decodeBase64(value)).toEqual({ bytes: Uint8Array.from(expected), canonical });
  });

  test.each(['Zm9v!', 'Zm 9', 'Zm9v\n', 'Zé', 'Z=g', 'Zg=', 'Zg===', '=', '====', 'Zm9v=', 'Zm8=Zm8=', 'Zg==Zg', 'Z%3D'])(
    'refuses %j',
    (value) => {
      expect(decodeBase64(value)).toBeUndefined();
    },
  );

  test('answers for every text', () => {
    fc.assert(
      fc.property(anyText(), (value) => {
        const decoded = decodeBase64(value);
        expect(decoded === undefined).toBe(
          !/^[A-Za-z0-9+/_-]*$/.test(value.replace(/={1,2}$/, '')) || (value.endsWith('=') && value.length % 4 !== 0),
        );
      }),
    );
  });

  test('calls canonical exactly what an encoder writes', () => {
    fc.assert(
      fc.property(fc.stringMatching(/^[A-Za-z0-9_-]{0,12}$/), (value) => {
        const decoded = decodeBase64(value);
        expect(decoded?.canonical).toBe(decoded !== undefined && encodeBase64url(decoded.bytes) === value);
      }),
    );
  });
});

describe('decodeBase64url', () => {
  test('reads what encodeBase64url writes', () => {
    fc.assert(
      fc.property(bytes(200), (value) => {
        expect(decodeBase64url(encodeBase64url(value))).toEqual(value);
      }),
    );
  });

  test.each([
    ['Zg==', 'got "=" at position 2'],
    ['+A', 'got "+" at position 0'],
    ['AA/A', 'got "/" at position 2'],
    ['AAA\n', 'got "\\n" at position 3'],
    ['AAAAA', 'a lone character at position 4'],
    ['Zh', 'the last character, at position 1'],
    ['Zm9', 'the last character, at position 2'],
  ])('refuses %j', (value, detail) => {
    expect(() => decodeBase64url(value)).toThrow(
      expect.objectContaining({ code: 'validation_failed', message: expect.stringContaining(detail) }),
    );
  });
});
