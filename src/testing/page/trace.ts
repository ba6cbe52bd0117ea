import { plainBase64 } from '../../explain/annotate/har-entries.js';
import { asObject, type JsonObject, parseUntrustedJson } from '../../kernel/json-value.js';
import { parseUrl } from '../../webauthn/rp-id.js';
import type { AnswerObservation, CallObservation, Observation, SentRequest } from './driver.js';

type Observations = readonly Observation[];

/** A call of `navigator.credentials`, and what became of it. Places are indexes of observations. */
export interface TracedCall extends CallObservation {
  readonly at: number;
  readonly challenge: string | undefined;
  /** Where it ended or was aborted; infinite while it is pending. */
  readonly until: number;
  readonly response?: JsonObject;
  readonly error?: string;
}

export function listCalls(observations: Observations): TracedCall[] {
  return observations.flatMap((call, at) => {
    if (call.kind !== 'call') return [];
    const isOver = (one: Observation) => (one.kind === 'ended' || one.kind === 'aborted') && one.call === call.call;
    // A document takes its calls along.
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

export function listExchanges(observations: Observations): Exchange[] {
  return observations.flatMap((request, at) => {
    if (request.kind !== 'request') return [];
    const answer = observations.find((one) => one.kind === 'answer' && one.request === request.id);
    return [{ at, request, answer: answer?.kind === 'answer' ? answer : undefined }];
  });
}

/** The members of a response that only it has, in base64url. */
function listParts({ response }: JsonObject): string[] {
  const { clientDataJSON, attestationObject, signature } = asObject(response);
  return [clientDataJSON, attestationObject, signature].filter((part) => typeof part === 'string' && part.length > 8) as string[];
}

/** JSON escapes the slash, and forms escape the signs of base64. */
const plainText = (text: string): string =>
  plainBase64(text.replaceAll('\\/', '/').replaceAll(/%2[bf]/gi, (escaped) => decodeURIComponent(escaped)));

/** Whether a text has a part of a response, in base64 or base64url. */
export function carriesResponse(text: string, response: JsonObject): boolean {
  const plain = plainText(text);
  return listParts(response).some((part) => plain.includes(part));
}

/** Whether a request sends a response, if only the ID of its credential. */
export function sendsResponse({ body, url }: SentRequest, response: JsonObject): boolean {
  const { id } = response;
  return carriesResponse(body, response) || carriesResponse(url, response) || (typeof id === 'string' && plainText(body).includes(id));
}

/** The requests of a ceremony: the one whose answer has the challenge, and the one that sends the response. */
export interface Roles {
  readonly options?: SentRequest;
  readonly verification?: SentRequest;
  /** The options in the answer, where that is JSON. */
  readonly answered?: JsonObject;
}

/** Finds them by what they carry, for the first call that was answered after a place. */
export function findRoles(observations: Observations, from: number): Roles {
  const call = listCalls(observations).find(({ until, response }) => response !== undefined && until >= from);
  const { challenge, response } = call ?? {};
  if (call === undefined || response === undefined) return {};
  const exchanges = listExchanges(observations);
  const offering = exchanges.findLast(
    ({ at, answer }) => at < call.at && challenge !== undefined && plainText(answer?.body ?? '').includes(challenge),
  );
  const verifying = exchanges.find(({ at, request }) => at > call.at && sendsResponse(request, response));
  const answered = findOptions(parseUntrustedJson(offering?.answer?.body ?? ''));
  return {
    ...(offering && { options: offering.request }),
    ...(verifying && { verification: verifying.request }),
    ...(answered && { answered }),
  };
}

/** The object with a challenge in a JSON value. */
export function findOptions(json: unknown): JsonObject | undefined {
  if (typeof json !== 'object' || json === null) return undefined;
  if (typeof asObject(json)['challenge'] === 'string') return asObject(json);
  return Object.values(json).reduce<JsonObject | undefined>((found, inner) => found ?? findOptions(inner), undefined);
}

/** Whether a request is of the same kind as an earlier one: its address, and its body but for values that differ from user to user. */
export function isSameRequest(request: SentRequest, earlier: SentRequest | undefined): boolean {
  return (
    earlier !== undefined &&
    request.method === earlier.method &&
    readPath(request.url) === readPath(earlier.url) &&
    readShape(request.body) === readShape(earlier.body)
  );
}

const isVarying = (text: string): boolean => /[\d@]/.test(text) || text.length > 200;

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

/** The texts of what the page did not catch. */
export function listComplaints(observations: Observations): string[] {
  return observations.flatMap((one) => (one.kind === 'uncaught' || one.kind === 'rejection' ? [one.text] : []));
}
