import { expect, test } from 'vitest';
import { parseUrl } from '../../src/webauthn/parse-url.js';
import { canonicalHost, rpIdFromUrl } from '../../src/webauthn/rp-id.js';

test.each([
  ['https://example.com/a?b#c', 'https://example.com/a?b#c'],
  ['http://[::1]:7277', 'http://[::1]:7277/'],
  ['https://bücher.example', 'https://xn--bcher-kva.example/'],
  ['android:apk-key-hash:abc', 'android:apk-key-hash:abc'],
  ['', undefined],
  ['example.com', undefined],
  ['http://', undefined],
  ['http://a b', undefined],
])('%s', (text, href) => {
  expect(parseUrl(text)?.href).toBe(href);
});

test('the answer stays the same however often it is asked for', () => {
  // Node 20's URL.canParse changes its mind after about 6,000 calls.
  const answers = new Set<string | undefined>();
  for (let count = 0; count < 50_000; count += 1) {
    answers.add(parseUrl('https://bücher.example/')?.hostname);
    answers.add(rpIdFromUrl('https://bücher.example/'));
    answers.add(canonicalHost('bücher.example'));
  }
  expect([...answers]).toEqual(['xn--bcher-kva.example']);
});
