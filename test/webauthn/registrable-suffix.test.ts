import { describe, expect, test } from 'vitest';
import { isPublicSuffix, isRegistrableSuffix, publicSuffix } from '../../src/webauthn/registrable-suffix.js';
import { fc } from '../properties.js';

/** Of both sections of the list, by a rule of their own, by a wildcard (`*.ck`) and by no rule at all. */
const PUBLIC_SUFFIXES = ['com', 'co.uk', 'github.io', 's3.amazonaws.com', 'xn--55qx5d.cn', 'foo.ck', 'localhost', 'intranet'];

describe('publicSuffix', () => {
  test.each([
    ['www.example.co.uk', 'co.uk'],
    ['ada.github.io', 'github.io'],
    ['github.io', 'github.io'],
    ['GitHub.IO', 'github.io'],
    ['www.公司.cn', 'xn--55qx5d.cn'],
    ['a.b.foo.ck', 'foo.ck'],
    ['a.www.ck', 'ck'],
    ['app.localhost', 'localhost'],
    ['b.a.intranet', 'intranet'],
    ['example.co.uk.', 'co.uk.'],
    ['example.com..', 'com..'],
    ['127.0.0.1', undefined],
    ['[::1]', undefined],
    ['example.com:443', undefined],
    ['https://example.com', undefined],
    ['', undefined],
  ])('of %j is %j', (host, expected) => {
    expect(publicSuffix(host)).toBe(expected);
  });
});

test.each(['.', '..'])('dots at the end stay (%s)', (dots) => {
  expect(publicSuffix(`www.example.co.uk${dots}`)).toBe(`co.uk${dots}`);
});

describe('isPublicSuffix', () => {
  test.each([...PUBLIC_SUFFIXES, 'CO.UK', 'com.'])('holds for %s', (host) => expect(isPublicSuffix(host)).toBe(true));

  test.each(['example.com', 'www.ck', 'a.github.io', 'app.localhost', '127.0.0.1', '::1', 'a b', ''])('does not for %j', (host) =>
    expect(isPublicSuffix(host)).toBe(false),
  );
});

