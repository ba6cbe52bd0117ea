import { findHeader, formFields, type HarEntry, parseBody } from '../../../explain/annotate/har-entries.js';
import { isObject } from '../../../kernel/json-value.js';
import { parseUrl } from '../../../webauthn/rp-id.js';

/** Parsed body of a recorded request. */
type RecordedBody =
  | { readonly kind: 'none' }
  | { readonly kind: 'json'; readonly value: unknown }
  | { readonly kind: 'form' | 'multipart'; readonly value: Readonly<Record<string, string>> }
  | { readonly kind: 'text'; readonly value: string };

/** A recorded request from a page to its server, and the response. */
export interface RecordedExchange {
  readonly entry: HarEntry;
  readonly url: URL;
  readonly body: RecordedBody;
  /** Response body as JSON; undefined if it is not JSON. */
  readonly json: unknown;
  /** Response body as text; empty if it was not recorded. */
  readonly text: string;
}

const STATIC = /\.(?:m?js|css|map|png|jpe?g|gif|svg|ico|webp|avif|woff2?|ttf|otf|mp4|webm|wasm)$/i;
const STATIC_TYPES = /^(?:image|font|audio|video)\/|javascript|^text\/css|^application\/wasm/i;

/**
 * Selects the exchanges that may belong to a ceremony. Leaves out preflight requests, requests without a response, and static files of the
 * page.
 */
export function recordedExchanges(entries: readonly HarEntry[]): RecordedExchange[] {
  return entries.flatMap((entry): RecordedExchange[] => {
    const url = parseUrl(entry.url);
    if (url === undefined || !/^https?:$/.test(url.protocol) || !isRelevant(entry, url)) return [];
    const text = entry.response.body ?? '';
    return [{ entry, url, body: readBody(entry), json: parseBody(text), text }];
  });
}

function isRelevant({ method, status, response }: HarEntry, { pathname }: URL): boolean {
  const isFile = method === 'GET' && (STATIC.test(pathname) || STATIC_TYPES.test(findHeader(response, 'content-type') ?? ''));
  return status !== 0 && method !== 'OPTIONS' && method !== 'HEAD' && !isFile;
}

function readBody({ request }: HarEntry): RecordedBody {
  const { body, params } = request;
  const type = findHeader(request, 'content-type') ?? '';
  const text = body ?? '';
  const json = text === '' ? undefined : parseBody(text);
  if (json !== undefined && !/form-urlencoded/.test(type)) return { kind: 'json', value: json };
  const isMultipart = /form-data/.test(type);
  const isForm = /form-urlencoded/.test(type) || type === '';
  const fields = params.length > 0 || isMultipart || isForm ? formFields(request) : [];
  if (fields.length > 0) return { kind: isMultipart ? 'multipart' : 'form', value: Object.fromEntries(fields) };
  return text === '' ? { kind: 'none' } : { kind: 'text', value: text };
}

/** Converts the request body of any kind to one value that can be searched. */
export function bodyValue({ body }: RecordedExchange): unknown {
  return body.kind === 'none' ? undefined : body.value;
}

/** Lists the cookies that a response set, as a map from names to values. */
export function cookiesSet({ entry }: RecordedExchange): ReadonlyMap<string, string> {
  const lines = entry.response.headers.flatMap(([name, value]) => (name === 'set-cookie' ? value.split('\n') : []));
  return new Map(lines.map((line) => splitPair(line.split(';')[0] ?? '')));
}

/** Lists the cookies that a request sent, as a map from names to values. */
export function cookiesSent({ entry }: RecordedExchange): ReadonlyMap<string, string> {
  const header = findHeader(entry.request, 'cookie') ?? '';
  return new Map(header === '' ? [] : header.split(';').map(splitPair));
}

function splitPair(text: string): [string, string] {
  const equals = text.indexOf('=');
  return [text.slice(0, equals).trim(), text.slice(equals + 1).trim()];
}

/** Checks whether a recorded response is an HTML page. */
export function isPage({ entry, json, text }: RecordedExchange): boolean {
  return !isObject(json) && (/html/i.test(findHeader(entry.response, 'content-type') ?? '') || /^\s*<(?:!doctype|html)/i.test(text));
}
