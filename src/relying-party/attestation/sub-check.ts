/**
 * `warn`: deviates from the standard, but occurs in practice and is harmless, or is the server's choice to refuse. `skip`: does not apply,
 * or cannot be checked here.
 */
type SubCheckStatus = 'pass' | 'fail' | 'skip' | 'warn';

/** Result of one requirement of W3C WebAuthn L3 §8, or of a document that it cites. Values are decoded and shortened. */
export interface SubCheck {
  /** Stable key of the check, defined by this package and unique in its statement. */
  readonly slug: string;
  /** Section that contains the requirement, e.g. `§8.2.1`. */
  readonly reference: string;
  readonly status: SubCheckStatus;
  readonly expected: string;
  /** The received value; for `skip`, the reason. */
  readonly received: string;
  /** Advice for a failure or a warning. */
  readonly hint?: string;
}

/** A requirement, before it is checked against a value. */
export interface Requirement {
  readonly slug: string;
  readonly reference: string;
  readonly expected: string;
  readonly hint: string;
}

export function decide(requirement: Requirement, status: SubCheckStatus, received: string): SubCheck {
  const { slug, reference, expected, hint } = requirement;
  return { slug, reference, status, expected, received, ...((status === 'fail' || status === 'warn') && { hint }) };
}

/** Makes the result of a requirement: `pass` if `ok`, otherwise `fail`. */
export function judge(requirement: Requirement, ok: boolean, received: string): SubCheck {
  return decide(requirement, ok ? 'pass' : 'fail', received);
}

/** Judges the value that `read` returns. If `read` throws, because bytes are malformed, fails with its message. */
export function judgeReading<T>(
  requirement: Requirement,
  read: () => T,
  then: (value: T) => SubCheck = () => judge(requirement, true, 'as expected'),
): SubCheck {
  const outcome = attempt(read);
  return outcome.ok ? then(outcome.value) : judge(requirement, false, outcome.message);
}

type Attempt<T> = { readonly ok: true; readonly value: T } | { readonly ok: false; readonly message: string };

export function attempt<T>(read: () => T): Attempt<T> {
  try {
    return { ok: true, value: read() };
  } catch (error) {
    return { ok: false, message: error instanceof Error ? error.message : String(error) };
  }
}
