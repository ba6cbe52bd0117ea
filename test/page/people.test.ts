import { expect, test } from 'vitest';
import { hasAuthenticator } from '../../src/page/environment.js';
import { defaultUser, searchUsers } from '../../src/page/passkey-facts.js';
import { groundStyle, Monogram } from '../../src/page/view/monogram.js';

const ADA = { name: 'Ada Lovelace', email: 'ada@example.com', owner: 'User:1' };
const BOB = { name: 'Bob', email: 'bob@example.org', owner: 'User:2' };

test.each([
  ['', ['Bob', 'Ada Lovelace']],
  ['LOVE', ['Ada Lovelace']],
  ['example.org bob', ['Bob']],
  ['User:1', ['Ada Lovelace']],
  ['nobody@example.com', []],
])('known users with every word of “%s”, newest first', (wanted, names) => {
  expect(searchUsers([ADA, BOB], wanted).map(({ name }) => name)).toStrictEqual(names);
});

test('one click signs in the newest user, or the first of a new server', () => {
  expect(defaultUser([ADA, BOB])).toStrictEqual({ owner: 'User:2' });
  expect(defaultUser([])).toStrictEqual({ email: 'test@example.com' });
});

test.each([
  ['1Password', '1P'],
  ['Apple Passwords', 'AP'],
  ['ada', 'A'],
  ['YubiKey 5 Series', 'YK'],
  ['מפתח כחול', 'מכ'],
  ['***', '?'],
])('the monogram of %s is %s', (name, letters) => {
  const { children, style } = Monogram({ name }).props;
  expect(children).toBe(letters);
  expect([1, 2, 3, 4, 5, 6].map(groundStyle)).toContainEqual(style);
});

test.each([
  ['that tells nothing', {}, true],
  ['with a platform authenticator', { userVerifyingPlatformAuthenticator: true, hybridTransport: false }, true],
  ['that reaches phones', { passkeyPlatformAuthenticator: false, hybridTransport: true }, true],
  ['with neither', { passkeyPlatformAuthenticator: false, hybridTransport: false, conditionalCreate: true }, false],
])('a browser %s', (_, capabilities, able) => {
  expect(hasAuthenticator([], capabilities)).toBe(able);
});

test('a page on which WebAuthn cannot work has no authenticator, whatever the browser tells', () => {
  const notice = { title: 'In an iframe', detail: '' };
  expect(hasAuthenticator([{ ...notice, severity: 'error' }], { hybridTransport: true })).toBe(false);
  expect(hasAuthenticator([{ ...notice, severity: 'warning' }], { hybridTransport: true })).toBe(true);
});
