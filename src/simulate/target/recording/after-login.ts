import { isObject, objectOf } from '../../../kernel/json-value.js';
import type { ProfileRequest } from '../profile-schema.js';
import type { RecordedExchange } from './exchanges.js';
import { listLeaves } from './leaves.js';
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
  const query = body.kind === 'json' ? objectOf(body.value)['query'] : undefined;
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
