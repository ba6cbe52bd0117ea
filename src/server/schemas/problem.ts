import * as Type from 'typebox';
import { ERRORS } from '../../errors.js';
import { STEP_REVISION } from '../../relying-party/steps/step.js';

/** Schema of problem documents: RFC 9457 with our extension members. It is registered once, and other schemas refer to it by name. */
export const ProblemSchema = Type.Object(
  {
    type: Type.String({ description: '`urn:passkey:problem:<code>`' }),
    title: Type.String(),
    status: Type.Integer(),
    detail: Type.Optional(Type.String({ description: 'Explanation of this error. Absent in production mode.' })),
    code: Type.String({ description: 'Stable.', examples: Object.keys(ERRORS).slice(0, 3) }),
    documentation: Type.Optional(Type.String({ description: 'URL of the page that explains the code. Absent in production mode.' })),
    request_id: Type.String({ description: 'Id of the request, which is also in the header `X-Request-Id`.' }),
    errors: Type.Optional(
      Type.Array(Type.Object({ pointer: Type.String({ description: 'JSON Pointer (RFC 6901) into the body.' }), detail: Type.String() })),
    ),
    step: Type.Optional(
      Type.Object(
        {
          section: Type.String({ description: 'Section of W3C WebAuthn Level 3: `7.1` or `7.2`.' }),
          number: Type.Integer({ description: `Number of the step in the section, as of: ${STEP_REVISION}.` }),
          slug: Type.String({ description: 'Stable name of the step; the numbers change between revisions.' }),
          title: Type.String(),
          expected: Type.String(),
          received: Type.String(),
          hint: Type.String(),
        },
        { description: 'The step at which a ceremony failed. Absent in production mode.' },
      ),
    ),
  },
  { $id: 'Problem' },
);

const DESCRIPTIONS: Readonly<Record<number, string>> = {
  400: 'The body is not valid JSON (`malformed_json`), or the request is not valid HTTP (`malformed_request`).',
  401: 'The bearer token or session is missing or not valid (`unauthenticated`), or the assertion does not verify (the code of the failed check).',
  403: 'The origin or the host is not allowed (`origin_not_allowed`, `host_not_allowed`).',
  404: 'No stored passkey matches (`passkey_not_found`).',
  408: 'The request did not arrive in time (`request_timeout`).',
  409: 'The credential ID is registered already (`credential_already_registered`), or the user has too many passkeys (`too_many_passkeys`).',
  413: 'The body, or the data to store for a passkey, is over the limit (`payload_too_large`).',
  415: 'The content type is not application/json, or the body has a content coding (`unsupported_media_type`).',
  417: 'The `Expect` field asks for something other than `100-continue` (`expectation_failed`).',
  422: 'The body does not have the expected shape (`validation_failed`), or the attestation does not verify (the code of the failed check).',
  429: 'Too many requests (`rate_limited`); see `Retry-After`.',
  431: 'The header fields are too large (`headers_too_large`).',
  500: 'Unexpected error (`internal_error`).',
  503: 'The store is unavailable (`store_unavailable`), the server holds too many bodies (`overloaded`), or it is shutting down (`shutting_down`).',
};

const HEADERS: Readonly<Record<number, Readonly<Record<string, { readonly type: string; readonly description: string }>>>> = {
  401: { 'WWW-Authenticate': { type: 'string', description: '`Bearer …`' } },
  429: {
    'Retry-After': { type: 'integer', description: 'Seconds.' },
    'RateLimit-Limit': { type: 'integer', description: 'Requests per minute and address; for registrations, per minute and user.' },
    'RateLimit-Remaining': { type: 'integer', description: 'Requests left.' },
    'RateLimit-Reset': { type: 'integer', description: 'Seconds until the count starts again.' },
  },
};

type ProblemStatus = 401 | 404 | 409 | 413 | 415 | 422 | 429;

/** HTTP statuses of the problem documents that any route may send. */
const COMMON_PROBLEMS: readonly number[] = [400, 403, 408, 417, 431, 500, 503];

/** HTTP statuses of the problem documents that a route may send if its method allows a body, even if the route ignores the body. */
export const UNUSED_BODY_PROBLEMS: readonly ProblemStatus[] = [413, 415];

/** HTTP statuses of the problem documents that a route may send if it reads its body. */
export const BODY_PROBLEMS: readonly ProblemStatus[] = [...UNUSED_BODY_PROBLEMS, 422];

/**
 * Makes the part of a route's `response` schema that describes its problem documents. Adds the problem documents that every route may send.
 */
export function problems(...statuses: readonly ProblemStatus[]) {
  const all = [...new Set([...statuses, ...COMMON_PROBLEMS])].sort((a, b) => a - b);
  return Object.fromEntries(
    all.map((status) => [
      status,
      {
        description: DESCRIPTIONS[status] ?? '',
        ...(HEADERS[status] && { headers: HEADERS[status] }),
        content: { 'application/problem+json': { schema: { $ref: 'Problem#' } } },
      },
    ]),
  );
}

/** Makes the part of a route's `response` schema that describes a JSON response. */
export function json<T extends Type.TSchema>(description: string, schema: T) {
  return { description, content: { 'application/json': { schema } } };
}

/** Makes the part of a route's `response` schema that describes a response without a body. */
export function noContent(description: string) {
  return { description, type: 'null' };
}
