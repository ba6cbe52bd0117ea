import { describe, expect, test } from 'vitest';
import { observeAuthentication, observeRegistration } from '../../../src/explain/report/observations.js';
import type { JsonObject } from '../../../src/kernel/json-value.js';
import { unknownCredentialHint } from '../../../src/relying-party/diagnosis/hints.js';
import { FLAGS } from '../../relying-party/ceremony.js';
import { authenticationOf, credentialWith, registrationOf } from '../../relying-party/diagnosis/explained.js';

type Registered = Parameters<typeof registrationOf>;
type Authenticated = Parameters<typeof authenticationOf>;

describe('registrations that fail no step', () => {
  const observe = (fields: Registered[0], options: JsonObject | undefined, expected?: Registered[1], change: JsonObject = {}) => {
    const { context, response } = registrationOf(fields, expected);
    return observeRegistration(context, { options, response: { ...response.response, ...change } });
  };

  test('says nothing about an ordinary one', () => expect(observe({}, { attestation: 'none' })).toEqual([]));

  test.each<[string, Registered[0], JsonObject | undefined, string, RegExp, Registered[1]?]>([
    ['an AAGUID of zeros, none asked', { aaguid: new Uint8Array(16) }, {}, 'aaguid-zero', /no attestation was requested/],
    [
      'an AAGUID of zeros, direct asked',
      { aaguid: new Uint8Array(16) },
      { attestation: 'direct' },
      'aaguid-zero',
      /does not reveal its model; do not rely on it/,
    ],
    ['an AAGUID of zeros, U2F', { aaguid: new Uint8Array(16), fmt: 'fido-u2f' }, {}, 'aaguid-zero', /U2F security keys have none/],
    ['direct asked, none given', {}, { attestation: 'direct' }, 'attestation-none', /normal/],
    ['missing transports', { transports: [] }, {}, 'transports-missing', /getTransports\(\)/],
    ['preferred, and no UV', { flags: FLAGS.up }, {}, 'user-not-verified', /one factor/],
    [
      'preferred asked, required here',
      { flags: FLAGS.up },
      { authenticatorSelection: { userVerification: 'preferred' } },
      'user-verification-not-asked',
      /request "required"/,
      { userVerification: 'required' },
    ],
    ['an extension that the browser ignored', {}, { extensions: { prf: {} } }, 'extension-ignored', /prf.*this browser/],
    [
      'an extension that the authenticator ignored',
      {},
      { extensions: { minPinLength: true } },
      'extension-ignored',
      /minPinLength.*this authenticator/,
    ],
    [
      'an extension by a name that every object inherits',
      {},
      { extensions: { constructor: true } },
      'extension-ignored',
      /^The extension constructor was.*this browser/,
    ],
    ['an RP ID that no browser takes', { rpId: 'co.uk' }, {}, 'rp-id-impossible', /public suffix/, { rpId: 'co.uk' }],
  ])('%s', (_, fields, options, slug, message, expected) => {
    expect(observe(fields, options, expected)).toContainEqual({ slug, message: expect.stringMatching(message) });
  });

  test.each<[string, JsonObject, JsonObject, string[]]>([
    ['prf', { prf: {} }, { prf: { enabled: false } }, ['extension-unsupported']],
    ['largeBlob', { largeBlob: { support: 'preferred' } }, { largeBlob: { supported: false } }, ['extension-unsupported']],
    ['hmacCreateSecret', { hmacCreateSecret: true }, { hmacCreateSecret: false }, ['extension-unsupported']],
    ['prf that works', { prf: {} }, { prf: { enabled: true } }, []],
    ['prf without word of it', { prf: {} }, { prf: {} }, []],
    ['largeBlob that works', { largeBlob: {} }, { largeBlob: { supported: true } }, []],
    ['payment, which has no output', { payment: { isPayment: true } }, {}, []],
  ])('an extension that the authenticator does not have: %s', (_, extensions, clientExtensionResults, slugs) => {
    const { context, response } = registrationOf({});
    const observed = observeRegistration(
      { ...context, clientExtensionResults },
      { options: { extensions }, response: { ...response.response } },
    );
    expect(observed.map(({ slug }) => slug)).toEqual(slugs);
  });

  test('a credential that is not discoverable', () => {
    const { context, response } = registrationOf({});
    const observed = observeRegistration(
      { ...context, clientExtensionResults: { credProps: { rk: false } } },
      { options: { authenticatorSelection: { residentKey: 'preferred' } }, response: { ...response.response } },
    );
    expect(observed.map(({ slug }) => slug)).toEqual(['not-discoverable']);
  });
});

describe('authentications that fail no step', () => {
  const counting = credentialWith({ signCount: 1 });
  const observe = (fields: Authenticated[0], options: JsonObject | undefined, expected: Authenticated[1] = counting) =>
    observeAuthentication(authenticationOf({ signCount: 2, ...fields }, expected).context, { options });

  test('says nothing about an ordinary one', () => expect(observe({}, {})).toEqual([]));

  test.each<[string, Authenticated[0], JsonObject | undefined, string, RegExp, Authenticated[1]?]>([
    ['a counter of 0', { signCount: 0 }, {}, 'counter-zero', /normal/, credentialWith({})],
    ['no user handle', { userHandle: null }, {}, 'user-handle-null', /allowed/],
    ['preferred, and no UV', { flags: FLAGS.up }, {}, 'user-not-verified', /preferred/],
    [
      'a passkey that is synced now',
      { flags: 0x1d },
      {},
      'backup-state-changed',
      /now backed up/,
      credentialWith({ signCount: 1, backupEligible: true }),
    ],
    [
      'a passkey that is synced no more',
      { flags: 0x0d },
      {},
      'backup-state-changed',
      /no longer backed up/,
      credentialWith({ signCount: 1, backupEligible: true, backupState: true }),
    ],
    ['missing transports', {}, { allowCredentials: [{ id: 'AA', type: 'public-key' }] }, 'transports-missing', /allowCredentials/],
    ['an extension that was ignored', {}, { extensions: { largeBlob: { read: true } } }, 'extension-ignored', /largeBlob/],
  ])('%s', (_, fields, options, slug, message, expected) => {
    expect(observe(fields, options, expected)).toContainEqual({ slug, message: expect.stringMatching(message) });
  });
});

test('a passkey that only the device knows: the call that ends it', () => {
  expect(unknownCredentialHint('example.org', 'AAEC')).toContain(
    'PublicKeyCredential.signalUnknownCredential({ rpId: "example.org", credentialId: "AAEC" })',
  );
});
