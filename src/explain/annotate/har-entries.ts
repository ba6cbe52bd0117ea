import { asObject, isObject, isWithinDepth, type JsonObject, MAX_JSON_LEVELS } from '../../kernel/json-value.js';
import { decodeBase64 } from '../../webauthn/base64url.js';
import { parseUrl } from '../../webauthn/rp-id.js';

/** The name and value of a header or of a form field. */
type HarPair = readonly [name: string, value: string];

/** The request or the response of an HTTP exchange. */
export interface HarMessage {
  /** Headers in the order of the archive. Their names are in lower case. */
  readonly headers: readonly HarPair[];
  /** The body as decoded text; undefined if the archive contains no body. */
  readonly body: string | undefined;
  /** Form fields; empty if the archive does not list them. */
  readonly params: readonly HarPair[];
  /** Whether the archive states the size of the body but does not contain the body. */
  readonly isBodyMissing: boolean;
}

/** One request of an HTTP archive with its response. */
export interface HarEntry {
  /** Position of the entry in the archive, counted from 0. */
  readonly index: number;
  readonly method: string;
  readonly url: string;
  /** Time of the request, in milliseconds since the epoch. */
  readonly at: number | undefined;
  /** HTTP status; 0 if there was no response. */
  readonly status: number;
  readonly request: HarMessage;
  readonly response: HarMessage;
}

export const NO_URL = '(no URL)';

/** The `creator` name of archives that contain every cookie. Browsers leave cookies out of an archive unless the user asks for them. */
export const WITH_COOKIES = 'passkey browse';

/** Reads the exchanges of an HTTP archive (HAR 1.2) in order. Skips malformed entries. Missing members become empty. */
export function harEntries(har: JsonObject): HarEntry[] {
  const { entries } = asObject(har['log']);
  return (Array.isArray(entries) ? entries : []).flatMap((entry: unknown, index) => {
    if (!isObject(entry) || !isObject(entry['request'])) {
      return [];
    }
    const { request, startedDateTime } = entry;
    const response = asObject(entry['response']);
    const { method, url } = request;
    const { status } = response;
    return [
      {
        index,
        method: typeof method === 'string' ? method.toUpperCase() : 'GET',
        url: typeof url === 'string' ? url : NO_URL,
        at: instant(startedDateTime),
        status: typeof status === 'number' ? status : 0,
        request: readMessage(request, request['postData'], request['bodySize']),
        response: withLocation(readMessage(response, response['content'], asObject(response['content'])['size']), response['redirectURL']),
      },
    ];
  });
}

const MAX_REDIRECTS = 20;

/**
 * Follows the chain of redirects that begins with a response, and finds the last URL in the archive. Returns undefined if the response is
 * not a redirect.
 */
export function followRedirects(
  { index, url, status, response }: HarEntry,
  entries: readonly HarEntry[],
  left = MAX_REDIRECTS,
): string | undefined {
  const location = status >= 300 && status < 400 && left > 0 ? findHeader(response, 'location') : undefined;
  if (location === undefined) return undefined;
  const target = parseUrl(location, url)?.href ?? location;
  const next = entries.find((entry) => entry.index > index && entry.url === target);
  return (next && followRedirects(next, entries, left - 1)) ?? target;
}

/** Finds the value of the first header with this name, which must be in lower case. */
export function findHeader({ headers }: HarMessage, name: string): string | undefined {
  return headers.find(([each]) => each === name)?.[1];
}

function readMessage({ headers }: JsonObject, content: unknown, size: unknown): HarMessage {
  const { text, encoding, params } = asObject(content);
  const bytes = typeof text === 'string' && encoding === 'base64' ? decodeBase64(text)?.bytes : undefined;
  const body = bytes === undefined ? text : new TextDecoder().decode(bytes);
  return {
    headers: readPairs(headers).map(([name, value]) => [name.toLowerCase(), value]),
    body: typeof body === 'string' ? body : undefined,
    params: readPairs(params),
    isBodyMissing: typeof body !== 'string' && !Array.isArray(params) && typeof size === 'number' && size > 0,
  };
}

/** Adds the target of a redirect as a `location` header, since some exporters store it outside the headers. */
function withLocation(message: HarMessage, redirectUrl: unknown): HarMessage {
  if (typeof redirectUrl !== 'string' || redirectUrl === '' || findHeader(message, 'location') !== undefined) return message;
  return { ...message, headers: [...message.headers, ['location', redirectUrl]] };
}

function readPairs(list: unknown): HarPair[] {
  return (Array.isArray(list) ? list : []).flatMap((entry: unknown): HarPair[] => {
    const { name, value } = asObject(entry);
    return typeof value === 'string' ? [[typeof name === 'string' ? name : '', value]] : [];
  });
}

/** Matches a prefix that some servers write before JSON to prevent pages of other origins from running the JSON as a script. */
const GUARD = /^(?:\)\]\}',?|for ?\(;;\);|while ?\(1\);)\s*/;

/**
 * Parses a body as JSON. Returns undefined if the body is not JSON, like most bodies of an archive, or if it is nested more deeply than any
 * WebAuthn object.
 */
export function parseBody(text: string): unknown {
  try {
    const value: unknown = JSON.parse(text.replace(GUARD, ''));
    return isWithinDepth(value, MAX_JSON_LEVELS) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** Reads the fields of a form in either encoding. If the archive does not contain the body, reads its list of parameters. */
export function formFields({ body, params }: Pick<HarMessage, 'body' | 'params'>): readonly HarPair[] {
  const text = body ?? '';
  if (/^[\w.%~+[\]-]+=/.test(text)) return text.split('&').flatMap(readField);
  const parts = text.startsWith('--') ? [...text.matchAll(PART)] : [];
  if (parts.length > 0) return parts.map(([, name = '', value = '']): HarPair => [name, value]);
  // Chrome lists them as they were sent, Firefox decoded.
  return params.map(([name, value]): HarPair => [decodeListed(name), decodeListed(value)]);
}

/** Matches a field of multipart/form-data (RFC 7578), except files. */
const PART = /\bname="([^"]*)"\r?\n\r?\n([^]*?)\r?\n--/g;

/** Decodes one `name=value` of a form; empty if it cannot be decoded. */
function readField(field: string): HarPair[] {
  const equals = field.indexOf('=');
  const [name, value] = equals === -1 ? [field, ''] : [field.slice(0, equals), field.slice(equals + 1)];
  try {
    return [[decodeField(name), decodeField(value)]];
  } catch {
    return [];
  }
}

function decodeListed(text: string): string {
  if (!/%[\da-f]{2}/i.test(text)) return text;
  try {
    return decodeField(text);
  } catch {
    return text;
  }
}

const decodeField = (text: string): string => decodeURIComponent(text.replaceAll('+', ' '));

/** Converts a time string to milliseconds since the epoch. */
export function instant(value: unknown): number | undefined {
  const at = typeof value === 'string' ? Date.parse(value) : Number.NaN;
  return Number.isNaN(at) ? undefined : at;
}

/** Converts base64 or base64url to unpadded base64url, so that both encodings of the same bytes become equal. */
export function plainBase64(text: string): string {
  return text
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replace(/={1,2}$/, '');
}

/** Tells whether an archive was saved without the bodies of its exchanges. */
export function lacksContents(har: JsonObject): boolean {
  const entries = harEntries(har);
  const messages = entries.flatMap(({ request, response }) => [request, response]);
  const isEmpty = messages.every(({ body = '', params }) => body === '' && params.length === 0);
  return isEmpty && entries.some(({ method, request, response }) => method === 'POST' || request.isBodyMissing || response.isBodyMissing);
}
