import { describe, expect, test } from 'vitest';
import { cookieIn, createCookieJar } from '../../../src/simulate/target/cookie-jar.js';

const after = (url: string, ...setCookie: string[]) => {
  const jar = createCookieJar();
  jar.store(url, setCookie);
  return jar;
};

describe('a cookie jar', () => {
  test.each([
    // As browsers: loopback is trustworthy, whatever the scheme, and ports are no border.
    ['http://localhost:3000/', 'a=1; Secure; HttpOnly; SameSite=Strict', 'http://localhost:4000/x', 'a=1'],
    ['http://127.0.0.1:3000/', 'a=1; Secure', 'http://127.0.0.1:3000/', 'a=1'],
    ['http://localhost/', 'a=1', 'http://127.0.0.1/', ''],
    ['http://localhost/', 'a=1', 'http://example.com/', ''],
    ['http://shop.example.com/', 'a=1; Secure', 'http://shop.example.com/', ''],
    ['https://shop.example.com/', 'a=1', 'https://www.example.com/', ''],
    ['https://shop.example.com/', 'a=1; Domain=example.com', 'https://www.example.com/', 'a=1'],
    ['https://shop.example.com/', 'a=1; Domain=other.com', 'https://other.com/', ''],
    ['https://shop.example.com/', 'a=1; Domain=com', 'https://shop.example.com/', ''],
    ['https://notexample.com/', 'a=1; Domain=example.com', 'https://example.com/', ''],
    ['http://localhost/api/login', 'a=1', 'http://localhost/api/other', 'a=1'],
    ['http://localhost/api/login', 'a=1', 'http://localhost/', ''],
    ['http://localhost/', 'a=1; Path=/auth', 'http://localhost/authors', ''],
    ['http://localhost/', 'a=1; Max-Age=0', 'http://localhost/', ''],
    ['http://localhost/', 'no cookie', 'http://localhost/', ''],
  ])('from %s with %j sends to %s: %j', (from, setCookie, to, expected) => {
    expect(after(from, setCookie).header(to)).toBe(expected);
  });

  test('lists attributes without values, and drops one cookie of those that are sent', () => {
    const url = 'https://login.shop.example/account';
    const jar = after(
      url,
      'sid=1; HttpOnly; SameSite=Lax; Path=/',
      'theme=2; Secure; Path=/account',
      'all=3; Domain=shop.example; SameSite=None',
    );
    expect(jar.list(url)).toEqual([
      { name: 'theme', httpOnly: false, secure: true, sameSite: undefined },
      { name: 'sid', httpOnly: true, secure: false, sameSite: 'lax' },
      { name: 'all', httpOnly: false, secure: false, sameSite: 'none' },
    ]);
    for (const name of ['theme', 'all', 'unknown']) jar.drop(url, name);
    expect(jar.header(url)).toBe('sid=1');
    expect(createCookieJar().list(url)).toEqual([]);
  });

  test('replaces and deletes', () => {
    const jar = after('http://localhost/', 'a=1', 'b=2');
    jar.store('http://localhost/', ['a=3', 'b=; Expires=Thu, 01 Jan 1970 00:00:00 GMT']);
    expect(jar.header('http://localhost/')).toBe('a=3');
    expect(jar.get('http://localhost/', 'a')).toBe('3');
    // What a cookie was once is still a secret.
    expect(jar.values()).toEqual(['1', '2', '3']);
  });

  test('is copied, not shared', () => {
    const jar = after('http://localhost/', 'a=1; Secure; HttpOnly');
    const copy = jar.copy();
    jar.store('http://localhost/', ['a=2']);
    expect([jar.header('http://localhost/'), copy.header('http://localhost/')]).toEqual(['a=2', 'a=1']);
  });
});

test('a cookie of an answer is the last one of its name, if it is not deleted', () => {
  expect(cookieIn(['a=1; Path=/x', 'b=2', 'a=3'], 'a')).toBe('3');
  expect(cookieIn(['a=; Max-Age=0'], 'a')).toBeUndefined();
  expect(cookieIn([], 'a')).toBeUndefined();
});