describe('isRegistrableSuffix', () => {
  test.each([
    // HTML's own table.
    ['0.0.0.0', '0.0.0.0', true],
    ['0x10203', '0.1.2.3', true],
    ['[0::1]', '::1', true],
    ['example.com', 'example.com', true],
    ['example.com', 'example.com.', false],
    ['example.com.', 'example.com', false],
    ['example.com', 'www.example.com', true],
    ['com', 'example.com', false],
    ['example', 'example', true],
    ['compute.amazonaws.com', 'example.compute.amazonaws.com', false],
    ['example.compute.amazonaws.com', 'www.example.compute.amazonaws.com', false],
    ['amazonaws.com', 'www.example.compute.amazonaws.com', false],
    ['amazonaws.com', 'test.amazonaws.com', true],
    // Public suffixes of both sections, each as Chromium 156 answers.
    ['co.uk', 'co.uk', true],
    ['co.uk', 'example.co.uk', false],
    ['github.io', 'github.io', true],
    ['github.io', 'ada.github.io', false],
    ['ada.github.io', 'www.ada.github.io', true],
    ['s3.amazonaws.com', 'bucket.s3.amazonaws.com', false],
    ['公司.cn', 'example.公司.cn', false],
    ['example.公司.cn', 'www.example.xn--55qx5d.cn', true],
    ['foo.ck', 'a.foo.ck', false],
    ['ck', 'www.ck', false],
    ['www.ck', 'a.www.ck', true],
    ['com.', 'example.com.', false],
    ['com..', 'example.com..', false],
    ['example.com.', 'www.example.com.', true],
    // Names that the list does not have.
    ['localhost', 'localhost', true],
    ['localhost', 'app.localhost', false],
    ['app.localhost', 'a.app.localhost', true],
    ['intranet', 'intranet', true],
    ['intranet', 'www.intranet', false],
    ['www.intranet', 'a.www.intranet', true],
    // Spelling, and what is no suffix or no host.
    ['EXAMPLE.com', 'login.example.COM', true],
    ['bücher.example', 'www.xn--bcher-kva.example', true],
    ['example.com', 'evilexample.com', false],
    ['example.com', 'example.com.evil.test', false],
    ['login.example.com', 'example.com', false],
    ['.example.com', 'login.example.com', false],
    ['', 'example.com', false],
    ['example.com', '', false],
    ['0.1', '127.0.0.1', false],
    ['0.0.1', '127.0.0.1', false],
    ['example.com:443', 'example.com', false],
    ['https://example.com', 'example.com', false],
    ['example.com/', 'example.com', false],
  ])('of %s for %s: %s', (rpId, host, expected) => {
    expect(isRegistrableSuffix(rpId, host)).toBe(expected);
  });

  const suffix = fc.constantFrom(...PUBLIC_SUFFIXES);
  const label = fc.stringMatching(/^[a-z][a-z0-9]{0,8}$/);
  const labels = fc.array(label, { minLength: 1, maxLength: 4 });

  test('begins at the name below the public suffix, and holds for each longer name of the host', () => {
    fc.assert(
      fc.property(labels, suffix, (below, shared) => {
        const names = below.map((_, index) => `${below.slice(index).join('.')}.${shared}`);
        const host = names[0] ?? '';
        // Some labels make a public suffix of their own: `s3.eu-west-1.amazonaws.com`, `uk.com`.
        fc.pre(publicSuffix(host) === shared);
        for (const name of names) expect(isRegistrableSuffix(name, host)).toBe(true);
        expect(isRegistrableSuffix(shared, host)).toBe(false);
        expect(isRegistrableSuffix(shared, shared)).toBe(true);
      }),
    );
  });

  test('never holds without a dot before the suffix', () => {
    fc.assert(
      fc.property(fc.domain(), fc.domain(), (rpId, host) => {
        expect(isRegistrableSuffix(rpId, `${host}.${rpId}`)).toBe(!isPublicSuffix(rpId));
        expect(isRegistrableSuffix(rpId, `x${rpId}`)).toBe(false);
        expect(isRegistrableSuffix(rpId, host)).toBe(host === rpId || (host.endsWith(`.${rpId}`) && !isPublicSuffix(rpId)));
      }),
    );
  });

  test('of another name is always longer than the public suffix of the host (step 4.4 of the algorithm)', () => {
    fc.assert(
      fc.property(fc.array(fc.oneof(label, suffix), { minLength: 1, maxLength: 5 }), (parts) => {
        const names = parts
          .join('.')
          .split('.')
          .map((_, index, all) => all.slice(index).join('.'));
        const host = names[0] ?? '';
        for (const rpId of names.slice(1).filter((name) => isRegistrableSuffix(name, host))) {
          expect(rpId.endsWith(`.${publicSuffix(host)}`)).toBe(true);
        }
      }),
    );
  });

  test('takes either spelling, and a dot at the end of both', () => {
    fc.assert(
      fc.property(labels, labels, suffix, (above, below, shared) => {
        const rpId = `${below.join('.')}.${shared}`;
        const host = `${above.join('.')}.${rpId}`;
        const expected = isRegistrableSuffix(rpId, host);
        expect(isRegistrableSuffix(rpId.toUpperCase(), host)).toBe(expected);
        expect(isRegistrableSuffix(`${rpId}.`, `${host}.`)).toBe(expected);
        expect(isRegistrableSuffix(`${rpId}.`, host)).toBe(false);
      }),
    );
  });

  test('answers for any two texts, and any text fits itself exactly where it is a host', () => {
    fc.assert(
      fc.property(fc.string(), fc.string(), (rpId, host) => {
        expect(isRegistrableSuffix(rpId, host)).toBeTypeOf('boolean');
        expect(publicSuffix(host) === undefined || isRegistrableSuffix(host, host)).toBe(true);
      }),
    );
  });
});
