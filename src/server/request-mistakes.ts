import type { FastifyRequest } from 'fastify';
import { type FieldError, PasskeyError } from '../errors.js';
import { splitPointer } from '../kernel/json-location.js';
import { asObject, isObject, type JsonObject, parseJson } from '../kernel/json-value.js';
import { nearest } from '../kernel/nearest.js';
import { hexIdHint } from '../relying-party/diagnosis/hints.js';
import { cookieValues, SESSION_COOKIE } from './cookies.js';
import { foreignOrigin } from './origins.js';
import type { ServerSettings } from './settings.js';

// Mistakes of front ends that the shape of a refused request gives away. For development mode: they say more than the refusal.

type MistakeSettings = Pick<ServerSettings, 'mode' | 'origin' | 'origins'>;

/** Adds the likely cause to the error for a refused request, if the request shows what its sender did wrong. */
export function addMistake(error: PasskeyError, request: FastifyRequest, settings: MistakeSettings): PasskeyError {
  const mistake = findMistake(error, request, settings);
  if (mistake === undefined) return error;
  const { code, message, errors = [], cause } = error;
  return new PasskeyError(code, `${message} ${mistake}`, { errors, cause });
}

function findMistake({ code, errors = [] }: PasskeyError, request: FastifyRequest, settings: MistakeSettings): string | undefined {
  switch (code) {
    case 'unauthenticated':
      return missingCookie(request, settings);
    case 'unsupported_media_type':
      return isForm(request) ? FORM : undefined;
    case 'validation_failed':
      return wrongBody(errors, request) ?? hexId(request) ?? missingAppUrl(errors, request, settings);
    case 'passkey_not_found':
      return hexId(request);
    default:
      return undefined;
  }
}

const FORM = 'The body is a form: send JSON.stringify({ … }) as the body of fetch() instead of FormData or URLSearchParams.';

/** Checks whether the body is an HTML form. Reads the raw headers, since `readJsonBodies` has removed the `Content-Type` field. */
function isForm({ raw: { rawHeaders } }: FastifyRequest): boolean {
  return rawHeaders.some((text) => /^(application\/x-www-form-urlencoded|multipart\/form-data)\b/i.test(text));
}

/** Explains the mistake if a string looks URL-encoded and not like JSON. Otherwise returns an empty string. */
export function describeUrlEncoded(text: string): string {
  return /^\s*[\w.~%+*-]+=/.test(text) ? ` ${FORM}` : '';
}

/** Explains to the developer of a page of another origin how to make `fetch` send and keep cookies. `fetch` does so only if asked. */
function missingCookie(request: FastifyRequest, settings: MistakeSettings): string | undefined {
  const isSent = request.headers.authorization !== undefined || cookieValues(request, SESSION_COOKIE, settings).length > 0;
  if (isSent || foreignOrigin(request, []) === undefined) return undefined;
  return request.headers['sec-fetch-site'] === 'cross-site'
    ? 'The cookie is for pages of the same site: open the page at the host of this server; its port may differ.'
    : "The request has no cookie: call fetch() with credentials: 'include', for the login too. Otherwise a page of another origin gets none.";
}

/** Finds the credential ID in a body, if it is in hexadecimal. */
function hexId({ body }: FastifyRequest): string | undefined {
  const { id, credential_id: credentialId } = asObject(body);
  return hexIdHint(String(id ?? credentialId));
}

function wrongBody(errors: readonly FieldError[], { body, routeOptions: { url = '', schema } }: FastifyRequest): string | undefined {
  if (typeof body === 'string' && /^\s*[{[]/.test(body)) return 'It is JSON inside a JSON string: call JSON.stringify() once.';
  const shape = asObject(schema?.body);
  if (!isObject(body)) return undefined;
  return (hasMember(shape, 'response') ? wrongCredential(body, url) : undefined) ?? misspelledMember(errors, body, shape);
}

function wrongCredential(body: JsonObject, url: string): string | undefined {
  const { id, rawId, response } = body;
  const place = findCredential(body);
  if (place !== undefined) return `The credential is in ${place}: send its members id, rawId, type and response themselves as the body.`;
  const inner = asObject(response);
  if ([id, rawId, response].every((member) => member === undefined) || [rawId, response, ...Object.values(inner)].some(isEmpty)) {
    return NO_TO_JSON;
  }
  const isRegistration = 'attestationObject' in inner;
  if (isRegistration === url.endsWith('/register') || (!isRegistration && !('signature' in inner))) return undefined;
  return isRegistration
    ? 'This is the response of a registration: send it to POST /api/passkeys/register.'
    : 'This is the response of a login: send it to POST /api/passkeys/login.';
}

/** Finds the member of a body that contains a credential, either as an object or as a string of JSON. */
function findCredential(body: JsonObject, depth = 3): string | undefined {
  for (const [name, value] of Object.entries(body)) {
    const member = asObject(typeof value === 'string' ? parseJson(value) : value);
    if (isObject(member['response']) && 'id' in member) return name;
    const inner = depth === 0 ? undefined : findCredential(member, depth - 1);
    if (inner !== undefined) return `${name}.${inner}`;
  }
  return undefined;
}

const NO_TO_JSON =
  'In a browser whose credentials have no toJSON(), JSON.stringify(credential) is {}, and so is each ArrayBuffer: encode the members as base64url, as @simplewebauthn/browser does.';

const isEmpty = (value: unknown): boolean => isObject(value) && Object.keys(value).length === 0;

function misspelledMember(errors: readonly FieldError[], body: JsonObject, shape: JsonObject): string | undefined {
  for (const { pointer } of errors) {
    const [name, ...parents] = splitPointer(pointer).reverse();
    const place = parents.reverse();
    const around = place.reduce<JsonObject>((value, member) => asObject(value[member]), body);
    if (name === undefined || name in around) continue;
    const schema = place.reduce((value, member) => asObject(asObject(value['properties'])[member]), shape);
    const [meant] = nearest(
      name,
      Object.keys(around).filter((member) => !hasMember(schema, member)),
    );
    if (meant !== undefined) return `Is "${meant.slice(0, 50)}" meant to be ${name}? Rename it.`;
  }
  return undefined;
}

function hasMember({ properties }: JsonObject, name: string): boolean {
  return Object.hasOwn(asObject(properties), name);
}

/**
 * Names the origin to send in `app_url`: the origin of the calling page; if unknown, the origin of the application that the server was
 * started for; otherwise the origin of the server's own page.
 */
function missingAppUrl(errors: readonly FieldError[], { headers }: FastifyRequest, settings: MistakeSettings): string | undefined {
  if (!errors.some(({ pointer }) => pointer === '/app_url')) return undefined;
  const origin = headers.origin ?? settings.origins[0] ?? settings.origin;
  return `Send the origin of your page: "app_url": "${origin.slice(0, 200)}".`;
}
