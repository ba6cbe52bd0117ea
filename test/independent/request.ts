import { check, guarded, type Party, refuse } from './party.js';

/** What HTTP brings, and what is answered, without sockets. */
export interface PartyRequest {
  readonly method: string;
  readonly path: string;
  /** Names in lower case. */
  readonly headers?: Readonly<Record<string, string | undefined>>;
  readonly body?: string;
}

export interface PartyAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

export type Json = Readonly<Record<string, unknown>>;

export const isJson = (value: unknown): value is Json => typeof value === 'object' && value !== null && !Array.isArray(value);

export function readBody({ headers, body = '' }: PartyRequest, party: Party): Json {
  if (body === '') return {};
  const type = headers?.['content-type'] ?? '';
  check(/^application\/json\s*(;|$)/i.test(type), 'not_json', 'Bodies are sent as application/json.', 415);
  const value = guarded(party, 'malformed-json-crashes', 'not_json', (): unknown => JSON.parse(body));
  return isJson(value) ? value : refuse('not_json', 'The body is no JSON object.');
}

/** A text member, or nothing if it may be absent. */
export function textOf(json: Json, name: string, { faults }: Party): string {
  const value = json[name];
  if (typeof value === 'string') return value;
  // What follows in a server that never looked: a TypeError.
  if (faults.has('missing-member-crashes')) throw new TypeError(`Cannot read properties of ${typeof value}`);
  return refuse('member_missing', `The text "${name}" is missing.`);
}

export function choiceOf(json: Json, name: string, choices: readonly string[], otherwise: string): string {
  const value = json[name] ?? otherwise;
  return choices.find((choice) => choice === value) ?? refuse('member_unfit', `"${name}" is one of ${choices.join(', ')}.`);
}

/** base64url or base64, padded or not. */
export function bytesOf(json: Json, name: string, party: Party): Uint8Array {
  const text = textOf(json, name, party);
  return guarded(party, 'malformed-base64-crashes', 'member_unfit', () => decode(text, name, party));
}

function decode(text: string, name: string, { faults }: Party): Uint8Array {
  if (name === 'attestationObject' && faults.has('attestation-base64-cut')) {
    return Buffer.from(text.slice(0, text.length - (text.length % 4)), 'base64url');
  }
  const [, digits = '', padding = ''] = /^([^=]*)(=*)$/.exec(text) ?? [];
  const url = /^[\w-]*$/.test(digits);
  const standard = /^[A-Za-z0-9+/]*$/.test(digits);
  const fits = digits.length % 4 !== 1 && (padding === '' || (digits.length + padding.length) % 4 === 0) && padding.length < 3;
  if (digits + padding !== text || !fits || (!url && !standard)) throw new Error(`"${name}" is no base64.`);
  check(padding === '' || !faults.has('padded-base64-refused'), 'member_unfit', `"${name}" is padded.`);
  check(url || !faults.has('standard-base64-refused'), 'member_unfit', `"${name}" is no base64url.`);
  return Buffer.from(digits, url ? 'base64url' : 'base64');
}

/** The cookie of a session. */
export const COOKIE = 'independent_session';

export function credentialsOf({ headers = {} }: PartyRequest): {
  readonly token: string | undefined;
  readonly session: string | undefined;
} {
  const token = /^Bearer\s+(\S+)$/i.exec(headers['authorization'] ?? '')?.[1];
  const cookies = (headers['cookie'] ?? '').split(';').map((pair) => pair.trim().split('='));
  return { token, session: cookies.find(([name]) => name === COOKIE)?.[1] };
}
