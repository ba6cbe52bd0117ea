import { plainBase64 } from '../../explain/annotate/har-entries.js';
import { asObject, type JsonObject, parseUntrustedJson } from '../../kernel/json-value.js';
import { parseUrl } from '../../webauthn/rp-id.js';
import type { AnswerObservation, CallObservation, Observation, SentRequest } from './driver.js';

type Observations = readonly Observation[];

/** A call of `navigator.credentials` with its outcome. `at` and `until` are indexes of observations. */
export interface TracedCall extends CallObservation {
  readonly at: number;
  readonly challenge: string | undefined;
  /** Index in the observations at which the call ended or was aborted; infinite while the call is pending. */
  readonly until: number;
  readonly response?: JsonObject;
  readonly error?: string;
}

/**
 * Lists the calls of a page.
 *
 * @param after index of an observation, after which the calls begin; default: lists all calls.
 */
export function listCalls(observations: Observations, after = -1): TracedCall[] {
  return observations.flatMap((call, at) => {
    if (call.kind !== 'call' || at <= after) return [];
    const isOver = (one: Observation) => (one.kind === 'ended' || one.kind === 'aborted') && one.call === call.call;
    // The calls of a document end with it.
    const until = observations.findIndex((one, index) => index > at && (isOver(one) || one.kind === 'document'));
    const ended = observations.find((one) => one.kind === 'ended' && one.call === call.call);
    const { challenge } = call.options ?? {};
    return [
      {
        ...call,
        at,
        until: until === -1 ? Number.POSITIVE_INFINITY : until,
        challenge: typeof challenge === 'string' ? challenge : undefined,
        ...(ended?.kind === 'ended' && ended.response && { response: ended.response }),
        ...(ended?.kind === 'ended' && ended.error !== undefined && { error: ended.error }),
      },
    ];
  });
}

export const isModal = ({ mediation }: CallObservation): boolean => mediation !== 'conditional';
export const isAutofill = ({ method, mediation }: CallObservation): boolean => method === 'get' && mediation === 'conditional';

export interface Exchange {
  readonly at: number;
  readonly request: SentRequest;
  readonly answer: AnswerObservation | undefined;
}

/**
 * Lists the requests of a page, each with its answer.
 *
 * @param after index of an observation, after which the requests were sent; default: lists all requests.
 */
export function listExchanges(observations: Observations, after = -1): Exchange[] {
  return observations.flatMap((request, at) => {
    if (request.kind !== 'request' || at <= after) return [];
    const answer = observations.find((one) => one.kind === 'answer' && one.request === request.id);
    return [{ at, request, answer: answer?.kind === 'answer' ? answer : undefined }];
  });
}

/** Lists the base64url members of a response that no other response shares. */
function listParts({ response }: JsonObject): string[] {
  const { clientDataJSON, attestationObject, signature } = asObject(response);
  return [clientDataJSON, attestationObject, signature].filter((part) => typeof part === 'string' && part.length > 8) as string[];
}

/** Undoes the escapes with which JSON and forms write base64 characters, and converts base64 to base64url. */
const plainText = (text: string): string =>
  plainBase64(text.replaceAll('\\/', '/').replaceAll(/%2[bf]/gi, (escaped) => decodeURIComponent(escaped)));

/** Checks whether a request body or URL contains a response, in base64 or base64url. */
export function carriesResponse(text: string, response: JsonObject): boolean {
  const plain = plainText(text);
  return listParts(response).some((part) => plain.includes(part));
}

/** Checks whether a request contains a response, or at least the ID of its credential. */
export function sendsResponse({ body, url }: SentRequest, response: JsonObject): boolean {
  const { id } = response;
  return carriesResponse(body, response) || carriesResponse(url, response) || (typeof id === 'string' && plainText(body).includes(id));
}

/** The two requests of a ceremony: the one for the options, and the one that sends the authenticator's response. */
export interface Roles {
  /** The request to which the server responded with the challenge. */
  readonly options?: SentRequest;
  /** The request that sends the authenticator's response to the server. */
  readonly verification?: SentRequest;
  /** The options that the server sent, if they came as JSON. */
  readonly answered?: JsonObject;
}

