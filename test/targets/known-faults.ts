import { FAULTY_LIBRARIES } from '../../src/simulate/findings/library-faults.js';

/** What is wrong with libraries that targets stand on, by the case that finds it: every alarm of a whole run has been looked at. */
export type KnownFaults = Readonly<Record<string, string>>;

/** The same fault, found by several cases. */
const together = (cases: readonly string[], fault: string): KnownFaults => Object.fromEntries(cases.map((id) => [id, fault]));

const SELF_ALGORITHM = 'does not compare alg of self attestation with the algorithm of the credential (§8.2)';
const HASH_OF_ALGORITHM = 'takes the hash from alg, and all else from the key of the certificate (§8.2, §8.3)';
const NULL_X5C = 'takes x5c null for none (§8.2: it is absent, or an array)';
const AAGUID_CRITICAL = 'does not look whether the extension with the AAGUID is critical (§8.2.1)';
const U2F_CERTIFICATE_KEY = 'does not look at the key of the certificate (§8.6)';

/** Faults of @simplewebauthn/server that no application can mend, by the case. */
const LIBRARY: KnownFaults = Object.fromEntries(
  FAULTY_LIBRARIES.flatMap(({ faults }) => faults)
    .filter(({ fixedIn }) => fixedIn === undefined)
    .flatMap(({ says, cases }) => cases.map((id) => [id, says])),
);

const select = (pattern: RegExp): KnownFaults => Object.fromEntries(Object.entries(LIBRARY).filter(([id]) => pattern.test(id)));

/** @simplewebauthn/server 14.0.3, without the cases of attestation. */
const SIMPLE_WEBAUTHN_CEREMONY_FAULTS: KnownFaults = {
  'register.cross-origin': 'does not look at crossOrigin (§7.1 step 10)',
  'login.cross-origin': 'does not look at crossOrigin (§7.2 step 13)',
  ...together(
    ['register.top-origin-without-cross-origin', 'register.top-origin-own'],
    'does not look at topOrigin at a registration (§7.1 step 11)',
  ),
  'login.backup-eligibility-gained': 'does not keep BE (§7.2 step 19)',
  'login.backup-eligibility-lost': 'does not keep BE (§7.2 step 19)',
  ...select(/\.(?:public-key|credential-id|attestation-object|signature)-/),
};

const EDDSA_FAULTS = select(/\.eddsa-key-/);

/** The library, asked for no attestation. */
export const SIMPLE_WEBAUTHN_FAULTS: KnownFaults = { ...SIMPLE_WEBAUTHN_CEREMONY_FAULTS, ...select(/\.packed-unasked-/) };

/** The same, where EdDSA is offered. */
export const SIMPLE_WEBAUTHN_EDDSA_FAULTS: KnownFaults = { ...SIMPLE_WEBAUTHN_FAULTS, ...EDDSA_FAULTS };

/** The flow executor of authentik always asks for attestation, of which only format none is tested. */
export const AUTHENTIK_SHAPE_FAULTS: KnownFaults = { ...SIMPLE_WEBAUTHN_CEREMONY_FAULTS, ...EDDSA_FAULTS };

/** The library with attestation, and without roots: what it leaves out of §8. */
const STATEMENT_FAULTS: KnownFaults = select(/\.(?:packed-(?!unasked|issuer|path|unknown|with-root)|tpm-|fido-u2f-(?!credential))/);

/** Where ES384 is offered as well. */
const U2F_ES384_FAULTS = select(/\.fido-u2f-credential-/);

/** The FIDO server API, over @simplewebauthn/server. */
export const FIDO2_SHAPE_FAULTS: KnownFaults = { ...SIMPLE_WEBAUTHN_EDDSA_FAULTS, ...STATEMENT_FAULTS, ...U2F_ES384_FAULTS };

/** The shape of webauthn.io, over @simplewebauthn/server. */
export const WEBAUTHN_IO_SHAPE_FAULTS: KnownFaults = { ...SIMPLE_WEBAUTHN_EDDSA_FAULTS, ...STATEMENT_FAULTS };

/** Hanko's older API, over @simplewebauthn/server; it always asks for attestation. */
export const HANKO_SHAPE_FAULTS: KnownFaults = {
  ...SIMPLE_WEBAUTHN_CEREMONY_FAULTS,
  ...EDDSA_FAULTS,
  ...STATEMENT_FAULTS,
  ...U2F_ES384_FAULTS,
};

/** The pages of Keycloak, over @simplewebauthn/server */
export const KEYCLOAK_SHAPE_FAULTS: KnownFaults = {
  ...SIMPLE_WEBAUTHN_FAULTS,
};

const USER_HANDLE_FAULTS = together(
  ['foreign', 'of-another-user', 'longer', 'missing', 'empty'].map((what) => `login.user-handle-${what}`),
  'does not look at the user handle (§7.2 step 6)',
);

