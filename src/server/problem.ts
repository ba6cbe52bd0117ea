import { type ErrorCode, type FailedStep, type FieldError, isFailedCheck, PasskeyError } from '../errors.js';

/** RFC 9457, with the extension members of this API. */
export interface Problem {
  readonly type: string;
  readonly title: string;
  readonly status: number;
  /** Never in production. */
  readonly detail?: string;
  readonly code: ErrorCode;
  readonly request_id: string;
  readonly errors?: readonly FieldError[];
  /** The step of the W3C procedure at which a ceremony failed. Never in production. */
  readonly step?: FailedStep;
}

export interface ProblemContext {
  readonly requestId: string;
  readonly production: boolean;
  /** Status of a failed check: 401 where an assertion is verified, else that of the table. */
  readonly failedCheckStatus?: number | undefined;
}

export function toProblem(error: PasskeyError, { requestId, production, failedCheckStatus }: ProblemContext): Problem {
  const shown = publicError(error, requestId);
  const status = failedCheckStatus !== undefined && isFailedCheck(shown.code) ? failedCheckStatus : shown.status;
  return {
    type: `urn:passkey:problem:${shown.code}`,
    title: shown.title,
    status,
    ...(production ? {} : { detail: shown.message }),
    code: shown.code,
    request_id: requestId,
    ...(shown.errors === undefined || shown.errors.length === 0 ? {} : { errors: shown.errors }),
    ...(production || shown.step === undefined ? {} : { step: shown.step }),
  };
}

/**
 * What nobody foresaw says nothing of the inside: no message, no path, no configuration. Whatever is wrong with the store, a
 * client can do no more than come back later.
 */
function publicError(error: PasskeyError, requestId: string): PasskeyError {
  if (error.status === 503) {
    return new PasskeyError('store_unavailable', error.message);
  }
  if (error.status !== 500) {
    return error;
  }
  return new PasskeyError('internal_error', `The server failed to answer. Its log has the reason, under request id ${requestId}.`);
}
