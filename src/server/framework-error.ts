import { PasskeyError } from '../errors.js';
import { validationError } from './validation.js';

const UNSUPPORTED_MEDIA_TYPE = 'Expected a body of content type application/json. Send the header "Content-Type: application/json".';

/** Codes of Fastify's own errors (its documentation lists them) that a client can cause. */
const BY_FRAMEWORK_CODE: Readonly<Record<string, (cause: Error) => PasskeyError>> = {
  FST_ERR_CTP_BODY_TOO_LARGE: (cause) =>
    new PasskeyError('payload_too_large', 'The body is larger than this server takes (64 KiB by default). Send less.', { cause }),
  FST_ERR_CTP_INVALID_MEDIA_TYPE: (cause) => new PasskeyError('unsupported_media_type', UNSUPPORTED_MEDIA_TYPE, { cause }),
  // A byte order mark and nothing behind it; a body without any byte never comes so far.
  FST_ERR_CTP_EMPTY_JSON_BODY: (cause) => malformedJson('Expected a body that is valid JSON; it is empty.', cause),
  FST_ERR_CTP_INVALID_JSON_BODY: (cause) => malformedJson('Expected a body that is valid JSON (RFC 8259). Check its syntax.', cause),
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: (cause) => malformedJson('The body is not as long as its Content-Length says.', cause),
  FST_ERR_BAD_URL: (cause) => new PasskeyError('route_not_found', 'The path is not a valid URL path.', { cause }),
  FST_ERR_MAX_PARAM_LENGTH: (cause) => new PasskeyError('route_not_found', 'The path is too long.', { cause }),
};

export function unsupportedMediaType(): PasskeyError {
  return new PasskeyError('unsupported_media_type', UNSUPPORTED_MEDIA_TYPE);
}

function malformedJson(message: string, cause: unknown): PasskeyError {
  return new PasskeyError('malformed_json', message, { cause });
}

/** Whatever was thrown on the way to an answer, as an error of our table. The original stays as `cause`. */
export function toPasskeyError(thrown: unknown): PasskeyError {
  if (thrown instanceof PasskeyError) {
    return thrown;
  }
  if (thrown instanceof Error) {
    if ('validation' in thrown && Array.isArray(thrown.validation)) {
      return validationError(thrown.validation, thrown);
    }
    const known = 'code' in thrown && typeof thrown.code === 'string' ? BY_FRAMEWORK_CODE[thrown.code] : undefined;
    if (known !== undefined) {
      return known(thrown);
    }
    // A client that goes away in the middle of its body.
    if ('code' in thrown && (thrown.code === 'ECONNRESET' || thrown.code === 'ECONNABORTED')) {
      return malformedJson('The connection ended before the body did.', thrown);
    }
  }
  return new PasskeyError('internal_error', 'An unforeseen error.', { cause: thrown });
}
