/**
 * One row of the table of errors, which lists the HTTP status, exit code and title of each stable error code. The table depends on no HTTP
 * framework or terminal. The server and the command line both read it.
 */

interface ErrorEntry {
  /** HTTP status of the problem document. */
  readonly status: number;
  /** Exit code of a command that ends with this error: 0 to 4, or 130. After an interruption, the exit code depends on the signal. */
  readonly exit: number;
  /** Short summary of the error, the same for every occurrence. It is the `title` of the problem document. */
  readonly title: string;
}

/**
 * Makes the table row of an error that refuses a ceremony. The status 422 is for registration; at authentication, the server sends 401
 * instead.
 */
const check = (title: string): ErrorEntry => ({ status: 422, exit: 1, title });

export const FAILED_CHECKS = {
  client_data_malformed: check('The client data is malformed'),
  type_mismatch: check('The client data type does not match the ceremony'),
  challenge_unknown: check('The challenge was not issued for this ceremony'),
  challenge_expired: check('The challenge has expired'),
  challenge_used: check('The challenge has already been used'),
  origin_mismatch: check('The origin is not the expected one'),
  top_origin_mismatch: check('The top-level origin is not an expected one'),
  cross_origin_not_allowed: check('A cross-origin ceremony is not allowed'),
  rp_id_mismatch: check('The RP ID hash does not match'),
  user_not_present: check('The user was not present'),
  user_not_verified: check('The user was not verified'),
  backup_state_invalid: check('The backup flags contradict each other'),
  backup_eligibility_changed: check('The backup eligibility has changed'),
  algorithm_not_allowed: check('The algorithm is not among those offered'),
  authenticator_data_malformed: check('The authenticator data is malformed'),
  attestation_malformed: check('The attestation object is malformed or its statement does not verify'),
  attestation_untrusted: check('The attestation is not trusted'),
  attestation_format_unsupported: check('The attestation statement format is not supported'),
  credential_id_mismatch: check('The credential ID differs from the attested one'),
  credential_id_too_long: check('The credential ID is longer than 1023 bytes'),
  credential_not_allowed: check('The credential is not one that was asked for'),
  public_key_malformed: check('The credential public key is malformed'),
  user_handle_missing: check('The user handle is missing'),
  user_handle_mismatch: check('The user handle is not that of the account that the passkey belongs to'),
  signature_invalid: check('The signature does not verify'),
  counter_regressed: check('The signature counter did not increase'),
  verifiers_disagree: check('The verification library refuses what every step accepts'),
} as const satisfies Record<string, ErrorEntry>;

export const ERRORS = {
  ...FAILED_CHECKS,
  malformed_json: { status: 400, exit: 2, title: 'The body is not valid JSON' },
  malformed_request: { status: 400, exit: 2, title: 'The request is not valid HTTP' },
  unauthenticated: { status: 401, exit: 1, title: 'Authentication is required' },
  origin_not_allowed: { status: 403, exit: 1, title: 'The origin is not allowed' },
  host_not_allowed: { status: 403, exit: 1, title: 'The host is not allowed' },
  development_only: { status: 403, exit: 1, title: 'Only available to a local browser in development mode' },
  passkey_not_found: { status: 404, exit: 1, title: 'No such passkey' },
  owner_not_found: { status: 404, exit: 1, title: 'No such user' },
  token_not_found: { status: 404, exit: 1, title: 'No such token' },
  route_not_found: { status: 404, exit: 1, title: 'No such route' },
  method_not_allowed: { status: 405, exit: 1, title: 'The method is not allowed here' },
  request_timeout: { status: 408, exit: 1, title: 'The request took too long to arrive' },
  credential_already_registered: { status: 409, exit: 1, title: 'The credential is already registered' },
  owner_already_exists: { status: 409, exit: 1, title: 'The user already exists' },
  too_many_passkeys: { status: 409, exit: 1, title: 'The user has too many passkeys' },
  passkey_not_restorable: { status: 409, exit: 1, title: 'The passkey cannot be restored' },
  payload_too_large: { status: 413, exit: 1, title: 'The body is too large' },
  unsupported_media_type: { status: 415, exit: 1, title: 'The content type is not supported' },
  expectation_failed: { status: 417, exit: 1, title: 'The expectation is not supported' },
  options_refused: { status: 422, exit: 1, title: 'A browser would refuse the options' },
  validation_failed: { status: 422, exit: 2, title: 'The request does not have the expected shape' },
  rate_limited: { status: 429, exit: 1, title: 'Too many requests' },
  headers_too_large: { status: 431, exit: 1, title: 'The header fields are too large' },
  internal_error: { status: 500, exit: 1, title: 'Unexpected error' },
  shutting_down: { status: 503, exit: 1, title: 'The server is shutting down' },
  overloaded: { status: 503, exit: 1, title: 'The server holds too many request bodies' },
  store_unavailable: { status: 503, exit: 3, title: 'The store is unavailable' },
  store_absent: { status: 503, exit: 3, title: 'The store does not exist' },
  store_damaged: { status: 503, exit: 3, title: 'The store is damaged' },
  not_applicable: { status: 422, exit: 2, title: 'The mutation does not apply here' },
  usage: { status: 500, exit: 2, title: 'Wrong usage' },
  configuration_invalid: { status: 500, exit: 2, title: 'The configuration is invalid' },
  ambiguous_user: { status: 422, exit: 2, title: 'The user is ambiguous' },
  fixture_invalid: { status: 500, exit: 2, title: 'The fixture is invalid' },
  target_unreachable: { status: 502, exit: 4, title: 'The target cannot be reached' },
  interrupted: { status: 500, exit: 130, title: 'Interrupted' },
} as const satisfies Record<string, ErrorEntry>;

