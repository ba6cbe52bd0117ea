import { asObject, isObject, type JsonObject } from '../../../kernel/json-value.js';
import type { ProfileRequest } from '../profile-schema.js';
import type { RecordedExchange } from './exchanges.js';
import { lastKey, listLeaves } from './leaves.js';
import type { Needs } from './needed.js';
import { jsonSource } from './sources.js';
import type { RecordedUser } from './user.js';

interface After {
  readonly exchanges: readonly RecordedExchange[];
  readonly user: RecordedUser;
  /** Origin of the server. */
  readonly base: string;
  /** The exchanges behind this one are looked at. */
  readonly from: number;
  readonly needs: Needs;
}

/** The first page behind the login that says who is signed in. */
export function writeWhoami({ exchanges, user, base, from, needs }: After): ProfileRequest | undefined {
  for (const [index, exchange] of exchanges.entries()) {
    const { entry, json, url } = exchange;
    if (index <= from || !isRead(exchange) || entry.status >= 300 || url.origin !== base || !isObject(json)) continue;
    const leaf = listLeaves(json).find(
      ({ value }) => typeof value === 'string' && /^user\.(?:email|name|handle)$/.test(user.get(value) ?? ''),
    );
    if (leaf === undefined || needs.of(index).providers.some((provider) => provider.index > from)) continue;
    const source = jsonSource(json, leaf.path);
    const expression = user.get(String(leaf.value));
    // A login knows no creation options to tell the user handle.
    const matcher = expression === undefined || expression === 'user.handle' ? '*' : `{${expression}}`;
    return { ...needs.of(index).request, take: { user: source }, accept: { status: '2xx', [source]: matcher } };
  }
  return undefined;
}

/** A GET, or a query of GraphQL. */
function isRead({ entry, body }: RecordedExchange): boolean {
  const query = body.kind === 'json' ? asObject(body.value)['query'] : undefined;
  return entry.method === 'GET' || (typeof query === 'string' && !/^\s*(?:mutation|subscription)\b/.test(query));
}

interface Cleanup extends After {
  /** The login's own requests. */
  readonly except: readonly number[];
  /** Whether the answer of an exchange gave the passkey its name. */
  readonly providesId: (index: number) => boolean;
}

const DELETES = /\b(?:delete|remove|revoke|unregister)/i;

/** The request that deletes the new passkey, by its credential ID or by what the registration's answer calls it. */
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
const TELLING = /^(?:verified|success|ok|status|result|name|state|authenticated|registered|active|valid)$/i;

/**
 * Writes the conditions under which the answer accepts the request; undefined: the default, any 2xx.
 *
 * @param ends whether it answers a credential: then a 200 may be a refusal, and what it says counts
 */
export function writeAccept({ entry, json }: RecordedExchange, ends: boolean): ProfileRequest['accept'] {
  const isUsual = entry.status >= 200 && entry.status < 300;
  const said = ends && isObject(json) ? sayingYes(json) : {};
  if (isUsual && Object.keys(said).length === 0) return undefined;
  return { status: isUsual ? '2xx' : entry.status, ...said };
}

/** Conditions that its refusals, as most servers word them, do not meet. */
function sayingYes(json: JsonObject): Readonly<Record<string, unknown>> {
  const told = listLeaves(json).filter(({ path, value }) => path.length <= MAX_DEPTH && TELLING.test(lastKey(path)) && isYes(value));
  if (told.length > 0) return Object.fromEntries(told.map(({ path, value }) => [jsonSource(json, path), value]));
  const [data, ...others] = Object.entries(asObject(json['data'])).filter(([, value]) => value !== null);
  const isGraphQl = data !== undefined && others.length === 0;
  return { ...(isGraphQl && { [`json data.${data[0]}`]: '*' }), 'json error': '-', 'json errors': '-' };
}

/** Further in, an answer speaks of other things. */
const MAX_DEPTH = 2;

const isYes = (value: unknown): boolean => value === true || (typeof value === 'string' && YES.test(value));
