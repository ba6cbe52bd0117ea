import { describe, expect, test } from 'vitest';
import { encodeUtf8 } from '../../../src/kernel/bytes.js';
import { findRewriting } from '../../../src/relying-party/diagnosis/rewritten-client-data.js';

const challenge = '5ZP0qYn-qO8WNJHWivRjG-YnGqT_45xXBucs_QGhTNk';
const origin = 'https://shop.example';
const members = { type: 'webauthn.get', challenge, origin, crossOrigin: false };
const { type, ...others } = members;

describe('client data that were written again', () => {
  test.each<[string, string, string]>([
    ['by Python', JSON.stringify(members, null, 1).replaceAll(/\n */g, ' '), 'white space between its members'],
    ['with indentation', JSON.stringify(members, null, 2), 'white space between its members'],
    ['by PHP', JSON.stringify(members).replaceAll('/', '\\/'), 'slashes with a backslash before them'],
    [
      'by a serialiser that escapes',
      JSON.stringify(members).replace('=', '').replace('-qO8', '\\u002dqO8'),
      'escapes of characters that need none',
    ],
    ['from a map', JSON.stringify({ crossOrigin: false, origin, type, challenge }), 'its members in another order'],
    ['in the order of the alphabet', JSON.stringify({ origin, challenge, type }), 'its members in another order'],
  ])('%s', (_, text, found) => {
    expect(findRewriting(encodeUtf8(text))).toBe(found);
  });
});

test.each<[string, object]>([
  ['a browser of today', members],
  [
    'Chromium, with its further member',
    { ...members, other_keys_can_be_added_here: 'do not compare clientDataJSON against a template. See https://goo.gl/yabPex' },
  ],
  ['Android', { type, challenge, origin: 'android:apk-key-hash:q6urq6s', androidPackageName: 'com.example' }],
  ['Firefox before 2022', { ...others, type, hashAlgorithm: 'SHA-256' }],
  ['a page with an umlaut', { ...members, origin: 'https://bücher.example' }],
])('%s writes them so', (_, data) => {
  expect(findRewriting(encodeUtf8(JSON.stringify(data)))).toBeUndefined();
});
