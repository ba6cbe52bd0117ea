import { describe, expect, test } from 'vitest';
import { explainBrowserError } from '../../../src/explain/browser-errors/browser-errors.js';
import { mayBeCancelled } from '../../../src/explain/browser-errors/cancelled.js';
import { type FailedCall, failedCall, UNSEEN } from '../../../src/explain/browser-errors/failed-call.js';

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
  allowed: [],
  excluded: 0,
  extensions: {},
  signalled: false,
  secureContext: true,
  permitted: true,
  framed: false,
  focused: true,
};

describe('explainBrowserError puts the most likely cause first', () => {
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
    ['an allowed passkey elsewhere', { allowed: ['AQID'] }, /The allowed passkey is not on an available authenticator/],
    ['none of several', { allowed: ['AQID', 'BAUG', 'BwgJ'] }, /None of the 3 allowed passkeys/],
    ['one that the browser was asked to hide', { signalled: true }, /asked the browser to hide or delete/],
    ['an excluded one', { call: 'create', excluded: 2 }, /already has one of the excluded passkeys/],
    ['no user verification', { userVerification: 'required' }, /no PIN or biometrics/],
    ['failed user verification', { userVerification: 'preferred' }, /PIN or biometrics and the check failed/],
    ['failed user verification, by default', { userVerification: undefined }, /PIN or biometrics and the check failed/],
    ['no focus', { focused: false }, /did not have the focus/],
    ['in an iframe', { framed: true }, /in an iframe/],
  ])('NotAllowedError has the possible cause %s', (_case, change, cause) => {
    expect(explainBrowserError({ ...CALL, ...change }).causes.join('\n')).toMatch(cause);
  });

  test.each<[string, Partial<FailedCall>, RegExp]>([
    ['the permission policy', { permitted: false }, /This frame may not use passkeys/],
    ['InvalidStateError at create', { name: 'InvalidStateError', call: 'create', excluded: 1 }, /already has a passkey for this user/],
    ['InvalidStateError at get', { name: 'InvalidStateError' }, /could not answer/],
    [
      'SecurityError',
      { name: 'SecurityError', rpId: 'example.com' },
      /^rp\.id "example\.com" does not match the origin http:\/\/localhost:7277$/,
    ],
    [
      'SecurityError at an IP address',
      { name: 'SecurityError', origin: 'http://127.0.0.1:7277' },
      /^An IP address cannot have passkeys: 127\.0\.0\.1$/,
    ],
    ['ConstraintError', { name: 'ConstraintError' }, /lacks a required capability/],
    ['NotSupportedError at create', { name: 'NotSupportedError', call: 'create' }, /supports no requested algorithm or type/],
    ['NotSupportedError at get', { name: 'NotSupportedError' }, /does not support what the options ask for/],
    ['AbortError of something else', { name: 'AbortError' }, /^Aborted$/],
    ['TypeError', { name: 'TypeError', message: 'challenge' }, /expected shape/],
    ['an unheard-of error', { name: 'WeirdError', message: 'odd' }, /^The browser answered WeirdError$/],
  ])('titles %s', (_case, change, title) => {
    const explanation = explainBrowserError({ ...CALL, ...change });
    expect(explanation.title).toMatch(title);
    expect(explanation.causes.length).toBeGreaterThan(0);
    expect(explanation.next).not.toBe('');
  });

  test('names the requirements behind a ConstraintError', () => {
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

describe('what the user may have ended is no error', () => {
  test.each<[string, Partial<FailedCall>, string]>([
    ['a closed dialog', {}, 'You or the browser ended it. No passkey was used'],
    ['a time-out', { milliseconds: 60_000, call: 'create' }, 'You or the browser ended it. No passkey was created'],
    ['a refusal without a dialog', { milliseconds: 20 }, 'No passkey was used'],
  ])('%s', (_case, change, title) => {
    expect(explainBrowserError({ ...CALL, ...change }).title).toBe(title);
  });

  test.each<[string, number, boolean]>([
    ['NotAllowedError', 400, true],
    ['NotAllowedError', 399, false],
    ['AbortError', 1, true],
    ['InvalidStateError', 5_000, false],
  ])('%s after %i ms: %s', (name, milliseconds, expected) => {
    expect(mayBeCancelled(name, milliseconds)).toBe(expected);
  });
});

describe('credProtect that the browser refuses', () => {
  const refused = (extensions: FailedCall['extensions'], userVerification?: string) =>
    explainBrowserError({
      ...CALL,
      name: 'NotSupportedError',
      call: 'create',
      message: 'Requested protection policy is inconsistent or incongruent with other requested parameters.',
      extensions,
      userVerification,
    });

  test.each<[string, FailedCall['extensions'], string | undefined, RegExp]>([
    ['enforced without a policy', { enforceCredentialProtectionPolicy: true }, 'required', /^enforce.* needs a credentialProtectionPolicy/],
    ['an unknown policy', { credentialProtectionPolicy: 'always' }, undefined, /is "always"; use one of userVerificationOptional, /],
    [
      'without user verification',
      { credentialProtectionPolicy: 'userVerificationRequired' },
      'discouraged',
      /needs userVerification "required"; it is "discouraged"/,
    ],
    ['by default', { credentialProtectionPolicy: 'userVerificationRequired' }, undefined, /it is "preferred"/],
    ['not supported', { credentialProtectionPolicy: 'userVerificationOptional' }, undefined, /does not support credProtect/],
  ])('%s', (_case, extensions, userVerification, cause) => {
    const { title, causes } = refused(extensions, userVerification);
    expect(title).toBe('The browser refuses the credential protection policy');
    expect(causes[0]).toMatch(cause);
    expect(causes.join()).not.toContain('algorithm');
  });

  test('is not blamed at a login, nor when it was not asked for', () => {
    expect(refused({}).title).toBe('The authenticator supports no requested algorithm or type');
    const login = { ...CALL, name: 'NotSupportedError', extensions: { credentialProtectionPolicy: 'userVerificationRequired' } };
    expect(explainBrowserError(login).causes).toStrictEqual(['credentialProtectionPolicy is not for authentication.']);
  });
});

test('failedCall takes from the options what the explanations look at', () => {
  const options = {
    rp: { id: 'example.org' },
    timeout: 5_000,
    pubKeyCredParams: [{ type: 'public-key', alg: -8 }],
    excludeCredentials: [{ id: 'AQID' }],
    authenticatorSelection: { userVerification: 'required', residentKey: 'required', authenticatorAttachment: 'platform' },
    extensions: { credProps: true },
  };
  const thrown = { name: 'NotAllowedError', message: '', call: 'create', mediation: undefined, milliseconds: 5, options } as const;
  expect(failedCall(thrown, { ...UNSEEN, origin: 'https://example.org' })).toMatchObject({
    rpId: 'example.org',
    timeout: 5_000,
    algorithms: [-8],
    excluded: 1,
    allowed: [],
    userVerification: 'required',
    residentKey: 'required',
    attachment: 'platform',
    extensions: { credProps: true },
  });
});

describe('what the options alone rule out', () => {
  test.each<[string, Partial<FailedCall>, RegExp]>([
    ['an attachment', { attachment: 'platform' }, /allow only platform authenticators/],
    ['a discoverable passkey', { residentKey: 'required' }, /residentKey "required"/],
    ['largeBlob', { extensions: { largeBlob: { support: 'required' } } }, /largeBlob\.support is "required"/],
    ['credProtect', { extensions: { enforceCredentialProtectionPolicy: true } }, /authenticators without credProtect/],
  ])('NotAllowedError at create names %s', (_case, change, cause) => {
    expect(explainBrowserError({ ...CALL, call: 'create', milliseconds: 5, ...change }).causes.join('\n')).toMatch(cause);
    expect(explainBrowserError({ ...CALL, milliseconds: 5, ...change }).causes.join('\n')).not.toMatch(cause);
  });

  test.each<[string, Partial<FailedCall>, RegExp]>([
    ['read and write', { allowed: ['AQID'], extensions: { largeBlob: { read: true, write: 'AA' } } }, /exclude each other/],
    ['write without one passkey', { allowed: ['AQID', 'BAUG'], extensions: { largeBlob: { write: 'AA' } } }, /exactly one .* got 2/],
    ['support at a login', { extensions: { largeBlob: { support: 'required' } } }, /support is for registration only/],
    ['read at a registration', { call: 'create', extensions: { largeBlob: { read: true } } }, /read is for authentication only/],
    ['evalByCredential at a registration', { call: 'create', extensions: { prf: { evalByCredential: {} } } }, /is for authentication only/],
    ['evalByCredential without a list', { extensions: { prf: { evalByCredential: { AQID: {} } } } }, /needs allowCredentials/],
    [
      'evalByCredential of another passkey',
      { name: 'SyntaxError', allowed: ['AQID'], extensions: { prf: { evalByCredential: { BAUG: {} } } } },
      /has the key "BAUG"; every key must be/,
    ],
  ])('an extension that cannot work: %s', (_case, change, cause) => {
    const { title, causes } = explainBrowserError({ ...CALL, name: 'NotSupportedError', ...change });
    expect(title).toBe('An extension is used in a way that cannot work');
    expect(causes).toHaveLength(1);
    expect(causes[0]).toMatch(cause);
  });

  test('another SyntaxError shows the browser’s message', () => {
    const { title, causes } = explainBrowserError({ ...CALL, name: 'SyntaxError', message: 'odd' });
    expect([title, causes]).toStrictEqual(['A value in the options is malformed', ['odd']]);
  });

  test('a SecurityError for the RP ID of another site names the command that looks into it', () => {
    const { next } = explainBrowserError({ ...CALL, name: 'SecurityError', rpId: 'example.com' });
    expect(next).toMatch(/`passkey doctor URL --rp-id ID` says why the browser does not read it\.$/);
  });

  test('a NotSupportedError at a login does not mention algorithms', () => {
    expect(explainBrowserError({ ...CALL, name: 'NotSupportedError' }).next).toBe('Remove the extensions one at a time.');
  });
});
