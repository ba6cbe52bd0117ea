import { asObject, isObject, isWithinDepth, type JsonObject, MAX_JSON_LEVELS } from '../../kernel/json-value.js';
import { decodeBase64 } from '../../webauthn/base64url.js';
import { parseUrl } from '../../webauthn/rp-id.js';

/** A name and a value: of a header, or of a field of a form. */
type HarPair = readonly [name: string, value: string];

/** One side of an exchange. */
export interface HarMessage {
  /** Names in lower case, in the order of the archive. */
  readonly headers: readonly HarPair[];
  /** The body as text, decoded; undefined if the archive has none. */
  readonly body: string | undefined;
  /** Fields of a form, if the archive lists them. */
  readonly params: readonly HarPair[];
  /** Whether the archive says that there was a body and does not have it. */
  readonly isBodyMissing: boolean;
}

/** One exchange of an HTTP archive. */
export interface HarEntry {
  /** Its place in the archive, from 0. */
  readonly index: number;
  readonly method: string;
  readonly url: string;
  /** Milliseconds since the epoch. */
  readonly at: number | undefined;
  /** 0: there was no answer. */
  readonly status: number;
  readonly request: HarMessage;
  readonly response: HarMessage;
}

export const NO_URL = '(no URL)';

/** Creator of an archive that has every cookie. Browsers leave them out unless they are told to write them. */
export const WITH_COOKIES = 'passkey browse';

/** The exchanges of an HTTP archive (HAR 1.2) in its order. Other entries are left out; missing members are empty. */
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

/** Where a redirect ended, as far as the archive follows it; undefined for an answer that is not a redirect. */
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

/** The value of the first header of that name, in lower case. */
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

/** Some exporters store the target of a redirect outside the headers. */
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

/** Before JSON that pages of another origin must not read as a script. */
const GUARD = /^(?:\)\]\}',?|for ?\(;;\);|while ?\(1\);)\s*/;

/** Undefined for text that is not JSON, as most bodies of an archive are, and for JSON nested deeper than anything of WebAuthn. */
export function parseBody(text: string): unknown {
  try {
    const value: unknown = JSON.parse(text.replace(GUARD, ''));
    return isWithinDepth(value, MAX_JSON_LEVELS) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** The fields of a form, in either encoding; from the archive's list of parameters if it has no text. */
export function formFields({ body, params }: Pick<HarMessage, 'body' | 'params'>): readonly HarPair[] {
  const text = body ?? '';
  if (/^[\w.%~+[\]-]+=/.test(text)) return text.split('&').flatMap(readField);
  const parts = text.startsWith('--') ? [...text.matchAll(PART)] : [];
  if (parts.length > 0) return parts.map(([, name = '', value = '']): HarPair => [name, value]);
  // Chrome lists them as they were sent, Firefox decoded.
  return params.map(([name, value]): HarPair => [decodeListed(name), decodeListed(value)]);
}

/** A field of multipart/form-data (RFC 7578) that is no file. */
const PART = /\bname="([^"]*)"\r?\n\r?\n([^]*?)\r?\n--/g;

/** A field that cannot be decoded stays away. */
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

/** Milliseconds since the epoch, of a time as text. */
export function instant(value: unknown): number | undefined {
  const at = typeof value === 'string' ? Date.parse(value) : Number.NaN;
  return Number.isNaN(at) ? undefined : at;
}

/** The same for base64 and base64url of the same bytes, padded or not. */
export function plainBase64(text: string): string {
  return text
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replace(/={1,2}$/, '');
}

/** Whether an archive was written without the bodies of its exchanges. */
export function lacksContents(har: JsonObject): boolean {
  const entries = harEntries(har);
  const messages = entries.flatMap(({ request, response }) => [request, response]);
  const isEmpty = messages.every(({ body = '', params }) => body === '' && params.length === 0);
  return isEmpty && entries.some(({ method, request, response }) => method === 'POST' || request.isBodyMissing || response.isBodyMissing);
}
