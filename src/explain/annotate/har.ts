import { PasskeyError } from '../../errors.js';
import { decodeBase64 } from '../../webauthn/base64url.js';
import {
  countValues,
  isObject,
  isWithinDepth,
  type JsonObject,
  MAX_JSON_LEVELS,
  MAX_JSON_VALUES,
  objectOf,
} from '../../webauthn/json-value.js';
import { type FoundJson, kindOfJson } from './kinds.js';
import { type ReadCredential, readCredential } from './read-credential.js';

/** One ceremony out of an HTTP archive: a credential that was sent, and the options it answers, where they were recorded too. */
export interface HarCeremony {
  readonly kind: 'registration' | 'authentication';
  readonly credential: ReadCredential;
  readonly options: JsonObject | undefined;
  /** `Origin` header of the request that sent it. */
  readonly origin: string | undefined;
  readonly url: string;
  /** Milliseconds since the epoch. */
  readonly at: number | undefined;
}

/** An object of WebAuthn in JSON, decoded. */
export type ReadJson = FoundJson &
  (
    | { readonly kind: 'registration' | 'authentication' | 'fixture'; readonly credential: ReadCredential }
    | { readonly kind: 'creation-options' | 'request-options' }
    | { readonly kind: 'har'; readonly findings: readonly HarFinding[] }
  );

/** A message body with something of WebAuthn in it. */
export interface HarFinding {
  readonly entry: number;
  readonly url: string;
  readonly side: 'request' | 'response';
  readonly found: ReadJson;
  readonly origin: string | undefined;
  readonly at: number | undefined;
}

/** For a fixture, the credential is its response. */
export function readJson({ kind, json, pointer }: FoundJson): ReadJson {
  switch (kind) {
    case 'registration':
    case 'authentication':
      return { kind, json, pointer, credential: readCredential(json) };
    case 'fixture':
      return { kind, json, pointer, credential: readCredential(objectOf(json['response'])) };
    case 'har':
      return { kind, json, pointer, findings: harFindings(json) };
    default:
      return { kind, json, pointer };
  }
}

const NO_URL = '(no URL)';

/** Values in all the objects of WebAuthn in one archive: each makes a line. */
const MAX_FOUND_VALUES = 10 * MAX_JSON_VALUES;

/**
 * Every credential and every options dictionary in the bodies of an HTTP archive (HAR 1.2), in the order of its entries.
 *
 * @throws PasskeyError `validation_failed` where they come to more than a million values.
 */
export function harFindings(har: JsonObject): HarFinding[] {
  let left = MAX_FOUND_VALUES;
  const read = (found: FoundJson): ReadJson => {
    left -= countValues(found.json, left);
    if (left < 0) {
      const expected = `Expected an archive with at most ${MAX_FOUND_VALUES} values in its WebAuthn objects; got more.`;
      throw new PasskeyError('validation_failed', `${expected} Record fewer ceremonies in one archive.`);
    }
    return readJson(found);
  };
  const entries: unknown = isObject(har['log']) ? har['log']['entries'] : [];
  return (Array.isArray(entries) ? entries : []).flatMap((entry: unknown, index) => {
    if (!isObject(entry) || !isObject(entry['request'])) {
      return [];
    }
    const { request, response, startedDateTime } = entry;
    const common = {
      entry: index,
      url: typeof request['url'] === 'string' ? request['url'] : NO_URL,
      origin: header(request, 'origin'),
      at: instant(startedDateTime),
    };
    const sent = findIn(isObject(request['postData']) ? request['postData'] : {});
    const received = findIn(isObject(response) && isObject(response['content']) ? response['content'] : {});
    return [
      ...(sent === undefined ? [] : [{ ...common, side: 'request' as const, found: read(sent) }]),
      ...(received === undefined ? [] : [{ ...common, side: 'response' as const, found: read(received) }]),
    ];
  });
}

