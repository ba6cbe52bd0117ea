import { findHeader } from '../../../explain/annotate/har-entries.js';
import { parseUrl } from '../../../webauthn/rp-id.js';
import { listAttributes } from '../html.js';
import { cookiesSet, isPage, type RecordedExchange } from './exchanges.js';
import { type Leaf, lastKey, listLeaves, writePath } from './leaves.js';

/** A value in a response that a later request may send back. */
export interface Found {
  readonly value: string;
  /** Source of the value with its filters, in the form of a `take` entry. */
  readonly source: string;
  /** Name of the value in the response. */
  readonly name: string;
}

/** Minimum length of a value that a profile takes from a response. Shorter values occur in many responses by chance. */
export const LEAST_TAKEN = 8;

/** Lists the values of a response that are long enough to be distinctive, or whose name says that they are IDs. */
export function listValues(exchange: RecordedExchange): Found[] {
  return [...jsonValues(exchange), ...textValue(exchange), ...pageValues(exchange), ...headerValues(exchange), ...cookieValues(exchange)];
}

function jsonValues({ json }: RecordedExchange): Found[] {
  return listLeaves(json).flatMap((leaf): Found[] => {
    const value = String(leaf.value);
    const isWorth = typeof leaf.value !== 'boolean' && (value.length >= LEAST_TAKEN || (/id$/i.test(lastKey(leaf.path)) && value !== ''));
    if (!isWorth) return [];
    const source = jsonSource(json, leaf.path);
    return [{ value, source, name: nameLeaf(leaf, source) }];
  });
}

/** Treats the whole response as one value if it consists of a single word. Otherwise the list is empty. */
function textValue({ json, text }: RecordedExchange): Found[] {
  const value = text.trim();
  return json === undefined && value.length >= LEAST_TAKEN && /^[^\s<{]{1,1024}$/.test(value)
    ? [{ value, source: 'text | trim', name: 'answer' }]
    : [];
}

export function jsonSource(json: unknown, path: Leaf['path']): string {
  const written = writePath(json, path);
  return written === '' ? 'json' : `json ${written}`;
}

/**
 * Chooses a meaningful name for a value, because a member called `value` says nothing: `csrf_token` for both `nodes[name=csrf_token].value`
 * and `csrf_token.value`.
 */
function nameLeaf({ path }: Leaf, source: string): string {
  const key = lastKey(path);
  if (!/^(?:value|href|content|data)$/i.test(key)) return key;
  const [, mark] = /.*\[[\w.]+=([\w.-]+)\]/.exec(source) ?? [];
  const outer = lastKey(
    path.slice(
      0,
      path.findLastIndex((step) => 'key' in step),
    ),
  );
  return mark ?? (outer === '' || /^(?:attributes|nodes)$/.test(outer) ? key : outer);
}

function pageValues(exchange: RecordedExchange): Found[] {
  if (!isPage(exchange)) return [];
  const attributes = listAttributes(exchange.text).flatMap(({ selector, attribute, value, name }): Found[] =>
    value.length >= LEAST_TAKEN ? [{ value, source: `html ${selector} @${attribute}`, name }] : [],
  );
  return [...attributes, ...findLiterals(exchange.text)];
}

const LITERAL = /([\w-]+)(["']?\s*[:=]\s*)(["'])([\w.+/=:-]{1,4096})\3/g;
/** Maximum number of characters of a page that are searched. The filter `match` has the same limit. */
const MAX_PAGE = 1024 * 1024;

/**
 * Finds strings that a script of the page assigns, such as `csrfToken: "…"`. If several assignments have the same name, lists only the
 * first, because the pattern in the profile finds only that one.
 */
function findLiterals(text: string): Found[] {
  const found = new Map<string, Found>();
  for (const [, name = '', between = '', quote = '', value = ''] of text.slice(0, MAX_PAGE).matchAll(LITERAL)) {
    const start = escapePattern(`${name}${between}${quote}`);
    if (!found.has(start)) found.set(start, { value, name, source: `text | match /${start}([^${quote}]+)/` });
  }
  return [...found.values()].filter(({ value }) => value.length >= LEAST_TAKEN);
}

/** Makes a regular expression that matches a string literally, except that any white space matches the string's white space. */
export function escapePattern(text: string): string {
  return text.replaceAll(/[.*+?^${}()|[\]\\/]/g, '\\$&').replaceAll(/\s+/g, '\\s+');
}

const PLAIN_HEADERS =
  /^(?:date|server|vary|etag|via|age|expires|last-modified|link|alt-svc|nel|report-to|status|cf-.*|access-control-.*|content-.*|cache-.*|strict-.*|x-(?:powered-by|frame-options|xss-protection|content-type-options|runtime|request-id|ratelimit-.*)|set-cookie|location)$/;

function headerValues({ entry, url }: RecordedExchange): Found[] {
  const plain = entry.response.headers.flatMap(([name, value]): Found[] => {
    const [, scheme, token = value] = /^(Bearer) (.+)$/.exec(value) ?? [];
    if (PLAIN_HEADERS.test(name) || token.length < LEAST_TAKEN) return [];
    return [{ value: token, source: scheme ? `header ${name} | match /Bearer (.+)/` : `header ${name}`, name: name.replace(/^x-/, '') }];
  });
  const location = findHeader(entry.response, 'location');
  if (location === undefined) return plain;
  const whole = { value: location, source: 'header location', name: 'location' };
  return [...plain, whole, ...findParameters(parseUrl(location, url), 'header location')];
}

/** Lists the query parameters of a URL as values that a profile can take. */
function findParameters(url: URL | undefined, source: string): Found[] {
  return [...(url?.searchParams ?? [])].flatMap(([name, value]): Found[] =>
    value.length >= LEAST_TAKEN ? [{ value, name, source: `${source} | match /[?&]${escapePattern(name)}=([^&#]+)/` }] : [],
  );
}

function cookieValues(exchange: RecordedExchange): Found[] {
  return [...cookiesSet(exchange)].flatMap(([name, value]): Found[] =>
    value.length >= LEAST_TAKEN ? [{ value, source: `cookie ${name}`, name }] : [],
  );
}
