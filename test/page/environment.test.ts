import { describe, expect, test } from 'vitest';
import { arrival, localhostUrl, noticesFor, redirection, type Surroundings, takeKey } from '../../src/page/environment.js';

const FINE: Surroundings = {
  url: 'http://localhost:7277/#autofill=on',
  secureContext: true,
  webAuthn: true,
  framed: false,
  mayCreate: true,
  mayGet: true,
};

describe('noticesFor', () => {
  test('has nothing to say where passkeys work', () => {
    expect(noticesFor(FINE)).toStrictEqual([]);
    expect(noticesFor({ ...FINE, mayCreate: undefined, mayGet: undefined })).toStrictEqual([]);
  });

  test.each<[string, Partial<Surroundings>, RegExp, string | undefined]>([
    ['a loopback address', { url: 'http://127.0.0.1:7277/#x=1' }, /IP address \(127\.0\.0\.1\)/, 'http://localhost:7277/#x=1'],
    ['the loopback address of IPv6', { url: 'http://[::1]:7277/' }, /IP address \(\[::1\]\)/, 'http://localhost:7277/'],
    ['another IP address', { url: 'http://192.168.1.9:7277/' }, /IP address/, undefined],
    ['no secure context', { secureContext: false, webAuthn: false }, /Not a secure context/, undefined],
    ['no WebAuthn', { webAuthn: false }, /no WebAuthn/, undefined],
    ['a permission policy', { mayGet: false }, /permission policy/, undefined],
    ['an iframe', { framed: true }, /In an iframe/, undefined],
  ])('explains %s', (_case, change, title, link) => {
    const [first, ...rest] = noticesFor({ ...FINE, ...change });
    expect(first?.title).toMatch(title);
    expect(first?.link).toBe(link);
    expect(rest).toStrictEqual([]);
  });

  test('names the features that the permission policy withholds', () => {
    expect(noticesFor({ ...FINE, mayCreate: false, mayGet: false })[0]?.detail).toContain(
      'publickey-credentials-create, publickey-credentials-get',
    );
  });
});

describe('localhostUrl', () => {
  test('keeps port, path and fragment', () => {
    expect(localhostUrl('http://127.0.0.1:8080/?a=1#registration=%7B%7D')).toBe('http://localhost:8080/?a=1#registration=%7B%7D');
  });

  test('keeps the scheme: a server with a certificate answers nothing else', () => {
    expect(localhostUrl('https://127.0.0.1:8443/')).toBe('https://localhost:8443/');
  });
});

describe('redirection', () => {
  test.each([
    ['http://127.0.0.1:7277/', 'http://localhost:7277/#from=127.0.0.1'],
    ['http://[::1]:7277/#autofill=on', 'http://localhost:7277/#autofill=on&from=%5B%3A%3A1%5D'],
    ['http://127.0.0.1:7277/#stay=on', undefined],
    ['http://192.168.1.9:7277/', undefined],
    ['http://localhost:7277/', undefined],
  ])('%s goes on to %s', (url, target) => {
    expect(redirection(url)).toBe(target);
  });

  test('is told at the place of arrival, and nothing else is', () => {
    expect(arrival('http://localhost:7277/#autofill=on&from=%5B%3A%3A1%5D')).toMatch(/^Opened at \[::1\]\. .* went on to localhost\.$/);
    expect(arrival('http://localhost:7277/#from=%3Cb%3E')).toBe('');
    expect(arrival('http://localhost:7277/')).toBe('');
  });
});

describe('the key in the address', () => {
  test.each([
    ['http://localhost:7277/#key=a-b_c', { key: 'a-b_c', withoutKey: 'http://localhost:7277/' }],
    [
      'http://localhost:7277/#app_name=Shop&key=k&autofill=on',
      { key: 'k', withoutKey: 'http://localhost:7277/#app_name=Shop&autofill=on' },
    ],
    ['http://localhost:7277/#key=', { key: '', withoutKey: 'http://localhost:7277/' }],
    ['http://localhost:7277/?key=k#app_name=key', undefined],
    ['http://localhost:7277/', undefined],
  ])('%s', (url, taken) => {
    expect(takeKey(url)).toEqual(taken);
  });

  test('goes on to localhost along with the page', () => {
    expect(takeKey(redirection('http://127.0.0.1:7277/#key=k') ?? '')?.key).toBe('k');
  });
});
