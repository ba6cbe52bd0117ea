import { PasskeyError } from '../../errors.js';
import { asObject, countValues, isObject, type JsonObject, MAX_JSON_VALUES } from '../../kernel/json-value.js';
import { MAX_STRUCTURE_BYTES } from '../../kernel/limits.js';
import { readServerAnswer, type ServerAnswer } from '../server-answer.js';
import { nestFields, readFlatCredential } from './flat-credential.js';
import {
  findHeader,
  followRedirects,
  formFields,
  type HarMessage,
  harEntries,
  instant,
  NO_URL,
  parseBody,
  plainBase64,
  WITH_COOKIES,
} from './har-entries.js';
import { type FoundJson, readObject, readText } from './kinds.js';
import { readPageOptions } from './page-options.js';
import { pageFindings } from './page-run.js';
import { type ReadCredential, readCredential } from './read-credential.js';

/** One ceremony of an archive: the credential that the page sent and, if recorded, the options that led to it. */
export interface HarCeremony extends Pick<HarFinding, 'origin' | 'url' | 'at' | 'mediation' | 'answer'> {
  readonly kind: 'registration' | 'authentication';
  readonly credential: ReadCredential;
  readonly options: JsonObject | undefined;
  /** Time at which the page requested the options, in milliseconds since the epoch. */
  readonly askedAt: number | undefined;
}

/** A WebAuthn object found in JSON. If the object is a credential, it is decoded. */
export type ReadJson = FoundJson &
  (
    | { readonly kind: 'registration' | 'authentication' | 'fixture'; readonly credential: ReadCredential }
    | { readonly kind: 'creation-options' | 'request-options' }
    | { readonly kind: 'har' | 'page-run' | 'messages'; readonly findings: readonly HarFinding[] }
  );

/** A WebAuthn object found in a message body of an HTTP archive, or in a run that was exported from the test page. */
export interface HarFinding {
  /** Where the object was found, in words, such as `entry 3, request`. */
  readonly place: string;
  /** Position of the entry in the archive, counted from 0. */
  readonly entry?: number;
  /** URL of the request. For a run of the test page: URL of the page. */
  readonly url: string;
  readonly found: ReadJson;
  /** `Origin` header of the request. For a run of the test page: origin of the page. */
  readonly origin: string | undefined;
  /** Time of the request or of the browser call, in milliseconds since the epoch. */
  readonly at: number | undefined;
  /** The `mediation` that the test page passed to `create()` or `get()`. An HTTP archive does not record it. */
  readonly mediation?: 'conditional' | undefined;
  /** The server's response to the request that sent the credential. */
  readonly answer?: ServerAnswer | undefined;
  /** Whether the request has a Cookie header. `setsCookie` tells whether its response has a Set-Cookie header. */
  readonly sendsCookie?: boolean;
  readonly setsCookie?: boolean;
  /** Whether the archive contains every cookie, see `WITH_COOKIES`. */
  readonly hasAllCookies?: boolean;
  /** Whether the body, or the credential's `response` in it, is a JSON string that contains JSON. */
  readonly isStringifiedTwice?: boolean;
}

/** Decodes the credential in a JSON object. If the object is a fixture, decodes the response in it. */
export function readJson({ kind, json, pointer }: FoundJson): ReadJson {
  switch (kind) {
    case 'registration':
    case 'authentication':
      return { kind, json, pointer, credential: readCredential(json) };
    case 'fixture':
      return { kind, json, pointer, credential: readCredential(asObject(json['response'])) };
    case 'har':
      return { kind, json, pointer, findings: harFindings(json) };
    case 'page-run':
      return { kind, json, pointer, findings: runFindings(json) };
    case 'messages':
      return { kind, json, pointer, findings: [] };
    default:
      return { kind, json, pointer };
  }
}

const MESSAGES: readonly string[] = ['registration', 'authentication', 'creation-options', 'request-options'];

/**
 * Combines the options and responses that were found next to each other, such as `{ options, response }` or two objects in a log. Returns
 * undefined unless there is a response and at least one other object.
 */
export function readMessages(found: Iterable<FoundJson>): ReadJson | undefined {
  const messages = [...found].filter(({ kind }) => MESSAGES.includes(kind));
  if (messages.length < 2 || messages.every(({ kind }) => kind.endsWith('-options'))) return undefined;
  const findings = messages.map((one, index) => ({
    place: one.pointer || `object ${index + 1}`,
    url: NO_URL,
    found: readJson(one),
    origin: undefined,
    at: undefined,
  }));
  return { kind: 'messages', json: {}, pointer: '', findings };
}

/** Maximum number of JSON values in all WebAuthn objects of one archive, since each value becomes a line of output. */
const MAX_FOUND_VALUES = 10 * MAX_JSON_VALUES;

