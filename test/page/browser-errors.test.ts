import { describe, expect, test } from 'vitest';
import { explainBrowserError } from '../../src/page/errors/browser-errors.js';
import type { FailedCall } from '../../src/page/errors/failed-call.js';

const CALL: FailedCall = {
  name: 'NotAllowedError',
  message: '',
  call: 'get',
  mediation: undefined,
  rpId: 'localhost',
  origin: 'http://localhost:7277',
  milliseconds: 5_000,
  timeout: 60_000,
  userVerification: 'preferred',
  residentKey: 'preferred',
  attachment: undefined,
  algorithms: [-7, -257],
  allowed: 0,
  excluded: 0,
  extensions: {},
  signalled: false,
  secureContext: true,
  permitted: true,
  framed: false,
  focused: true,
  abortedByPage: false,
};

describe('explainBrowserError: the likeliest cause stands first', () => {
  test.each<[string, Partial<FailedCall>, RegExp]>([
    ['closed by the user', {}, /closed or cancelled/],
    ['timed out', { milliseconds: 59_000 }, /timed out: the options allow 60 s and the call took 59 s/],
    ['refused at once', { milliseconds: 20 }, /refused at once.*no passkey here/],
    ['refused at once, create', { milliseconds: 20, call: 'create' }, /refused at once.*no authenticator here/],
  ])('NotAllowedError, %s', (_case, change, cause) => {
    expect(explainBrowserError({ ...CALL, ...change }).causes[0]).toMatch(cause);
  });

  test.each<[string, Partial<FailedCall>, RegExp]>([
    ['no discoverable passkey', {}, /no discoverable passkey for localhost/],
    ['an allowed passkey elsewhere', { allowed: 1 }, /The allowed passkey is not on an authenticator at hand/],
    ['none of several', { allowed: 3 }, /None of the 3 allowed passkeys/],
    ['one that the browser was asked to hide', { signalled: true }, /asked the browser to hide or delete/],
    ['an excluded one', { call: 'create', excluded: 2 }, /holds one of the excluded passkeys/],
    ['no user verification', { userVerification: 'required' }, /no PIN or biometrics/],
    ['failed user verification', { userVerification: 'preferred' }, /PIN or biometrics and the user failed it/],
    ['failed user verification, by default', { userVerification: undefined }, /PIN or biometrics and the user failed it/],
    ['no focus', { focused: false }, /did not have the focus/],
    ['in an iframe', { framed: true }, /in an iframe/],
  ])('NotAllowedError may also mean %s', (_case, change, cause) => {
    expect(explainBrowserError({ ...CALL, ...change }).causes.join('\n')).toMatch(cause);
  });

  test.each<[string, Partial<FailedCall>, RegExp]>([
    ['the permission policy', { permitted: false }, /This frame may not use passkeys/],
    ['InvalidStateError at create', { name: 'InvalidStateError', call: 'create', excluded: 1 }, /has a passkey for this user already/],
    ['InvalidStateError at get', { name: 'InvalidStateError' }, /not in a state to answer/],
    [
      'SecurityError',
      { name: 'SecurityError', rpId: 'example.com' },
      /^rp\.id "example\.com" does not fit the origin http:\/\/localhost:7277$/,
    ],
    [
      'SecurityError at an IP address',
      { name: 'SecurityError', origin: 'http://127.0.0.1:7277' },
      /^An IP address cannot have passkeys: 127\.0\.0\.1$/,
    ],
    ['ConstraintError', { name: 'ConstraintError' }, /cannot do what is required/],
    ['NotSupportedError at create', { name: 'NotSupportedError', call: 'create' }, /offers none of what was asked for/],
    ['NotSupportedError at get', { name: 'NotSupportedError' }, /cannot do what the options ask for/],
    ['AbortError of the page', { name: 'AbortError', abortedByPage: true }, /^Aborted by the page$/],
    ['AbortError of something else', { name: 'AbortError' }, /^Aborted$/],
    ['TypeError', { name: 'TypeError', message: 'challenge' }, /shape that the browser expects/],
    ['an unheard-of error', { name: 'WeirdError', message: 'odd' }, /^The browser answered WeirdError$/],
  ])('titles %s', (_case, change, title) => {
    const explanation = explainBrowserError({ ...CALL, ...change });
    expect(explanation.title).toMatch(title);
    expect(explanation.causes.length).toBeGreaterThan(0);
    expect(explanation.next).not.toBe('');
  });

  test('names what a ConstraintError may be about', () => {
    const { causes } = explainBrowserError({
      ...CALL,
      name: 'ConstraintError',
      call: 'create',
      residentKey: 'required',
      userVerification: 'required',
    });
    expect(causes).toHaveLength(2);
    expect(causes[0]).toContain('residentKey "required"');
  });

  test('names the algorithms of a NotSupportedError', () => {
    expect(explainBrowserError({ ...CALL, name: 'NotSupportedError', call: 'create', algorithms: [-8] }).causes[0]).toContain('(-8)');
  });
});