/**
 * Finds the requests that belong to the first call to which the authenticator responded at or after an index. Recognizes these requests by
 * the challenge and the response in them.
 *
 * @param from index of an observation
 */
export function findRoles(observations: Observations, from: number): Roles {
  const call = listCalls(observations).find(({ until, response }) => response !== undefined && until >= from);
  if (call?.response === undefined) return {};
  const { challenge, response } = call;
  const exchanges = listExchanges(observations);
  const offering = exchanges.findLast(
    ({ at, answer }) => at < call.at && challenge !== undefined && plainText(answer?.body ?? '').includes(challenge),
  );
  const later = listExchanges(observations, call.at);
  const verifying =
    later.find(({ request }) => carriesResponse(request.body, response) || carriesResponse(request.url, response)) ??
    later.find(({ request }) => sendsResponse(request, response));
  const answered = findOptions(parseUntrustedJson(offering?.answer?.body ?? ''));
  return {
    ...(offering && { options: offering.request }),
    ...(verifying && { verification: verifying.request }),
    ...(answered && { answered }),
  };
}

/** Finds the object that has a challenge in a JSON value. */
export function findOptions(json: unknown): JsonObject | undefined {
  if (typeof json !== 'object' || json === null) return undefined;
  if (typeof asObject(json)['challenge'] === 'string') return asObject(json);
  return Object.values(json).reduce<JsonObject | undefined>((found, inner) => found ?? findOptions(inner), undefined);
}

/**
 * Checks whether two requests go to the same address with the same method. Next.js distinguishes its server actions only by a header, so
 * that header is compared too.
 */
export function isSameAddress(request: SentRequest, earlier: SentRequest | undefined): boolean {
  return (
    earlier !== undefined &&
    request.method === earlier.method &&
    readPath(request.url) === readPath(earlier.url) &&
    request.headers['next-action'] === earlier.headers['next-action']
  );
}

/** Checks whether two requests have the same address, method and body. Ignores values in the body that differ from user to user. */
export function isSameRequest(request: SentRequest, earlier: SentRequest | undefined): boolean {
  return earlier !== undefined && isSameAddress(request, earlier) && readShape(request.body) === readShape(earlier.body);
}

/** Checks whether a string is likely to differ from user to user or from run to run. The text of a GraphQL query is not. */
const isVarying = (text: string): boolean => /[\d@]/.test(text) || (text.length > 200 && !/^\s*(query|mutation)\b/.test(text));

function readPath(text: string): string {
  const url = parseUrl(text);
  const segments = url?.pathname.split('/').map((segment) => (isVarying(segment) ? '…' : segment));
  return `${url?.origin}${segments?.join('/')}`;
}

function readShape(body: string): string {
  const json = parseUntrustedJson(body);
  if (typeof json !== 'object' || json === null) return '';
  return JSON.stringify(json, (_, value: unknown) =>
    typeof value === 'string' && isVarying(value) ? '…' : typeof value === 'number' ? 0 : value,
  );
}

/** Texts of the exceptions and rejections that the page did not catch. */
export function listComplaints(observations: Observations): string[] {
  return observations.flatMap((one) => (one.kind === 'uncaught' || one.kind === 'rejection' ? [one.text] : []));
}

/** Names of the members of a body that have a value, in JSON or in a form. */
export function listMembers(body: string): string[] {
  const json = parseUntrustedJson(body);
  const members = typeof json === 'object' && json !== null ? Object.entries(json) : [...new URLSearchParams(body)];
  return members.flatMap(([name, value]) => (value === '' || value === null ? [] : [name]));
}

/**
 * Decides whether the user accepts a dialog of the page. The user accepts each dialog once after a click. A user who has cancelled does not
 * try again when the page asks, and a page that asks in a loop would never end.
 */
export function acceptsDialog(observations: Observations, text: string): boolean {
  const pressed = observations.findLastIndex(({ kind }) => kind === 'press');
  return !observations.some((one, at) => at > pressed && one.kind === 'dialog' && one.text === text);
}
