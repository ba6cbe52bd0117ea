import { type Cause, kinds } from './cause.js';

const TRUST: readonly Cause[] = [
  {
    id: 'trust',
    severity: 'medium',
    cases: /-root-of-stranger$|\.compound-roots-of-strangers$/,
    says: 'The server does not follow attestation certificates to a root that it trusts: it accepted {registrations}.',
    gain: 'Anyone can pass for an authenticator of any model.',
  },
  ...kinds(
    { severity: 'medium', gain: 'Anyone can pass for an authenticator of any model.', within: ['trust'] },
    {
      'trust-sent-root': [/-root-smuggled-in$/, 'The server trusts a root that the response itself contains: it accepted {registrations}.'],
      'trust-none': [
        /\.attestation-none-with-roots$/,
        'The server accepts missing attestation where it requires a trusted one: it accepted {registrations}.',
      ],
      'trust-self': [/\.attestation-untrusted$/, 'The server treats self attestation as trusted: it accepted {registrations}.'],
    },
  ),
  {
    id: 'trust-signature',
    severity: 'medium',
    cases:
      /-(?:root-of-same-name(?:-in-x5c)?|root-appended|certificate-changed|intermediate-other-key|intermediate-missing|self-signed-certificate)$/,
    says: 'The server does not verify the signatures of attestation certificates: it accepted {registrations}.',
    gain: 'Anyone can pass for an authenticator of any model.',
    within: ['trust', 'trust-sent-root'],
  },
  ...kinds(
    { severity: 'medium', within: ['trust'] },
    {
      'trust-expiry': [
        /-(?:certificate|intermediate)-(?:expired|not-yet-valid)$/,
        'The server accepts attestation certificates that have expired or are not valid yet, such as {example}: {registrations}.',
      ],
      'trust-issuer': [
        /\.packed-(?:issuer-|path-too-long|unknown-critical-extension)/,
        'The server accepts certificates that must not issue others, such as {example}: {registrations}.',
      ],
    },
  ),
];

const ATTESTATION: readonly Cause[] = [
  {
    id: 'packed-signature',
    severity: 'medium',
    cases: /\.packed-(?:signature|(?:other|without)-(?:client|authenticator)-data|signed-by-.*)$/,
    says: 'The server does not verify the signature of a packed statement with its certificate over the data in §8.2: {registrations}.',
    gain: 'Anyone can pass for an authenticator of any model.',
  },
  {
    id: 'statement-unasked',
    severity: 'low',
    cases: /\.packed-unasked-signature$/,
    says: 'The server does not verify attestation statements that it did not ask for: it accepted {registrations}.',
    within: ['packed-signature'],
  },
  {
    id: 'attestation-excluded',
    severity: 'medium',
    cases: /\.format-(?:none|other)-excluded$/,
    says: 'The server accepts attestation that its profile excludes (formats), such as {example}: {registrations}.',
    gain: 'Authenticators that the policy excludes can register, and so can software that imitates one.',
  },
  {
    id: 'model',
    severity: 'medium',
    cases: /\.model-other$/,
    says: 'The server does not check the AAGUID against the models in its profile (models): it accepted {registrations} of others.',
    gain: 'Authenticators that the policy excludes can register.',
  },
  ...kinds(
    { severity: 'medium', gain: 'Any authenticator can register, and so can a program that imitates one.', within: ['model'] },
    {
      'model-unattested': [
        /\.model-unattested$/,
        'The server checks the AAGUID against the models in its profile (models) only if it is attested, or present: it accepted {registrations} of others.',
      ],
    },
  ),
  ...kinds(
    { severity: 'medium', gain: 'Authenticators that the policy excludes can register.', within: ['model', 'model-unattested'] },
    {
      'model-elsewhere': [
        /\.model-(?:in-copy|without-extension)$/,
        'The server does not read the model of an authenticator from the signed authenticator data: it accepted {example} ({registrations}).',
      ],
    },
  ),
  ...kinds(
    { severity: 'low' },
    {
      'android-safetynet-age': [/\.android-safetynet-old$/, 'The server accepts SafetyNet responses of any age: {registrations}.'],
      'attestation-format': [
        /\.(?:format-|attestation-format-)/,
        'The server accepts attestation formats that it does not know, such as {example}: {registrations}.',
      ],
      'attestation-none': [
        /\.(?:none-with-|attestation-statement-not-empty$)/,
        'The server accepts statements of format none that are not empty: {registrations}.',
      ],
      'attestation-object': [
        /\.attestation-object-(?:trailing-byte|form|members|lengths)$/,
        'The server accepts attestation objects that are not one CBOR map with the required members, such as {example}: {registrations}.',
      ],
    },
  ),
];

/** Causes for wrongly accepted attestation certificates and statements. */
export const ATTESTATION_CAUSES: readonly Cause[] = [...TRUST, ...ATTESTATION];
