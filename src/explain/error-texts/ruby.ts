import { type ErrorText, listTexts } from './row.js';

const RUBY = { from: 'webauthn-ruby', version: '3.4.3', source: 'cedarcode/webauthn-ruby lib/webauthn/authenticator_response.rb' };
const RUBY_LOGIN = { ...RUBY, source: 'cedarcode/webauthn-ruby lib/webauthn/authenticator_assertion_response.rb' };
const RUBY_REGISTRATION = { ...RUBY, source: 'cedarcode/webauthn-ruby lib/webauthn/authenticator_attestation_response.rb' };
const RUBY_FORMATS = { ...RUBY, source: 'cedarcode/webauthn-ruby lib/webauthn/authenticator_data.rb, lib/webauthn/client_data.rb' };

/** Error messages of server libraries in Ruby. */
export const RUBY_TEXTS: readonly ErrorText[] = [
  ...listTexts(RUBY, [
    ['topOrigin', 'WebAuthn::TopOriginVerificationError', /\bTopOriginVerificationError\b/],
    ['origin', 'WebAuthn::OriginVerificationError', /\bOriginVerificationError\b/],
    ['rpId', 'WebAuthn::RpIdVerificationError', /\bRpIdVerificationError\b/],
    ['challenge', 'WebAuthn::ChallengeVerificationError', /\bChallengeVerificationError\b/],
    ['type', 'WebAuthn::TypeVerificationError', /\bTypeVerificationError\b/],
    ['userPresent', 'WebAuthn::UserPresenceVerificationError', /\bUserPresenceVerificationError\b/],
    ['userVerified', 'WebAuthn::UserVerifiedVerificationError', /\bUserVerifiedVerificationError\b/],
    ['malformedAuthenticatorData', 'WebAuthn::AuthenticatorDataVerificationError', /\bAuthenticatorDataVerificationError\b/],
  ]),
  ...listTexts(RUBY_LOGIN, [
    [
      'signature',
      'WebAuthn::SignatureVerificationError',
      /\bWebAuthn::SignatureVerificationError\b|^.{0,40}\bSignatureVerificationError\b/,
    ],
    ['signCount', 'WebAuthn::SignCountVerificationError', /\bSignCountVerificationError\b/],
    ['unknownCredential', 'WebAuthn::CredentialVerificationError', /\bWebAuthn::CredentialVerificationError\b/],
  ]),
  ...listTexts(RUBY_REGISTRATION, [
    [
      'attestation',
      'WebAuthn::AttestationStatementVerificationError',
      /\bAttestationStatementVerificationError\b|WebAuthn::AttestationStatement::FormatNotSupportedError/,
    ],
    ['malformedAuthenticatorData', 'WebAuthn::AttestedCredentialVerificationError', /\bAttestedCredentialVerificationError\b/],
  ]),
  ...listTexts(RUBY_FORMATS, [
    [
      'malformedAuthenticatorData',
      'WebAuthn::AuthenticatorDataFormatError',
      /\bAuthenticatorDataFormatError\b|\bAttestedCredentialDataFormatError\b/,
    ],
    [
      'malformedClientData',
      'WebAuthn::ClientDataMissingError: Client Data JSON is missing',
      /\bClientDataMissingError\b|Client Data JSON is missing/i,
    ],
    ['noChallenge', 'WebAuthn::PublicKeyCredential::InvalidChallengeError', /\bInvalidChallengeError\b/],
    [
      'algorithm',
      'WebAuthn::PublicKey::UnsupportedAlgorithm',
      /WebAuthn::(?:PublicKey|AttestationStatement)::\w*::?UnsupportedAlgorithm|WebAuthn::PublicKey::UnsupportedAlgorithm/,
    ],
  ]),
];
