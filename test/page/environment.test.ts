import { describe, expect, test } from 'vitest';
import { arrival, noticesFor, redirection, takeKey } from '../../src/page/environment.js';

type Surroundings = Parameters<typeof noticesFor>[0];

const FINE: Surroundings = {
  url: 'http://localhost:7277/#autofill=on',
  secureContext: true,
  webAuthn: true,
  framed: false,
  mayCreate: true,
  mayGet: true,
};

describe('noticesFor', () => {
  test('is empty where passkeys work', () => {
    expect(noticesFor(FINE)).toStrictEqual([]);
    expect(noticesFor({ ...FINE, mayCreate: undefined, mayGet: undefined })).toStrictEqual([]);
  });

  test.each<[string, Partial<Surroundings>, RegExp, string | undefined]>([
    ['a loopback address', { url: 'http://127.0.0.1:7277/#x=1' }, /IP address \(127\.0\.0\.1\)/, 'http://localhost:7277/#x=1'],
    ['the loopback address of IPv6', { url: 'http://[::1]:7277/' }, /IP address \(\[::1\]\)/, 'http://localhost:7277/'],
    [
      'it, with a path and a setup',
      { url: 'http://127.0.0.1:8080/?a=1#registration=%7B%7D' },
      /IP address/,
      'http://localhost:8080/?a=1#registration=%7B%7D',
    ],
    ['it, with a certificate: only https answers', { url: 'https://127.0.0.1:8443/' }, /IP address/, 'https://localhost:8443/'],
    ['another IP address', { url: 'http://192.168.1.9:7277/' }, /IP address/, undefined],
    ['no secure context', { secureContext: false, webAuthn: false }, /Not a secure context/, undefined],
    ['no WebAuthn', { webAuthn: false }, /no WebAuthn/, undefined],
    ['a permissions policy', { mayGet: false }, /permissions policy/, undefined],
    ['an iframe', { framed: true }, /In an iframe/, undefined],
  ])('explains %s', (_case, change, title, link) => {
    const [first, ...rest] = noticesFor({ ...FINE, ...change });
    expect(first?.title).toMatch(title);
    expect(first?.link).toBe(link);
    expect(rest).toStrictEqual([]);
  });

  test('leads from an address of this machine to localhost, and from another to a host name', () => {
    const details = ['127.0.0.1', '192.168.1.9'].map((host) => noticesFor({ ...FINE, url: `http://${host}:7277/` })[0]?.detail);
    expect(details).toEqual([expect.stringContaining('answers at localhost'), expect.stringContaining('Use a host name with https')]);
  });

  test('names the features that the permissions policy withholds', () => {
    expect(noticesFor({ ...FINE, mayCreate: false, mayGet: false })[0]?.detail).toContain(
      'publickey-credentials-create, publickey-credentials-get',
    );
  });
});

describe('redirection', () => {
  test.each([
    ['http://127.0.0.1:7277/', 'http://localhost:7277/#from=127.0.0.1'],
    ['http://[::1]:7277/#autofill=on', 'http://localhost:7277/#autofill=on&from=%5B%3A%3A1%5D'],
    ['http://127.0.0.1:7277/#stay=on', undefined],
    ['http://192.168.1.9:7277/', undefined],
    ['http://localhost:7277/', undefined],
  ])('%s redirects to %s', (url, target) => {
    expect(redirection(url)).toBe(target);
  });

  test('is reported after the redirect, and only then', () => {
    expect(arrival('http://localhost:7277/#autofill=on&from=%5B%3A%3A1%5D')).toMatch(/^Opened at \[::1\]\. .* moved to localhost\.$/);
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

  test('survives the redirect to localhost', () => {
    expect(takeKey(redirection('http://127.0.0.1:7277/#key=k') ?? '')?.key).toBe('k');
  });
});
