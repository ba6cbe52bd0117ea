import { isObject, type JsonObject, objectOf } from '../../../kernel/json-value.js';
import type { ProfileRequest } from '../profile-schema.js';
import type { RecordedExchange } from './exchanges.js';
import { lastKey, listLeaves } from './leaves.js';
import { jsonSource } from './sources.js';

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
  const [data, ...others] = Object.entries(objectOf(json['data'])).filter(([, value]) => value !== null);
  const isGraphQl = data !== undefined && others.length === 0;
  return { ...(isGraphQl && { [`json data.${data[0]}`]: '*' }), 'json error': '-', 'json errors': '-' };
}

/** Further in, an answer speaks of other things. */
const MAX_DEPTH = 2;

const isYes = (value: unknown): boolean => value === true || (typeof value === 'string' && YES.test(value));
