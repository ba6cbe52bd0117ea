import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { type ErrorCode, type FailedStep, type FieldError, isFailedCheck, PasskeyError } from '../errors.js';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** HTTP status when a ceremony is refused on this route. It is 401 if the route verifies an assertion. */
    failedCheckStatus?: number;
  }
}

/** A problem document (RFC 9457) with the extension members of this API. */
export interface Problem {
  readonly type: string;
  readonly title: string;
  readonly status: number;
  /** Explains this occurrence of the error. Absent in production. */
  readonly detail?: string;
  readonly code: ErrorCode;
  /** URL of the page on which this server explains the error code. Absent in production. */
  readonly documentation?: string;
  readonly request_id: string;
  readonly errors?: readonly FieldError[];
  /** The step of the WebAuthn procedure at which a ceremony failed. Absent in production. */
  readonly step?: FailedStep;
}

/** How much detail problem documents contain. */
export interface ProblemStyle {
  readonly production: boolean;
  /** URL of the documentation page about errors, if the server has one. */
  readonly errorsPage?: string | undefined;
}

interface ProblemContext extends ProblemStyle {
  readonly requestId: string;
  /** HTTP status when a ceremony is refused: 401 if the route verifies an assertion, otherwise the status in the table of errors. */
  readonly failedCheckStatus?: number | undefined;
}

export function toProblem(error: PasskeyError, { requestId, production, errorsPage, failedCheckStatus }: ProblemContext): Problem {
  const shown = publicError(error, requestId);
  const status = failedCheckStatus !== undefined && isFailedCheck(shown.code) ? failedCheckStatus : shown.status;
  return {
    type: `urn:passkey:problem:${shown.code}`,
    title: shown.title,
    status,
    ...(production ? {} : { detail: shown.message }),
    code: shown.code,
    ...(production || errorsPage === undefined ? {} : { documentation: `${errorsPage}#${shown.code}` }),
    request_id: requestId,
    ...(shown.errors === undefined || shown.errors.length === 0 ? {} : { errors: shown.errors }),
    ...(production || shown.step === undefined ? {} : { step: shown.step }),
  };
}

/**
 * Removes internals from an unexpected error: its message, paths and configuration. All failures of the store get the same message, since a
 * client can only try again later.
 */
function publicError(error: PasskeyError, requestId: string): PasskeyError {
  if (error.status === 503 && error.code !== 'shutting_down') {
    return new PasskeyError('store_unavailable', error.message);
  }
  if (error.status !== 500) {
    return error;
  }
  return new PasskeyError('internal_error', `The server failed to handle the request. Look in its log for request id ${requestId}.`);
}

interface ProblemOptions extends ProblemStyle {
  /** Adds details from the request to an error. */
  readonly refine?: ((error: PasskeyError, request: FastifyRequest) => PasskeyError) | undefined;
  readonly onProblem?: ProblemListener | undefined;
}

/** Sends a problem document (RFC 9457) for every error that a route, a hook or Fastify itself throws. */
export function answerErrorsAsProblems(app: FastifyInstance, { refine, onProblem, ...style }: ProblemOptions): void {
  app.setErrorHandler((thrown, request, reply) => {
    const error = refine === undefined ? thrown : refine(toPasskeyError(thrown), request);
    onProblem?.(request, makeProblem(error, request, style));
    sendProblem(error, request, reply, style);
  });
}

/** Called with every problem document before it is sent. */
export type ProblemListener = (request: FastifyRequest, problem: Problem) => void;

export function makeProblem(thrown: unknown, request: FastifyRequest, style: ProblemStyle): Problem {
  const { failedCheckStatus } = request.routeOptions.config;
  return toProblem(toPasskeyError(thrown), { ...style, requestId: request.id, failedCheckStatus });
}

export function sendProblem(thrown: unknown, request: FastifyRequest, reply: FastifyReply, style: ProblemStyle): void {
  const error = toPasskeyError(thrown);
  const problem = makeProblem(error, request, style);
  if (problem.status >= 500 && error.code !== 'shutting_down') {
    logFailure(request, error);
  }
  if (problem.status === 401) {
    reply.header('www-authenticate', bearerChallenge(request, error));
  }
  const body = JSON.stringify(problem);
  reply.headers({ 'content-type': 'application/problem+json; charset=utf-8', 'content-length': Buffer.byteLength(body) });
  // Skips the onSend hooks: one that throws would throw for this answer too, and Fastify would then send the message as it is.
  reply.hijack();
  for (const [name, value] of Object.entries(reply.getHeaders())) {
    if (value !== undefined) reply.raw.setHeader(name, value);
  }
  reply.raw.writeHead(problem.status).end(body);
}

