import { PasskeyError } from '../../errors.js';
import { isObject } from '../../kernel/json-value.js';
import type { Login } from './driver.js';
import { buildCreation, buildRequest, type PageOptions } from './page-options.js';
import type { ProfileRequest, TargetProfile } from './profile-schema.js';

/** How a credential is sent: as the whole body, as a member of it, or as JSON in a text member. */
type CredentialPlace = { readonly kind: 'body' } | { readonly kind: 'member' | 'text'; readonly name: string };

interface SentRequest {
  readonly request: string;
  readonly json: unknown;
}

/** Facts about a relying party that talks JSON, enough to write its profile. Requests are a method and a path: `POST /login`. */
interface ProfileAnswers {
  readonly name: string;
  readonly origin?: string | undefined;
  readonly signUp?: SentRequest | undefined;
  readonly registrationOptions: SentRequest;
  readonly registration: string;
  readonly login: Login;
  readonly authenticationOptions: SentRequest;
  readonly authentication: string;
  /** The source of the challenge, if the page builds the options itself. */
  readonly challenge?: string | undefined;
  readonly credential: CredentialPlace;
  /** A source and the value that it has in an answer that accepts a credential; undefined: any 2xx accepts. */
  readonly accept?: readonly [source: string, value: unknown] | undefined;
  readonly whoami?: string | undefined;
}

/** A first profile from what a person knows of the server; what its answers look like shows `--probe`. */
export function newProfile(answers: ProfileAnswers): TargetProfile {
  const { name, origin, signUp, login, whoami, accept, challenge } = answers;
  const ending = accept && { accept: { status: '2xx', [accept[0]]: accept[1] } };
  const finish = (request: string): ProfileRequest => ({ ...writeRequest({ request, json: credentialIn(answers.credential) }), ...ending });
  const begin = (sent: SentRequest, build: typeof buildCreation, more: Partial<PageOptions>): ProfileRequest[] =>
    challenge === undefined
      ? [writeRequest(sent)]
      : [{ ...writeRequest(sent), take: { challenge } }, build({ challenge: '{challenge}', ...more })];
  const allowCredentials = login === 'named' ? [{ type: 'public-key', id: '{registered.credentialId}' }] : undefined;
  const authenticatorSelection = login === 'named' ? undefined : { residentKey: 'required' };
  return {
    format: 'passkey-target-profile',
    version: 1,
    name,
    ...(origin !== undefined && { origin }),
    has: { logins: [login] },
    account: signUp ? [writeRequest(signUp)] : [],
    registrationOptions: begin(answers.registrationOptions, buildCreation, { authenticatorSelection }),
    register: [finish(answers.registration)],
    authenticationOptions: begin(answers.authenticationOptions, buildRequest, { allowCredentials }),
    authenticate: [finish(answers.authentication)],
    ...(whoami !== undefined && { whoami: [{ request: whoami }] }),
  };
}

/** Browsers name the page's origin in every request but GET, and servers may insist on it. */
function writeRequest({ request, json }: SentRequest): ProfileRequest {
  const headers = { origin: '{origin}' };
  return { request, ...(!request.startsWith('GET ') && { headers }), ...(json !== undefined && { json }) };
}

function credentialIn(place: CredentialPlace): unknown {
  if (place.kind === 'body') return { $: 'credential' };
  return { [place.name]: { $: place.kind === 'text' ? 'credential | string' : 'credential' } };
}

/** `body`, `member:NAME` or `text:NAME`; undefined for anything else. */
export function readPlace(text: string): CredentialPlace | undefined {
  const [, kind, name] = /^(member|text):([\w$.-]+)$/.exec(text.trim()) ?? [];
  if (name !== undefined) return { kind: kind === 'text' ? 'text' : 'member', name };
  return text.trim() === 'body' ? { kind: 'body' } : undefined;
}

/** `json verified = true`: a source, and a value that is JSON or a bare word. Undefined for anything else. */
export function readAcceptance(text: string): readonly [source: string, value: unknown] | undefined {
  const [, source, value] = /^((?:json|html|header|cookie|text|url)\b[^=]*?)\s*=\s*(.+)$/.exec(text.trim()) ?? [];
  return source === undefined || value === undefined ? undefined : [source, jsonOrText(value)];
}

function jsonOrText(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/** A body template in JSON. @throws PasskeyError `usage` */
export function readBody(text: string, what: string): unknown {
  const value = jsonOrText(text);
  if (isObject(value)) return value;
  throw new PasskeyError(
    'usage',
    `Expected the body of ${what} as a JSON object, such as {"email":"{user.email}"}; got ${text.slice(0, 100)}.`,
  );
}

/** A method and a path under the URL of the server, or a whole URL. */
export const REQUEST_PATTERN = /^(?:GET|POST|PUT|PATCH|DELETE) (?:\/|https?:\/\/)\S*$/;