describe('what options alone rule out', () => {
  test.each<[string, Partial<FailedCall>, RegExp]>([
    ['an attachment', { attachment: 'platform' }, /Only platform authenticators may answer/],
    ['a discoverable passkey', { residentKey: 'required' }, /residentKey "required"/],
    ['largeBlob', { extensions: { largeBlob: { support: 'required' } } }, /largeBlob\.support is "required"/],
    ['credProtect', { extensions: { enforceCredentialProtectionPolicy: true } }, /authenticators without credProtect/],
  ])('NotAllowedError at create names %s', (_case, change, cause) => {
    expect(explainBrowserError({ ...CALL, call: 'create', milliseconds: 5, ...change }).causes.join('\n')).toMatch(cause);
    expect(explainBrowserError({ ...CALL, milliseconds: 5, ...change }).causes.join('\n')).not.toMatch(cause);
  });

  test.each<[string, Partial<FailedCall>, RegExp]>([
    ['read and write', { allowed: 1, extensions: { largeBlob: { read: true, write: 'AA' } } }, /one at a time/],
    ['write without one passkey', { allowed: 2, extensions: { largeBlob: { write: 'AA' } } }, /exactly one passkey; this one has 2/],
    ['support at a login', { extensions: { largeBlob: { support: 'required' } } }, /is for registrations/],
    ['read at a registration', { call: 'create', extensions: { largeBlob: { read: true } } }, /are for logins/],
    ['evalByCredential at a registration', { call: 'create', extensions: { prf: { evalByCredential: {} } } }, /has no id yet/],
    ['evalByCredential without a list', { extensions: { prf: { evalByCredential: {} } } }, /needs an allow list/],
    [
      'evalByCredential of another passkey',
      { name: 'SyntaxError', allowed: 1, extensions: { prf: { evalByCredential: {} } } },
      /has to be the id \(base64url\) of a passkey in the allow list/,
    ],
  ])('an extension that cannot work: %s', (_case, change, cause) => {
    const { title, causes } = explainBrowserError({ ...CALL, name: 'NotSupportedError', ...change });
    expect(title).toBe('An extension is asked for in a way that cannot work');
    expect(causes).toHaveLength(1);
    expect(causes[0]).toMatch(cause);
  });

  test('a SyntaxError of something else gives the browser’s words', () => {
    const { title, causes } = explainBrowserError({ ...CALL, name: 'SyntaxError', message: 'odd' });
    expect([title, causes]).toStrictEqual(['A value of the options is not in the expected form', ['odd']]);
  });

  test('a NotSupportedError at a login does not speak of algorithms', () => {
    expect(explainBrowserError({ ...CALL, name: 'NotSupportedError' }).next).toBe('Take the extensions out one at a time.');
  });
});
