import type { ErrorCode } from '../../src/errors.js';
import type { AuthenticationSlug, RegistrationSlug } from '../../src/relying-party/steps/procedure.js';

/** Anchors of the standard by the number of the section. */
export const SECTIONS = {
  '5.1.3': 'sctn-createCredential',
  '5.8.1': 'dictionary-client-data',
  '5.8.5': 'sctn-alg-identifier',
  '5.8.6': 'enumdef-userverificationrequirement',
  '6.1': 'sctn-authenticator-data',
  '6.1.1': 'sctn-sign-counter',
  '6.1.3': 'sctn-credential-backup',
  '6.5': 'sctn-attestation',
  '6.5.1': 'sctn-attested-credential-data',
  '8': 'sctn-defined-attestation-formats',
  '9': 'sctn-extensions',
  '13.4.3': 'sctn-cryptographic-challenges',
  '13.4.9': 'sctn-validating-origin',
} as const;

interface StepReference {
  /** Codes that the step refuses with. */
  readonly codes?: readonly [ErrorCode, ...ErrorCode[]];
  /** What the step is about. Others are explained in the procedure alone. */
  readonly section?: keyof typeof SECTIONS;
  /** The flag of `passkey serve` that changes what the step accepts. */
  readonly flag?: `--${string}`;
}

export type Slug = RegistrationSlug | AuthenticationSlug;

/** What docs/errors.md says of each step, besides its title. */
export const STEPS: Readonly<Record<Slug, StepReference>> = {
  options: {},
  create: { section: '5.1.3' },
  get: {},
  response: {},
  'client-extension-results': { section: '9' },
  'allow-credentials': { codes: ['credential_not_allowed'] },
  'user-handle': { codes: ['passkey_not_found', 'user_handle_missing', 'user_handle_mismatch'] },
  'response-members': {},
  'client-data-text': { codes: ['client_data_malformed'], section: '5.8.1' },
  'client-data': { codes: ['client_data_malformed'], section: '5.8.1' },
  type: { codes: ['type_mismatch'], section: '5.8.1' },
  challenge: { codes: ['challenge_unknown', 'challenge_used', 'challenge_expired'], section: '13.4.3', flag: '--challenge-ttl' },
  origin: { codes: ['origin_mismatch'], section: '13.4.9', flag: '--origin' },
  'cross-origin': { codes: ['cross_origin_not_allowed'], section: '5.8.1', flag: '--top-origin' },
  'top-origin': { codes: ['top_origin_mismatch'], section: '13.4.9', flag: '--top-origin' },
  'client-data-hash': { section: '5.8.1' },
  'attestation-object': { codes: ['attestation_malformed', 'authenticator_data_malformed'], section: '6.5' },
  'rp-id-hash': { codes: ['rp_id_mismatch', 'authenticator_data_malformed'], section: '6.1' },
  'user-present': { codes: ['user_not_present'], section: '6.1' },
  'user-verified': { codes: ['user_not_verified'], section: '5.8.6', flag: '--user-verification' },
  'backup-flags': { codes: ['backup_state_invalid'], section: '6.1.3' },
  'backup-eligibility': { codes: ['backup_eligibility_changed'], section: '6.1.3' },
  'backup-state': { section: '6.1.3' },
  algorithm: { codes: ['algorithm_not_allowed', 'public_key_malformed'], section: '5.8.5', flag: '--algorithms' },
  'attestation-format': { codes: ['attestation_format_unsupported'], section: '8' },
  'attestation-statement': { codes: ['attestation_malformed'], section: '8' },
  'trust-anchors': { section: '6.5', flag: '--attestation-roots' },
  'attestation-trust': { codes: ['attestation_untrusted'], section: '6.5', flag: '--attestation-roots' },
  'credential-id': { codes: ['credential_id_mismatch', 'credential_id_too_long'], section: '6.5.1' },
  'credential-id-unused': { codes: ['credential_already_registered'] },
  signature: { codes: ['signature_invalid', 'public_key_malformed'], section: '5.8.5' },
  'sign-count': { codes: ['counter_regressed'], section: '6.1.1' },
  'extension-outputs': { section: '9' },
  'credential-record': {},
  store: {},
  continue: {},
};