/** The ceremonies among the findings. Options are those with the challenge that the client data names. */
export function harCeremonies(findings: readonly HarFinding[]): HarCeremony[] {
  const asked = new Map<string, JsonObject>();
  for (const { kind, json } of findings.map(({ found }) => found)) {
    const { challenge } = json;
    if (typeof challenge !== 'string') continue;
    const key = `${kind} ${plainBase64(challenge)}`;
    if (!asked.has(key)) asked.set(key, json);
  }
  return findings.flatMap(({ found, origin, url, at }) => {
    if (found.kind !== 'registration' && found.kind !== 'authentication') {
      return [];
    }
    const { kind, credential } = found;
    const wanted = kind === 'registration' ? 'creation-options' : 'request-options';
    const { decoded } = credential.clientDataJSON;
    const options = decoded?.ok === true ? asked.get(`${wanted} ${plainBase64(decoded.value.challenge)}`) : undefined;
    return [{ kind, credential, options, origin, url, at }];
  });
}

/** Before JSON that pages of another origin must not read as a script. */
const GUARD = /^(?:\)\]\}',?|for ?\(;;\);|while ?\(1\);)\s*/;

function findIn({ text, encoding, params }: JsonObject): FoundJson | undefined {
  const bytes = typeof text === 'string' && encoding === 'base64' ? decodeBase64(text)?.bytes : undefined;
  const body = bytes === undefined ? text : new TextDecoder().decode(bytes);
  const found = typeof body === 'string' ? findInText(body) : undefined;
  return found ?? firstOf(Array.isArray(params) ? params.map((param: unknown) => (isObject(param) ? param['value'] : undefined)) : []);
}

/** JSON, or a form with JSON in one of its fields. */
function findInText(text: string): FoundJson | undefined {
  const json = parsed(text.replace(GUARD, ''));
  if (json !== undefined) {
    return findInValue(json, 0);
  }
  return /^[\w.%~+-]+=/.test(text) ? firstOf(fieldsOf(text)) : undefined;
}

/** application/x-www-form-urlencoded; a field that is not stays away. */
function fieldsOf(text: string): string[] {
  return text.split('&').flatMap((field) => {
    try {
      return [decodeURIComponent(field.slice(field.indexOf('=') + 1).replaceAll('+', ' '))];
    } catch {
      return [];
    }
  });
}

function firstOf(values: readonly unknown[]): FoundJson | undefined {
  for (const value of values) {
    const json = typeof value === 'string' ? parsed(value) : undefined;
    const found = json === undefined ? undefined : findInValue(json, 0);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** GraphQL in a batch in an envelope, and JSON as text inside. */
const MAX_DEPTH = 10;

/** As `recogniseJson`, and also inside arrays (batches) and members that hold JSON as text. */
function findInValue(value: unknown, depth: number): FoundJson | undefined {
  if (typeof value === 'string') {
    return depth < MAX_DEPTH && /^\s*\{/.test(value) ? findInValue(parsed(value), depth + 1) : undefined;
  }
  if (typeof value !== 'object' || value === null) {
    return undefined;
  }
  const kind = isObject(value) ? kindOfJson(value) : undefined;
  if (isObject(value) && kind !== undefined) {
    return { kind, json: value, pointer: '' };
  }
  for (const member of depth < MAX_DEPTH ? Object.values(value) : []) {
    const found = findInValue(member, depth + 1);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** Undefined for what is no JSON, as most bodies of an archive, and for what is nested deeper than anything of WebAuthn. */
function parsed(text: string): unknown {
  try {
    const value: unknown = JSON.parse(text);
    return isWithinDepth(value, MAX_JSON_LEVELS) ? value : undefined;
  } catch {
    return undefined;
  }
}

function header({ headers }: JsonObject, name: string): string | undefined {
  const found = (Array.isArray(headers) ? headers : []).find(
    (entry: unknown) => isObject(entry) && typeof entry['name'] === 'string' && entry['name'].toLowerCase() === name,
  );
  return isObject(found) && typeof found['value'] === 'string' ? found['value'] : undefined;
}

function instant(value: unknown): number | undefined {
  const at = typeof value === 'string' ? Date.parse(value) : Number.NaN;
  return Number.isNaN(at) ? undefined : at;
}

/** The same for base64 and base64url of the same bytes, padded or not. */
function plainBase64(text: string): string {
  return text
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replace(/={1,2}$/, '');
}
