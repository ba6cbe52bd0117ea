/**
 * `warn`: the value deviates from the standard in a way that is common and harmless, or that each server may choose to refuse. `skip`: the
 * requirement does not apply, or cannot be checked here.
 */
type SubCheckStatus = 'pass' | 'fail' | 'skip' | 'warn';

/** Result of one requirement of W3C WebAuthn L3 §8, or of a document that §8 cites. The values are decoded and shortened. */
export interface SubCheck {
  /** Identifies the check. Defined by this package, unique within one statement, and the same in every version. */
  readonly slug: string;
  /** Section that contains the requirement, e.g. `§8.2.1`. */
  readonly reference: string;
  readonly status: SubCheckStatus;
  readonly expected: string;
  /** The received value; for `skip`, the reason. */
  readonly received: string;
  /** Advice on how to fix a failure or a warning. */
  readonly hint?: string;
}

/** A requirement that has not been checked yet. */
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

/** Makes the result of checking a requirement: `pass` if `ok`, otherwise `fail`. */
export function judge(requirement: Requirement, ok: boolean, received: string): SubCheck {
  return decide(requirement, ok ? 'pass' : 'fail', received);
}

/**
 * Checks a requirement on the value that `read` returns. If `read` throws because bytes are malformed, the check fails with the message of
 * that error.
 */
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
