import { describe, expect, test } from 'vitest';
import { hostSuffixes, rpIdHint, whyNoRpId } from '../../../src/relying-party/diagnosis/rp-id.js';

test('hostSuffixes gives those of a host, and none of what is too long to be one', () => {
  expect(hostSuffixes('a.b.c')).toEqual(['a.b.c', 'b.c', 'c']);
  expect(hostSuffixes(`${'a.'.repeat(126)}b`)).toHaveLength(127);
  expect(hostSuffixes(`${'a.'.repeat(127)}b`)).toEqual([]);
});

const REFUSED: readonly [rpId: string, origin: string | undefined, why: RegExp | undefined][] = [
  ['example.org', undefined, undefined],
  ['example.org', 'https://www.example.org', undefined],
  ['example.org', 'android:apk-key-hash:AAAA', undefined],
  ['localhost', undefined, undefined],
  ['localhost', 'http://localhost:3000', undefined],
  ['example.co.uk', 'https://www.example.co.uk', undefined],
  // On its own host a public suffix is what any other name is.
  ['github.io', 'https://github.io', undefined],
  ['intranet', 'https://intranet', undefined],
  ['co.uk', undefined, /^"co\.uk" is a public suffix, .* browsers refuse it; use your own name below it\.$/],
  ['intranet', undefined, /^"intranet" is a public suffix, like every name without a dot, and browsers refuse it;/],
  ['co.uk', 'android:apk-key-hash:AAAA', /^"co\.uk" is a public suffix/],
  ['co.uk', 'https://example.org', /^"co\.uk" is a public suffix, .* use your own name below it\.$/],
  ['co.uk', 'https://www.example.co.uk', /^"co\.uk" is a public suffix, .*; use "example\.co\.uk"\.$/],
  ['vercel.app', 'https://shop.vercel.app', /^"vercel\.app" is a public suffix, .*; use "shop\.vercel\.app"\.$/],
  ['localhost', 'http://app.localhost:3000', /^"localhost" is a public suffix, .*; use "app\.localhost"\.$/],
  ['ck', 'https://a.b.foo.ck', /^"ck" is above "foo\.ck", a public suffix, whose .*; use "b\.foo\.ck"\.$/],
  [
    'amazonaws.com',
    'https://www.shop.compute.amazonaws.com',
    /^"amazonaws\.com" is above "shop\.compute\.amazonaws\.com", a public suffix, .*; use "www\.shop\.compute\.amazonaws\.com"\.$/,
  ],
  [
    'localhost',
    'https://example.org',
    /^"localhost" is neither the host of https:\/\/example\.org nor a suffix of it at a dot; .*well-known/,
  ],
  ['ample.org', 'https://example.org', /at a dot/],
  ['example.org', 'https://www.example.org.', /at a dot/],
  ['Example.org', undefined, /lower case and punycode, .*; use "example\.org"/],
  ['bücher.example', 'https://www.xn--bcher-kva.example', /punycode, .*; use "xn--bcher-kva\.example"/],
  ['an example', undefined, /^"an example" is not a host name/],
  [' localhost ', undefined, /without white space; use "localhost"/],
  [' 10.0.0.1', undefined, /IP address/],
  ['10.0.0.1', 'https://10.0.0.1', /IP address/],
  ['https://example.org', undefined, /not a URL; use "example\.org"/],
  ['localhost:3000', 'http://localhost:3000', /no port and no path; use "localhost"/],
  ['example.org/path', undefined, /no port and no path; use "example\.org"/],
  ['*.example.org', undefined, /no wildcards; use "example\.org"/],
  ['*', undefined, /no wildcards; use "example\.org"/],
  ['https://', undefined, /not a URL; use "example\.org"/],
];

describe('whyNoRpId', () => {
  test('says as recorded why an RP ID is none', async () => {
    const lines = REFUSED.map(([rpId, origin]) => `${JSON.stringify(rpId)} on ${origin}: ${whyNoRpId(rpId, origin)}`);
    await expect(`${lines.join('\n')}\n`).toMatchFileSnapshot('rp-ids.txt');
  });

  test.each(REFUSED)('of %j on %j', (rpId, origin, why) => {
    const said = whyNoRpId(rpId, origin);
    if (why === undefined) expect(said).toBeUndefined();
    else expect(said).toMatch(why);
  });
});

describe('rpIdHint', () => {
  test.each<[rpId: string, origin: string, preimage: string | undefined, hint: RegExp]>([
    // What no page may use is named first, even where the text of the hash is known.
    ['https://example.org', 'https://example.org', 'example.org', /not a URL; use "example\.org"/],
    ['localhost:3000', 'http://localhost:3000', 'localhost', /no port/],
    [' localhost ', 'http://localhost:3000', 'localhost', /without white space; use "localhost"/],
    ['Example.org', 'https://example.org', 'example.org', /lower case/],
    ['127.0.0.1', 'http://localhost:3000', 'localhost', /IP address/],
    ['co.uk', 'https://example.co.uk', 'example.co.uk', /"co\.uk" is a public suffix, .*; use "example\.co\.uk"/],
    // What the page may use, or another page might, yields to it.
    ['github.io', 'https://github.io', 'localhost', /used for RP ID "localhost", but "github\.io" is expected/],
    ['other.example', 'https://example.org', 'example.org', /used for RP ID "example\.org", but "other\.example" is expected/],
    ['localhost', 'http://app.localhost', 'app.localhost', /used for RP ID "app\.localhost"/],
    ['other.example', 'https://example.org', undefined, /neither the host.*Check that file with `passkey doctor URL --rp-id ID`\.$/],
    ['example.org', 'https://example.org', 'https://example.org', /U2F AppID "https:.*options have the appid extension/],
    ['localhost', 'http://localhost:3000', 'localhost:3000', /with a port/],
    ['example.org', 'https://example.org', undefined, /belongs to another RP ID/],
  ])('expected %j, from %j, hash of %j', (rpId, origin, preimage, hint) => {
    expect(rpIdHint({ rpId, origin, preimage })).toMatch(hint);
  });
});
