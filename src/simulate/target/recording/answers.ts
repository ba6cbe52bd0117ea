import { findHeader } from '../../../explain/annotate/har-entries.js';
import { asObject, isObject, type JsonObject } from '../../../kernel/json-value.js';
import type { ProfileRequest } from '../profile-schema.js';
import type { RecordedExchange } from './exchanges.js';
import { lastKey, listLeaves } from './leaves.js';
import type { Needs } from './needed.js';
import { escapePattern, jsonSource } from './sources.js';
import { escapeBraces } from './template.js';
import type { RecordedUser } from './user.js';

interface After {
  readonly exchanges: readonly RecordedExchange[];
  readonly user: RecordedUser;
  /** Origin of the server under test. */
  readonly base: string;
  /** Index of an exchange in the recording. Only later exchanges are searched. */
  readonly from: number;
  readonly needs: Needs;
}

/**
 * Finds a request that shows who is signed in, either because its response contains a value of the recorded user, or because of its path.
 * Prefers requests after the login.
 */
export function writeWhoami({ exchanges, user, base, from, needs }: After): ProfileRequest | undefined {
  const found = exchanges.flatMap((exchange, index) => {
    const { entry, json, url } = exchange;
    if (!isRead(exchange) || entry.status >= 300 || url.origin !== base || !isObject(json)) return [];
    if (needs.of(index).providers.some((provider) => provider.index > from)) return [];
    const leaves = listLeaves(json);
    const own = leaves.find(({ value }) => /^user\.(?:email|name|handle)$/.test(user.get(String(value)) ?? ''));
    const isAfter = index > from;
    const named = WHO.test(url.pathname) ? leaves.find(({ path, value }) => NAMES_USER.test(lastKey(path)) && value !== '') : undefined;
    const leaf = (isAfter || WHO.test(url.pathname) ? own : undefined) ?? named;
    return leaf === undefined ? [] : [{ index, json, leaf, isAfter }];
  });
  const best = found.find(({ isAfter }) => isAfter) ?? found[0];
  if (best === undefined) return undefined;
  const source = jsonSource(best.json, best.leaf.path);
  const expression = user.get(String(best.leaf.value));
  // A login knows no creation options to tell the user handle.
  const matcher = expression === undefined || expression === 'user.handle' ? '*' : `{${expression}}`;
  return { ...needs.of(best.index).request, take: { user: source }, accept: { status: '2xx', [source]: matcher } };
}

/** Matches paths whose response usually describes the signed-in user. */
const WHO = /\/(?:me|who-?am-?i|user-?info|get-?session|session|current[-_]?user|profile|account|user)\/?$/i;
/** Matches names of members that usually identify a user. */
const NAMES_USER = /^(?:id|sub|uid|user_?id|user_?name|login|email|name|user)$/i;

/** Whether a recorded request only reads data: a GET request or a GraphQL query. */
function isRead({ entry, body }: RecordedExchange): boolean {
  const query = body.kind === 'json' ? asObject(body.value)['query'] : undefined;
  return entry.method === 'GET' || (typeof query === 'string' && !/^\s*(?:mutation|subscription)\b/.test(query));
}

const SIGNS_OUT = /(?:sign|log)[-_]?(?:out|off)\b/i;

/** Detects a recorded request that ends the session, by its path or operation name. */
export function isSignOut({ entry, url, body }: RecordedExchange): boolean {
  const operation = body.kind === 'json' ? asObject(body.value)['operationName'] : undefined;
  const ends = entry.method === 'DELETE' && /\/sessions?\b/i.test(url.pathname);
  return ends || SIGNS_OUT.test(url.pathname) || (typeof operation === 'string' && SIGNS_OUT.test(operation));
}

interface Cleanup extends After {
  /** Indexes of the login's own exchanges, which cannot be the cleanup. */
  readonly except: readonly number[];
  /** Whether the response in the exchange with this index contained the ID that the server gave to the passkey. */
  readonly providesId: (index: number) => boolean;
}