export type ErrorCode = keyof typeof ERRORS;
export type FailedCheckCode = keyof typeof FAILED_CHECKS;

/** One mistake in a JSON document. `pointer` is an RFC 6901 JSON Pointer, e.g. `/response/signature`. */
export interface FieldError {
  readonly pointer: string;
  readonly detail: string;
}

/**
 * The step of W3C WebAuthn L3 §7.1 or §7.2 at which a ceremony failed. The values that it shows are decoded and shortened, and never
 * secret.
 */
export interface FailedStep {
  readonly section: '7.1' | '7.2';
  /** Number of the step in the standard. The relying party's `STEP_REVISION` names the revision of the standard that is meant. */
  readonly number: number;
  /**
   * Stable key of the step, such as `origin`, `rp-id-hash` or `sign-count`. It stays the same when a new revision of the standard renumbers
   * the steps.
   */
  readonly slug: string;
  readonly title: string;
  readonly expected: string;
  readonly received: string;
  /** One sentence that tells a developer what to change. */
  readonly hint: string;
}

export interface PasskeyErrorOptions {
  readonly errors?: readonly FieldError[];
  readonly step?: FailedStep;
  readonly cause?: unknown;
}

/** Marks a `PasskeyError`, so that it is recognized even if an auth action imported it from another copy of the package. */
const MARK = Symbol.for('passkey-cli/PasskeyError');

/** An error with a stable `code`. Its `message` states what was expected, what was received, and what to do. */
export class PasskeyError extends Error {
  override readonly name = 'PasskeyError';
  readonly code: ErrorCode;
  readonly errors: readonly FieldError[] | undefined;
  readonly step: FailedStep | undefined;

  constructor(code: ErrorCode, message: string, options: PasskeyErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.code = code;
    this.errors = options.errors;
    this.step = options.step;
  }

  get [MARK](): true {
    return true;
  }

  /** Makes `instanceof` accept errors that another copy of this class created. */
  static override [Symbol.hasInstance](value: unknown): boolean {
    if (this !== PasskeyError) return Function.prototype[Symbol.hasInstance].call(this, value);
    return value instanceof Error && MARK in value;
  }

  get title(): string {
    return ERRORS[this.code].title;
  }

  /** HTTP status of the error. For an error that refuses a ceremony, this is 422; at authentication, the server sends 401 instead. */
  get status(): number {
    return ERRORS[this.code].status;
  }

  get exitCode(): number {
    return ERRORS[this.code].exit;
  }
}

/** Tests whether an error code means that a ceremony was refused. */
export function isFailedCheck(code: ErrorCode): code is FailedCheckCode {
  return Object.hasOwn(FAILED_CHECKS, code);
}
