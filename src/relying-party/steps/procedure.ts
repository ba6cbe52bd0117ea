import type { Check, Step, StepIdentity } from './step.js';

/**
 * Titles of the steps of W3C WebAuthn L3 §7.1, by slug; those of §7.2 follow below. The order of the titles gives the numbers of the steps,
 * as in `STEP_REVISION`. The slugs are defined by this package, since few steps have anchors in the standard. `failure` is the title of a
 * step that has failed.
 */
export const REGISTRATION_TITLES = {
  options: { title: 'Configure the creation options', failure: 'The creation options cannot be used' },
  create: { title: 'Call navigator.credentials.create()', failure: 'navigator.credentials.create() failed' },
  response: {
    title: 'The response is an AuthenticatorAttestationResponse',
    failure: 'The response is not an AuthenticatorAttestationResponse',
  },
  'client-extension-results': { title: 'Take the client extension results', failure: 'The client extension results cannot be read' },
  'client-data-text': { title: 'Decode the client data as UTF-8', failure: 'The client data is not UTF-8' },
  'client-data': { title: 'Parse the client data as JSON', failure: 'The client data cannot be parsed' },
  type: { title: 'C.type is webauthn.create', failure: 'The type is not webauthn.create' },
  challenge: { title: 'C.challenge is the challenge of the options', failure: 'The challenge is not the expected one, or no longer valid' },
  origin: { title: 'C.origin is an expected origin', failure: 'The origin is not the expected one' },
  'cross-origin': { title: 'C.crossOrigin is expected', failure: 'The page was in a frame of another origin, which is not expected' },
  'top-origin': { title: 'C.topOrigin is an expected page', failure: 'The top origin is not an expected page' },
  'client-data-hash': { title: 'Hash the client data with SHA-256', failure: 'The client data cannot be hashed' },
  'attestation-object': { title: 'Decode the attestation object', failure: 'The attestation object cannot be decoded' },
  'rp-id-hash': { title: 'rpIdHash is the SHA-256 of the RP ID', failure: 'The RP ID hash is not that of the expected RP ID' },
  'user-present': { title: 'The user was present (UP)', failure: 'The user was not present (UP)' },
  'user-verified': { title: 'The user was verified (UV), if required', failure: 'The user was not verified (UV), as required' },
  'backup-flags': { title: 'BS is not set without BE', failure: 'BS is set without BE' },
  'backup-eligibility': { title: 'Evaluate the backup eligibility (BE)', failure: 'The backup eligibility (BE) is not allowed' },
  'backup-state': { title: 'Evaluate the backup state (BS)', failure: 'The backup state (BS) is not allowed' },
  algorithm: {
    title: 'The algorithm of the credential public key was offered',
    failure: 'The credential public key has no algorithm that was offered',
  },
  'attestation-format': {
    title: 'The attestation statement format is supported',
    failure: 'The attestation statement format is not supported',
  },
  'attestation-statement': { title: 'The attestation statement verifies', failure: 'The attestation statement does not verify' },
  'trust-anchors': { title: 'Obtain the acceptable trust anchors', failure: 'There are no acceptable trust anchors' },
  'attestation-trust': { title: 'The attestation is trustworthy', failure: 'The attestation is not trustworthy' },
  'credential-id': { title: 'The credential ID has at most 1023 bytes', failure: 'The credential ID is too long, or not the attested one' },
  'credential-id-unused': { title: 'The credential ID is not registered yet', failure: 'The credential ID is registered already' },
  'credential-record': { title: 'Make the credential record', failure: 'The credential record cannot be made' },
  'extension-outputs': { title: 'Process the extension outputs', failure: 'The extension outputs are not acceptable' },
  store: { title: 'Store the credential record', failure: 'The credential record cannot be stored' },
} as const;

export const AUTHENTICATION_TITLES = {
  options: { title: 'Configure the request options', failure: 'The request options cannot be used' },
  get: { title: 'Call navigator.credentials.get()', failure: 'navigator.credentials.get() failed' },
  response: {
    title: 'The response is an AuthenticatorAssertionResponse',
    failure: 'The response is not an AuthenticatorAssertionResponse',
  },
  'client-extension-results': { title: 'Take the client extension results', failure: 'The client extension results cannot be read' },
  'allow-credentials': { title: 'The credential is among allowCredentials', failure: 'The credential is not among allowCredentials' },
  'user-handle': {
    title: 'Identify the user and the credential record',
    failure: 'The user or the credential record cannot be identified',
  },
  'response-members': { title: 'Take cData, authData and sig', failure: 'cData, authData or sig cannot be read' },
  'client-data-text': { title: 'Decode the client data as UTF-8', failure: 'The client data is not UTF-8' },
  'client-data': { title: 'Parse the client data as JSON', failure: 'The client data cannot be parsed' },
  type: { title: 'C.type is webauthn.get', failure: 'The type is not webauthn.get' },
  challenge: { title: 'C.challenge is the challenge of the options', failure: 'The challenge is not the expected one, or no longer valid' },
  origin: { title: 'C.origin is an expected origin', failure: 'The origin is not the expected one' },
  'cross-origin': { title: 'C.crossOrigin is expected', failure: 'The page was in a frame of another origin, which is not expected' },
  'top-origin': { title: 'C.topOrigin is an expected page', failure: 'The top origin is not an expected page' },
  'rp-id-hash': { title: 'rpIdHash is the SHA-256 of the RP ID', failure: 'The RP ID hash is not that of the expected RP ID' },
  'user-present': { title: 'The user was present (UP)', failure: 'The user was not present (UP)' },
  'user-verified': { title: 'The user was verified (UV), if required', failure: 'The user was not verified (UV), as required' },
  'backup-flags': { title: 'BS is not set without BE', failure: 'BS is set without BE' },
  'backup-eligibility': { title: 'The backup eligibility (BE) has not changed', failure: 'The backup eligibility (BE) has changed' },
  'client-data-hash': { title: 'Hash the client data with SHA-256', failure: 'The client data cannot be hashed' },
  signature: { title: 'The signature verifies', failure: 'The signature does not verify' },
  'sign-count': { title: 'The signature counter has grown', failure: 'The signature counter has not grown' },
  'extension-outputs': { title: 'Process the extension outputs', failure: 'The extension outputs are not acceptable' },
  'credential-record': { title: 'Update the credential record', failure: 'The credential record cannot be updated' },
  continue: { title: 'Continue the authentication ceremony', failure: 'The authentication ceremony cannot go on' },
} as const;

export type RegistrationSlug = keyof typeof REGISTRATION_TITLES;
export type AuthenticationSlug = keyof typeof AUTHENTICATION_TITLES;

/** Combines the number and title of each step with the function that checks it. */
export function procedure<Slug extends string, Context>(
  section: StepIdentity['section'],
  titles: Readonly<Record<Slug, Pick<Step<Context>, 'title' | 'failure'>>>,
  checks: Readonly<Record<Slug, Check<Context>>>,
): readonly (Step<Context> & { readonly slug: Slug })[] {
  const slugs = Object.keys(titles) as Slug[];
  return slugs.map((slug, index) => ({ section, number: index + 1, slug, ...titles[slug], check: checks[slug] }));
}
