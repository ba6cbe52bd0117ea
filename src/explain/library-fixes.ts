/** The names of a library, the best known first, and its options and calls that check the steps, by slug of the step. */
interface LibraryFixes {
  readonly names: readonly [string, ...string[]];
  readonly steps: Readonly<Record<string, string>>;
}

/** For each library, the options and calls that check the steps. docs/errors.md lists them. */
export const LIBRARY_FIXES: readonly LibraryFixes[] = [
  {
    names: ['SimpleWebAuthn', '@simplewebauthn/server'],
    steps: {
      challenge: '`expectedChallenge`',
      origin: '`expectedOrigin`',
      'top-origin': '`expectedTopOrigin` (for logins only)',
      'rp-id-hash': '`expectedRPID`',
      'user-verified': '`requireUserVerification`',
      algorithm: '`supportedAlgorithmIDs`',
      signature: '`verified`',
      'sign-count': '`credential.counter`',
    },
  },
  {
    names: ['py_webauthn', 'webauthn'],
    steps: {
      challenge: '`expected_challenge`',
      origin: '`expected_origin`',
      'rp-id-hash': '`expected_rp_id`',
      'user-verified': '`require_user_verification`',
      algorithm: '`supported_pub_key_algs`',
      'sign-count': '`credential_current_sign_count`',
    },
  },
  {
    names: ['go-webauthn', 'github.com/go-webauthn/webauthn'],
    steps: {
      challenge: '`SessionData.Challenge`',
      origin: '`Config.RPOrigins`',
      'top-origin': '`Config.RPTopOrigins`',
      'rp-id-hash': '`Config.RPID`',
      'user-verified': '`SessionData.UserVerification`',
      'backup-eligibility': '`Credential.Flags.BackupEligible`',
      algorithm: '`SessionData.CredParams`',
      'sign-count': '`Authenticator.CloneWarning`',
    },
  },
  {
    names: ['java-webauthn-server', 'com.yubico:webauthn-server-core'],
    steps: {
      origin: '`RelyingParty.origins`',
      'rp-id-hash': '`RelyingPartyIdentity.id`',
      'user-verified': '`userVerification`',
      'sign-count': '`validateSignatureCounter`',
    },
  },
  {
    names: ['fido2-net-lib', 'Fido2'],
    steps: { origin: '`Fido2Configuration.Origins`', 'rp-id-hash': '`Fido2Configuration.ServerDomain`' },
  },
  {
    names: ['webauthn-ruby', 'webauthn (Ruby)'],
    steps: {
      origin: '`allowed_origins`',
      'cross-origin': '`verify_cross_origin`',
      'top-origin': '`allowed_top_origins`',
      'rp-id-hash': '`rp_id`',
      'user-verified': '`user_verification`',
      'sign-count': '`sign_count`',
    },
  },
  {
    names: ['ASP.NET Core Identity', 'Microsoft.AspNetCore.Identity'],
    steps: {
      origin: '`IdentityPasskeyOptions.ValidateOrigin`',
      'rp-id-hash': '`IdentityPasskeyOptions.ServerDomain`',
      'user-verified': '`IdentityPasskeyOptions.UserVerificationRequirement`',
      algorithm: '`IdentityPasskeyOptions.IsAllowedAlgorithm`',
    },
  },
  {
    names: ['@passwordless-id/webauthn'],
    steps: {
      challenge: '`expected.challenge`',
      origin: '`expected.origin`',
      'rp-id-hash': '`expected.domain`',
      'user-verified': '`expected.userVerified`',
      'sign-count': '`expected.counter`',
    },
  },
  {
    names: ['lbuchs/WebAuthn', 'lbuchs/webauthn'],
    steps: {
      origin: '`$rpId` of `new WebAuthn()`',
      'rp-id-hash': '`$rpId` of `new WebAuthn()`',
      'user-verified': '`$requireUserVerification`',
      'sign-count': '`$prevSignatureCnt`',
    },
  },
  {
    names: ['Laragear/WebAuthn', 'laragear/webauthn'],
    steps: { origin: '`webauthn.relying_party.id`', 'rp-id-hash': '`webauthn.relying_party.id`' },
  },
  {
    names: ['Keycloak'],
    steps: { 'attestation-trust': '*Acceptable AAGUIDs* of the WebAuthn policy' },
  },
];

/** Finds the option or call of a library that checks a step. */
export const findFix = (library: string | undefined, step: string): string | undefined =>
  LIBRARY_FIXES.find(({ names }) => library !== undefined && names.includes(library))?.steps[step];
