import { expect, test } from 'vitest';
import { encodeUtf8 } from '../../src/kernel/bytes.js';
import {
  showAlgorithm,
  showBytes,
  showHash,
  showId,
  showNames,
  showNumber,
  showOrigin,
  showOrigins,
  showText,
  showUserHandle,
} from '../../src/relying-party/show.js';

const bytes = (length: number) => Uint8Array.from({ length }, (_, at) => at);
const x = (length: number) => 'x'.repeat(length);

test.each([
  ['text of 80 characters', showText(x(80)), `"${x(80)}"`],
  ['text of 81 characters', showText(x(81)), `"${x(80)}…"`],
  ['text with a control character', showText('a\u001b'), '"a\\u001b"'],
  ['an origin', showOrigin('https://example.org'), 'https://example.org'],
  ['an origin of 80 characters', showOrigin(x(80)), x(80)],
  ['an origin of 81 characters', showOrigin(x(81)), `"${x(80)}…"`],
  ['an origin with a space', showOrigin('https://a b'), '"https://a b"'],
  ['no origin', showOrigins([]), 'none'],
  ['one origin', showOrigins(['https://a']), 'https://a'],
  ['two origins', showOrigins(['https://a', 'https://b']), 'https://a or https://b'],
  ['three origins', showOrigins(['https://a', ' ', 'https://c']), 'https://a, " " or https://c'],
  ['twelve names', showNames(Array.from(bytes(12), String)), '0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11'],
  ['thirteen names', showNames(Array.from(bytes(13), String)), '0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 1 more'],
  ['odd names', showNames(['a b', x(40), x(41)]), `"a b", ${x(40)}, "${x(41)}"`],
  ['an ID of 12 bytes', showId(bytes(12)), 'AAECAwQFBgcICQoL (12 bytes)'],
  ['an ID of 13 bytes', showId(bytes(13)), 'AAECAwQFBgcICQoL… (13 bytes)'],
  ['an ID of one byte', showId(bytes(1)), 'AA (1 byte)'],
  ['a hash', showHash(bytes(32)), '000102030405060708090a0b…'],
  ['a user handle that is text', showUserHandle(encodeUtf8('Zoë 7!')), '"Zoë 7!"'],
  ['a user handle with a line break', showUserHandle(encodeUtf8('a\n')), 'YQo (2 bytes)'],
  ['a user handle that is no UTF-8', showUserHandle(Uint8Array.of(0xff)), '_w (1 byte)'],
  ['an empty user handle', showUserHandle(bytes(0)), ' (0 bytes)'],
  ['16 bytes', showBytes(bytes(16)), '000102030405060708090a0b0c0d0e0f (16 bytes)'],
  ['17 bytes', showBytes(bytes(17)), '000102030405060708090a0b0c0d0e0f… (17 bytes)'],
  ['a known algorithm', showAlgorithm(-7), 'ES256 (-7)'],
  ['an unknown algorithm', showAlgorithm(-999), 'COSE algorithm -999'],
  ['a number', showNumber(0x1f, 4), '0x001f'],
])('%s', (_, shown, expected) => {
  expect(shown).toBe(expected);
});
