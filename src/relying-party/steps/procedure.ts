import type { Check, Step, StepIdentity } from './step.js';

/**
 * The steps of W3C WebAuthn L3 §7.1 and §7.2 in order: the place in the list is the step's number in `STEP_REVISION`.
 * Few of them have anchors in the standard, so each carries a slug of ours.
 */
export const REGISTRATION_TITLES = {
  options: 'Configure the creation options',
  create: 'Call navigator.credentials.create()',
  response: 'The response is an AuthenticatorAttestationResponse',
  'client-extension-results': 'Take the client extension results',
  'client-data-text': 'Decode the client data as UTF-8',
  'client-data': 'Parse the client data as JSON',
  type: 'C.type is webauthn.create',
  challenge: 'C.challenge is the challenge of the options',
  origin: 'C.origin is an expected origin',
  'cross-origin': 'C.crossOrigin is expected',
  'top-origin': 'C.topOrigin is an expected page',
  'client-data-hash': 'Hash the client data with SHA-256',
  'attestation-object': 'Decode the attestation object',
  'rp-id-hash': 'rpIdHash is the SHA-256 of the RP ID',
  'user-present': 'The user was present (UP)',
  'user-verified': 'The user was verified (UV), if required',
  'backup-flags': 'BS is not set without BE',
  'backup-eligibility': 'Evaluate the backup eligibility (BE)',
  'backup-state': 'Evaluate the backup state (BS)',
  algorithm: 'The algorithm of the credential public key was offered',
  'attestation-format': 'The attestation statement format is supported',
  'attestation-statement': 'The attestation statement verifies',
  'trust-anchors': 'Obtain the acceptable trust anchors',
  'attestation-trust': 'The attestation is trustworthy',
  'credential-id': 'The credential ID has at most 1023 bytes',
  'credential-id-unused': 'The credential ID is not registered yet',
  'credential-record': 'Make the credential record',
  'extension-outputs': 'Process the extension outputs',
  store: 'Store the credential record',
} as const;

export const AUTHENTICATION_TITLES = {
  options: 'Configure the request options',
  get: 'Call navigator.credentials.get()',
  response: 'The response is an AuthenticatorAssertionResponse',
  'client-extension-results': 'Take the client extension results',
  'allow-credentials': 'The credential is among allowCredentials',
  'user-handle': 'Identify the user and the credential record',
  'response-members': 'Take cData, authData and sig',
  'client-data-text': 'Decode the client data as UTF-8',
  'client-data': 'Parse the client data as JSON',
  type: 'C.type is webauthn.get',
  challenge: 'C.challenge is the challenge of the options',
  origin: 'C.origin is an expected origin',
  'cross-origin': 'C.crossOrigin is expected',
  'top-origin': 'C.topOrigin is an expected page',
  'rp-id-hash': 'rpIdHash is the SHA-256 of the RP ID',
  'user-present': 'The user was present (UP)',
  'user-verified': 'The user was verified (UV), if required',
  'backup-flags': 'BS is not set without BE',
  'backup-eligibility': 'The backup eligibility (BE) has not changed',
  'client-data-hash': 'Hash the client data with SHA-256',
  signature: 'The signature verifies',
  'sign-count': 'The signature counter has grown',
  'extension-outputs': 'Process the extension outputs',
  'credential-record': 'Update the credential record',
  continue: 'Continue the authentication ceremony',
} as const;

export type RegistrationSlug = keyof typeof REGISTRATION_TITLES;
export type AuthenticationSlug = keyof typeof AUTHENTICATION_TITLES;

/** Puts the logic of each step to its number and title. */
export function procedure<Slug extends string, Context>(
  section: StepIdentity['section'],
  titles: Readonly<Record<Slug, string>>,
  checks: Readonly<Record<Slug, Check<Context>>>,
): readonly (Step<Context> & { readonly slug: Slug })[] {
  const slugs = Object.keys(titles) as Slug[];
  return slugs.map((slug, index) => ({ section, number: index + 1, slug, title: titles[slug], check: checks[slug] }));
}