const DELETES = /\b(?:delete|remove|revoke|unregister)/i;

/**
 * Finds the recorded request that deletes the new passkey. It names the passkey by its credential ID or by the ID in the response to the
 * registration.
 */
export function writeCleanup({ exchanges, base, from, needs, except, providesId }: Cleanup): ProfileRequest | undefined {
  for (const [index, { entry, url }] of exchanges.entries()) {
    if (index <= from || except.includes(index) || url.origin !== base || entry.method === 'GET') continue;
    if (entry.status >= 400 || (entry.method !== 'DELETE' && !DELETES.test(url.pathname))) continue;
    const { request, providers } = needs.of(index);
    const isOwn = providers.some((provider) => providesId(provider.index)) || JSON.stringify(request).includes('registered.credentialId');
    if (isOwn && providers.every((provider) => provider.index <= from)) return request;
  }
  return undefined;
}

const YES = /^(?:ok|success|succeeded|verified|authenticated|registered|done|complete[d]?)$/i;
const TELLING = /^(?:verified|success|ok|status|result|name|state|authenticated|registered|active|valid|(?:signed|logged)_?in)$/i;

/**
 * Writes the conditions under which a response counts as accepted, for the profile. Undefined if the default condition, any 2xx status, is
 * right.
 *
 * @param ends whether the request sends a credential: a response with status 200 may then be a refusal, so that its content must be checked
 */
export function writeAccept({ entry, json, url }: RecordedExchange, ends: boolean): ProfileRequest['accept'] {
  if (entry.status >= 400) return undefined;
  const isUsual = entry.status >= 200 && entry.status < 300;
  const said = ends && isObject(json) ? sayingYes(json) : {};
  const location = entry.method === 'GET' ? undefined : findHeader(entry.response, 'location');
  const leads = isUsual || location === undefined ? {} : leadingTo(location, url);
  if (isUsual && Object.keys(said).length === 0) return undefined;
  return { status: isUsual ? '2xx' : entry.status, ...said, ...leads };
}

/**
 * Makes a condition from the URL to which a redirect leads, because that URL shows success or failure. Removes the query, and cuts the path
 * before the first part that looks like an ID.
 */
function leadingTo(location: string, { origin }: URL): Readonly<Record<string, string>> {
  const [, start = ''] = /^((?:https?:\/\/[^/?#]*)?(?:\/[^/?#\d]*(?=[/?#]|$))*)/.exec(location) ?? [];
  if (start.replace(/^https?:\/\/[^/]*/, '').length < 2 && start !== location) return {};
  if (start !== location) return { [`header location | match /^${escapePattern(start)}/`]: '*' };
  const written = escapeBraces(location);
  return { 'header location': location.startsWith(origin) ? `{url}${written.slice(origin.length)}` : written };
}

/** Makes conditions from an accepted response that a refusal, as most servers write it, would not satisfy. */
function sayingYes(json: JsonObject): Readonly<Record<string, unknown>> {
  const signs = listLeaves(json).filter(({ path, value }) => path.length <= MAX_DEPTH && TELLING.test(lastKey(path)) && isYes(value));
  if (signs.length > 0) return Object.fromEntries(signs.map(({ path, value }) => [jsonSource(json, path), value]));
  const [data, ...others] = Object.entries(asObject(json['data'])).filter(([, value]) => value !== null);
  const isGraphQl = data !== undefined && others.length === 0;
  return { ...(isGraphQl && { [jsonSource(json, [{ key: 'data' }, { key: data[0] }])]: '*' }), 'json error': '-', 'json errors': '-' };
}

/** Maximum depth of response members that become conditions. Deeper members describe other things than success. */
const MAX_DEPTH = 2;

const isYes = (value: unknown): boolean => value === true || (typeof value === 'string' && YES.test(value));