/** The filters of Spring Security, over @simplewebauthn/server */
export const SPRING_SECURITY_SHAPE_FAULTS: KnownFaults = {
  ...SIMPLE_WEBAUTHN_EDDSA_FAULTS,
  ...USER_HANDLE_FAULTS,
  'session.fixation': 'keeps the session at a login by passkey, unless the application sets a strategy',
};

/** better-auth 1.7.6, over @simplewebauthn/server */
export const BETTER_AUTH_FAULTS: KnownFaults = {
  ...SIMPLE_WEBAUTHN_EDDSA_FAULTS,
  ...together(['register.credential-known', 'register.credential-known-respelled'], 'stores a credential again (§7.1 step 26)'),
  'register.credential-known-to-another-user': 'stores a credential of another user (§7.1 step 26)',
  ...together(
    ['login.top-origin-without-cross-origin', 'login.top-origin-own'],
    'comes with @simplewebauthn/server 13.3.3, which does not look at topOrigin (§7.2 step 14)',
  ),
  ...USER_HANDLE_FAULTS,
  'login.user-handle-malformed': 'does not look at the user handle (§7.2 step 6)',
  'register.same-id-at-once': 'stores a credential of another user (§7.1 step 26)',
  'register.user-handle-kept': 'draws a user handle for each registration (§5.4.3)',
};

/** fido2-lib 3.5.9 */
export const FIDO2_LIB_FAULTS: KnownFaults = {
  'register.credential-protection': 'takes signed extension outputs for a part of the public key',
  'register.hmac-secret': 'takes signed extension outputs for a part of the public key',
  'register.extension-unknown': 'takes signed extension outputs for a part of the public key',
  'register.extension-nested': 'takes signed extension outputs for a part of the public key',
  'register.cross-origin': 'does not look at crossOrigin (§7.1 step 10)',
  'login.cross-origin': 'does not look at crossOrigin (§7.2 step 13)',
  ...together(['register.top-origin-without-cross-origin', 'register.top-origin-own'], 'does not look at topOrigin (§7.1 step 11)'),
  ...together(['login.top-origin-without-cross-origin', 'login.top-origin-own'], 'does not look at topOrigin (§7.2 step 14)'),
  'register.client-data-bom': 'does not drop a byte order mark (§7.1 step 5)',
  'login.client-data-bom': 'does not drop a byte order mark (§7.2 step 8)',
  'register.backup-state-without-eligibility': 'does not look at BE and BS (§7.1 step 17)',
  'login.backup-state-without-eligibility': 'does not look at BE and BS (§7.2 step 18)',
  'login.backup-eligibility-gained': 'does not look at BE and BS (§7.2 step 19)',
  'login.backup-eligibility-lost': 'does not look at BE and BS (§7.2 step 19)',
  ...together(
    [
      'login.authenticator-data-trailing-byte',
      'login.authenticator-data-doubled',
      'login.extensions-unflagged',
      'login.extensions-not-a-map',
    ],
    'does not look behind the counter of an assertion',
  ),
  'register.public-key-long-coordinate': 'takes a coordinate that is longer than the field',
  'register.credential-id-empty': 'takes a credential ID of no bytes',
  ...together(
    ['login.signature-doubled', 'login.signature-not-minimal', 'login.signature-negative'],
    'takes signatures that are not DER (§6.5.5)',
  ),
  'register.credential-id-too-long': 'takes credential IDs of more than 1023 bytes (§7.1 step 25)',
  'register.challenge-padded': 'compares challenges after taking the padding off',
  'login.challenge-padded': 'compares challenges after taking the padding off',
  'register.raw-id-other': 'looks at one of id and rawId',
  'register.type-other': 'does not look at the type of the credential',
  'login.raw-id-other': 'looks at one of id and rawId',
  'login.type-other': 'does not look at the type of the credential',
  ...together(['register.packed-self-algorithm', 'register.packed-unasked-self-algorithm'], SELF_ALGORITHM),
  'register.packed-algorithm': HASH_OF_ALGORITHM,
  'register.packed-null-x5c': NULL_X5C,
  'register.packed-subject-empty-organization': 'takes an empty O for the name of the vendor (§8.2.1)',
  'register.packed-aaguid-critical': AAGUID_CRITICAL,
  'register.packed-aaguid-in-one-octet-string': 'takes the AAGUID of a certificate in one OCTET STRING as well (§8.2.1)',
  ...together(
    ['honest', 'scheme-named', 'alt-name-in-three-parts', 'alt-name-with-more', 'several-purposes'].map((what) => `register.tpm-${what}`),
    'takes only RSA keys of a TPM, though §8.3 has those on elliptic curves too',
  ),
  'register.fido-u2f-certificate-of-rsa': U2F_CERTIFICATE_KEY,
  'register.fido-u2f-certificate-version-1': 'takes only certificates of version 3; §8.6, unlike §8.2.1, does not ask for it',
};