/**
 * Finds every credential and every options dictionary in the bodies of an HTTP archive (HAR 1.2), in the order of its entries.
 *
 * @throws PasskeyError `validation_failed` if they contain more than a million values.
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
  const entries = harEntries(har);
  const hasAllCookies = asObject(asObject(har['log'])['creator'])['name'] === WITH_COOKIES;
  return entries.flatMap((entry) => {
    const { index, url, at, status, request, response } = entry;
    const sendsCookie = findHeader(request, 'cookie') !== undefined;
    const setsCookie = findHeader(response, 'set-cookie') !== undefined;
    const common = { entry: index, url, origin: findHeader(request, 'origin'), at, sendsCookie, setsCookie, hasAllCookies };
    const place = (side: string) => `entry ${index}, ${side}`;
    const sent = findIn(request);
    const received = findIn(response);
    const answer = () =>
      readServerAnswer(status, response.body, {
        isBodyMissing: response.isBodyMissing,
        redirectedTo: sent?.kind === 'authentication' ? followRedirects(entry, entries) : undefined,
      });
    return [
      ...(sent === undefined
        ? []
        : [{ ...common, place: place('request'), found: read(sent), answer: answer(), ...readNesting(request, sent) }]),
      ...(received === undefined
        ? []
        : [{ ...common, place: place('response'), found: read(received), ...readNesting(response, received) }]),
    ];
  });
}

const isNested = (body: string | undefined, found: FoundJson | undefined): boolean =>
  found?.isStringifiedTwice === true || (body !== undefined && /^\s*"/.test(body));

const readNesting = ({ body }: HarMessage, found: FoundJson): Pick<HarFinding, 'isStringifiedTwice'> =>
  isNested(body, found) ? { isStringifiedTwice: true } : {};

/**
 * Tells whether a body, or the credential's `response` in it, is a JSON string that contains JSON. A server that parses it gets a string
 * instead of an object.
 */
export const isStringifiedTwice = (body: string | undefined): boolean =>
  isNested(body, body === undefined ? undefined : findInValue(parseBody(body), 0));

/** Reads the browser calls of a run that was exported from the test page. */
function runFindings(run: JsonObject): HarFinding[] {
  const { origin, started_at: startedAt } = run;
  const page = typeof origin === 'string' ? origin : undefined;
  const common = { url: page ?? NO_URL, origin: page, at: instant(startedAt) };
  return pageFindings(run).map(({ kind, json, place, mediation, answer }) => ({
    ...common,
    place,
    mediation,
    answer,
    found: readJson({ kind, json, pointer: '' }),
  }));
}

/** Finds the ceremonies: pairs each response with the options that contain the same challenge as its client data. */
export function harCeremonies(findings: readonly HarFinding[]): HarCeremony[] {
  const asked = new Map<string, HarFinding>();
  for (const finding of findings) {
    const { kind, json } = finding.found;
    const { challenge } = json;
    if (typeof challenge !== 'string') continue;
    const key = `${kind} ${plainBase64(challenge)}`;
    if (!asked.has(key)) asked.set(key, finding);
  }
  return findings.flatMap(({ found, origin, url, at, mediation, answer }) => {
    if (found.kind !== 'registration' && found.kind !== 'authentication') {
      return [];
    }
    const { kind, credential } = found;
    const wanted = kind === 'registration' ? 'creation-options' : 'request-options';
    const { decoded } = credential.clientDataJSON;
    const options = decoded?.ok === true ? asked.get(`${wanted} ${plainBase64(decoded.value.challenge)}`) : undefined;
    return [{ kind, credential, options: options?.found.json, askedAt: options?.at, origin, url, at, mediation, answer }];
  });
}

/**
 * Finds a WebAuthn object in an HTTP message: in JSON, in a form (as JSON in one field or with one field per part), or as options in an
 * HTML page.
 */
function findIn(message: HarMessage): FoundJson | undefined {
  const { body } = message;
  const json = body === undefined ? undefined : parseBody(body);
  const found = json === undefined ? undefined : findInValue(json, 0);
  if (found !== undefined) return found;
  const fields = json === undefined ? formFields(message) : [];
  const fromFields = findFirst(fields.map(([, value]) => value)) ?? findInForm(nestFields(fields));
  return fromFields ?? (json === undefined && body !== undefined ? findInPage(body) : undefined);
}

function findInForm(form: JsonObject): FoundJson | undefined {
  const whole = readFlatCredential(form, true);
  return findInValue(whole ?? form, 0);
}

function findInPage(body: string): FoundJson | undefined {
  if (!/^\s*</.test(body) || body.length > MAX_STRUCTURE_BYTES) return undefined;
  for (const options of readPageOptions(body)) {
    const found = findInValue(options, 0);
    if (found !== undefined) return found;
  }
  return undefined;
}

function findFirst(values: readonly string[]): FoundJson | undefined {
  for (const value of values) {
    const json = parseBody(value);
    const found = json === undefined ? undefined : findInValue(json, 0);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** Maximum depth of the search: enough for a batch of GraphQL requests in an envelope, with strings that contain JSON. */
const MAX_DEPTH = 10;

/** Like `recogniseJson`, but also searches arrays (batches) and strings that contain JSON. */
function findInValue(value: unknown, depth: number): FoundJson | undefined {
  if (typeof value === 'string') {
    return depth < MAX_DEPTH ? findInValue(readText(value), depth + 1) : undefined;
  }
  if (typeof value !== 'object' || value === null) {
    return undefined;
  }
  const read = isObject(value) ? readObject(value) : undefined;
  if (read !== undefined) {
    return { ...read, pointer: '' };
  }
  for (const member of depth < MAX_DEPTH ? Object.values(value) : []) {
    const found = findInValue(member, depth + 1);
    if (found !== undefined) return found;
  }
  return undefined;
}