/**
 * Logs one line if the message explains the failure; the stack is then logged at level debug only. Unexpected errors are logged with
 * everything.
 */
function logFailure({ log }: FastifyRequest, error: PasskeyError): void {
  const failure = error.code === 'internal_error' ? (error.cause ?? error) : error;
  if (failure instanceof AuthActionFailure || (failure instanceof PasskeyError && failure.status === 503)) {
    // GET /healthz tells its client less than the log.
    const reason = failure instanceof PasskeyError && failure.cause instanceof PasskeyError ? failure.cause : failure;
    log.error(`request failed: ${reason.message}`);
    log.debug({ err: reason }, 'stack of the failure');
  } else {
    log.error({ err: failure }, 'request failed');
  }
}

/** A failure of an auth action module. The message names the module, and `cause` is the value that the module threw. */
export class AuthActionFailure extends Error {
  override readonly name = 'AuthActionFailure';
}

/** Value of the `WWW-Authenticate` header in every 401 response. */
export const BEARER_CHALLENGE = 'Bearer realm="passkey"';

/** Makes the `WWW-Authenticate` header for a request (RFC 6750 §3). It has an `error` attribute only if the request had a bearer token. */
function bearerChallenge(request: FastifyRequest, error: PasskeyError): string {
  const tokenRefused = error.code === 'unauthenticated' && /^Bearer\b/i.test(request.headers.authorization ?? '');
  return `${BEARER_CHALLENGE}${tokenRefused ? ', error="invalid_token"' : ''}`;
}

export function unauthenticated(message: string): PasskeyError {
  return new PasskeyError('unauthenticated', message);
}

const UNSUPPORTED_MEDIA_TYPE = 'Expected a body of content type application/json. Send the header "Content-Type: application/json".';

/** Conversions for errors of Fastify that a client can cause, by the error codes in Fastify's documentation. */
const BY_FRAMEWORK_CODE: Readonly<Record<string, (cause: Error) => PasskeyError>> = {
  FST_ERR_CTP_BODY_TOO_LARGE: (cause) =>
    new PasskeyError('payload_too_large', 'The body is larger than this server accepts (64 KiB by default). Send less.', { cause }),
  FST_ERR_CTP_INVALID_MEDIA_TYPE: (cause) => new PasskeyError('unsupported_media_type', UNSUPPORTED_MEDIA_TYPE, { cause }),
  // A body that is only a byte order mark; an empty body never gets here.
  FST_ERR_CTP_EMPTY_JSON_BODY: (cause) => malformedJson('Expected a body that is valid JSON; it is empty.', cause),
  FST_ERR_CTP_INVALID_JSON_BODY: (cause) => malformedJson('Expected a body that is valid JSON (RFC 8259). Check its syntax.', cause),
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: (cause) =>
    malformedJson('The length of the body differs from its Content-Length. Correct one of them.', cause),
  FST_ERR_BAD_URL: (cause) => new PasskeyError('route_not_found', 'The path is not a valid URL path.', { cause }),
  FST_ERR_MAX_PARAM_LENGTH: (cause) => new PasskeyError('route_not_found', 'The path is too long.', { cause }),
};

/** Makes the error for a body with an unsupported content type. If `coding` is given, the content coding is unsupported instead. */
export function unsupportedMediaType(coding?: string): PasskeyError {
  return new PasskeyError(
    'unsupported_media_type',
    coding === undefined
      ? UNSUPPORTED_MEDIA_TYPE
      : `Expected a body without content coding; got Content-Encoding: ${coding.slice(0, 100)}. Send it uncompressed.`,
  );
}

function malformedJson(message: string, cause: unknown): PasskeyError {
  return new PasskeyError('malformed_json', message, { cause });
}

/** Converts any value that is thrown during a request to an error of our table of errors. The original value becomes its `cause`. */
export function toPasskeyError(thrown: unknown): PasskeyError {
  if (thrown instanceof PasskeyError) {
    return thrown;
  }
  if (thrown instanceof Error) {
    const known = 'code' in thrown && typeof thrown.code === 'string' ? BY_FRAMEWORK_CODE[thrown.code] : undefined;
    if (known !== undefined) {
      return known(thrown);
    }
    // The client went away in the middle of its body.
    if ('code' in thrown && (thrown.code === 'ECONNRESET' || thrown.code === 'ECONNABORTED')) {
      return malformedJson('The connection ended before the body was complete.', thrown);
    }
  }
  return new PasskeyError('internal_error', 'An unexpected error.', { cause: thrown });
}
