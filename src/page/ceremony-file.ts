import { CEREMONY_FORMAT } from '../explain/annotate/page-run.js';
import type { ExplainDocument } from '../explain/document-schema.js';
import { withoutOutputs } from '../fixture/response.js';
import { isObject, type JsonObject, parseJson } from '../kernel/json-value.js';
import type { StreamDetail } from '../server/schemas/stream.js';
import { CEREMONIES, knownValue } from '../webauthn/enumerations.js';
import { getPath, listAt, numberAt, stringAt } from './json.js';
import { type BrowserError, findBrowserLeg, findVerdictLeg, type HttpLeg, type Leg, type Run, type Software } from './run.js';
import type { SharedItem } from './state.js';
import { findOutcome, isVerdict, type Verdict } from './verdicts.js';

const VERSION = 1;

/** One ceremony, as the page saves it to a file and opens it again. */
export interface Ceremony {
  readonly item: SharedItem;
  readonly options: JsonObject | undefined;
  readonly response: JsonObject | undefined;
  readonly explanation: ExplainDocument | undefined;
  readonly fixture: JsonObject | undefined;
}

/**
 * Writes a ceremony as one document. It has the contents of "Copy as JSON", so that `passkey explain` accepts it, and the facts that the
 * page shows about the ceremony. Leaves out tokens, key material, user data, and the decoded tree, which the page can draw again.
 */
export function ceremonyToFile(
  { item, options, response, explanation, fixture }: Ceremony & { readonly item: SharedItem & { readonly run: Run } },
  origin: string,
  userAgent: string,
): JsonObject {
  const { kind, verdict, source, user, passkey, code, changed, software, run } = item;
  return {
    format: CEREMONY_FORMAT,
    version: VERSION,
    ...runToJson(run, origin, userAgent),
    item: { kind, verdict, source, user, passkey, code, changed, software },
    options: options ?? null,
    response: shareable(response) ?? null,
    explanation: explanation === undefined ? null : { ...explanation, tree: response === undefined ? explanation.tree : null },
    fixture: fixture ?? null,
  };
}

/** Reads a saved ceremony; undefined if the string is something else. Ignores missing or wrong members. */
export function ceremonyFromFile(text: string): Ceremony | undefined {
  const file = parseJson(text);
  if (!isObject(file) || file['format'] !== CEREMONY_FORMAT) return undefined;
  const { item, options, response, explanation, fixture } = file;
  const kind = stringAt(item, 'kind');
  const software = getPath(item, ['software']);
  return {
    item: {
      kind: knownValue(kind, KINDS) ?? 'other',
      title: stringAt(file, 'title') ?? 'A ceremony',
      verdict: readVerdict(stringAt(item, 'verdict')),
      source: stringAt(item, 'source') ?? 'unknown',
      user: stringAt(item, 'user'),
      passkey: stringAt(item, 'passkey'),
      code: stringAt(item, 'code'),
      changed: listAt(item, 'changed').filter((name) => typeof name === 'string'),
      software: readSoftware(software),
      run: readRun(file),
    },
    options: isObject(options) ? options : undefined,
    response: isObject(response) ? response : undefined,
    explanation: isExplanation(explanation) ? explanation : undefined,
    fixture: isObject(fixture) ? fixture : undefined,
  };
}

const KINDS: readonly SharedItem['kind'][] = ['registration', 'authentication', 'request', 'change', 'other', 'pasted'];

/** Reads the verdict of a saved ceremony. A ceremony that was saved while running can no longer end. */
function readVerdict(text: string | undefined): Verdict {
  return text === undefined || !isVerdict(text) ? 'undecided' : text === 'waiting' ? 'open' : text;
}

function readRun(file: JsonObject): Run {
  const kind = stringAt(file, 'kind');
  const verdict = readVerdict(stringAt(file, 'item', 'verdict'));
  return {
    id: 0,
    title: stringAt(file, 'title') ?? '',
    kind: knownValue(kind, CEREMONIES) ?? 'other',
    startedAt: Date.parse(stringAt(file, 'started_at') ?? '') || 0,
    legs: listAt(file, 'legs').flatMap((leg) => readLeg(leg) ?? []),
    outcome: findOutcome(verdict),
    summary: stringAt(file, 'summary') ?? '',
    // It belongs to another authenticator.
    offer: undefined,
  };
}

const SIGNALS = ['signalUnknownCredential', 'signalAllAcceptedCredentials', 'signalCurrentUserDetails'] as const;
const SENT = ['sent', 'failed', 'not supported'] as const;

function readLeg(leg: unknown): Leg | undefined {
  if (!isObject(leg)) return undefined;
  const { kind, answer } = leg;
  const member = (name: string) => (isObject(leg[name]) ? leg[name] : undefined);
  const text = (name: string) => stringAt(leg, name) ?? '';
  const milliseconds = numberAt(leg, 'milliseconds') ?? 0;
  if (kind === 'http') {
    const common = {
      kind,
      requestId: text('requestId'),
      method: text('method'),
      path: text('path'),
      body: member('body'),
      answer,
    } as const;
    const failure = stringAt(leg, 'failure');
    return { ...common, bearer: leg['bearer'] === true, status: numberAt(leg, 'status'), failure, milliseconds };
  }
  if (kind === 'browser') {
    const common = { kind, call: leg['call'] === 'create' ? 'create' : 'get', options: member('options') ?? {} } as const;
    const mediation = leg['mediation'] === 'conditional' ? 'conditional' : undefined;
    const software = readSoftware(leg['software']);
    return { ...common, mediation, response: member('response'), error: readError(leg['error']), milliseconds, software };
  }
  const method = knownValue(leg['method'], SIGNALS);
  const outcome = knownValue(leg['outcome'], SENT);
  if (kind !== 'signal' || method === undefined || outcome === undefined) return undefined;
  return { kind, method, outcome, options: member('options') ?? {}, detail: stringAt(leg, 'detail') };
}

function readSoftware(software: unknown): Software | undefined {
  return isObject(software) ? { persona: stringAt(software, 'persona'), tamper: stringAt(software, 'tamper') } : undefined;
}

function readError(error: unknown): BrowserError | undefined {
  if (!isObject(error)) return undefined;
  return {
    name: stringAt(error, 'name') ?? 'Error',
    message: stringAt(error, 'message') ?? '',
    explanation: {
      title: stringAt(error, 'explanation', 'title') ?? '',
      causes: listAt(error, 'explanation', 'causes').filter((cause) => typeof cause === 'string'),
      next: stringAt(error, 'explanation', 'next') ?? '',
    },
  };
}

/** Tests whether a value is an explanation that the page can draw. The test is needed because a file may come from anywhere. */
function isExplanation(value: unknown): value is ExplainDocument {
  if (!isObject(value)) return false;
  const { server, known_errors: knownErrors, steps, library, attestation, observations, encoding, advice, error } = value;
  const isList = (list: unknown, ...texts: readonly string[]) =>
    Array.isArray(list) && list.every((one) => texts.every((name) => stringAt(one, name) !== undefined));
  const orNull = (one: unknown, ...texts: readonly string[]) => one === null || texts.every((name) => stringAt(one, name) !== undefined);
  const attested = attestation === null || (isObject(attestation) && isList(attestation['checks'], 'slug', 'status', 'received'));
  return (
    stringAt(value, 'source') !== undefined &&
    orNull(server, 'verdict', 'body') &&
    isList(knownErrors, 'title', 'next') &&
    listAt(value, 'known_errors').every((one) => isList(getPath(one, ['causes'])) && isList(getPath(one, ['expectations']), 'flag')) &&
    isList(steps, 'slug', 'title', 'status', 'section') &&
    orNull(library, 'verdict') &&
    orNull(error, 'code', 'message') &&
    attested &&
    isList(observations, 'slug', 'message') &&
    isList(encoding, 'message') &&
    isList(advice, 'severity', 'message')
  );
}

/** Writes the requests of a run as shell commands that read the bearer token from `PASSKEY_TOKEN`. */
export function runToCurl(run: Run, origin: string): string {
  const legs = run.legs.filter((leg): leg is HttpLeg => leg.kind === 'http');
  const token = legs.some((leg) => leg.bearer) ? "# PASSKEY_TOKEN=$(passkey token create --user 'you@example.com')\n" : '';
  return `${token}${legs.map((leg) => legToCurl(leg, origin)).join('\n')}\n`;
}

function legToCurl({ method, path, body, bearer }: HttpLeg, origin: string): string {
  return [
    `curl -sS -X ${method} ${quote(origin + path)}`,
    ...(bearer ? ['-H "Authorization: Bearer $PASSKEY_TOKEN"'] : []),
    // Development endpoints check where a request comes from.
    ...(path.startsWith('/dev/') ? [`-H ${quote(`Origin: ${origin}`)}`] : []),
    ...(body === undefined ? [] : ["-H 'Content-Type: application/json'", `--data ${quote(JSON.stringify(body))}`]),
  ].join(' \\\n  ');
}

/** Quotes a string for a POSIX shell. Single quotes prevent all expansion. */
function quote(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

const SECRETS = new Set(['token', 'access_token']);

/**
 * Writes a run as one JSON document. Leaves out the tokens that the server issued, and the key material and user data in extension outputs.
 * Keeps the challenges, which have already been used.
 */
export function runToJson(run: Run, origin: string, userAgent: string): JsonObject {
  return {
    title: run.title,
    kind: run.kind,
    outcome: run.outcome,
    summary: run.summary,
    started_at: new Date(run.startedAt).toISOString(),
    origin,
    user_agent: userAgent,
    legs: run.legs.map((leg) => shareable(leg.kind === 'http' ? { ...leg, milliseconds: round(leg) } : leg)),
  };
}

function round({ milliseconds }: HttpLeg): number {
  return Math.round(milliseconds * 10) / 10;
}

/** Copies a JSON value without its secrets. */
function shareable(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(shareable);
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => {
      if (SECRETS.has(name)) return [name, '(left out)'];
      return [name, name === 'clientExtensionResults' ? withoutOutputs(member) : shareable(member)];
    }),
  );
}

/**
 * Converts an entry of the server's stream to a run with the browser's call and the last request, which can then be saved like a run of
 * this tab.
 */
export function detailToRun(detail: StreamDetail, { title, verdict, software }: Pick<SharedItem, 'title' | 'verdict' | 'software'>): Run {
  const { kind, options, response, browser, method, path, status, code, message, request_ids: requestIds } = detail;
  const ceremony = knownValue(kind, CEREMONIES);
  const error = browser?.error ?? undefined;
  const call: Leg = {
    kind: 'browser',
    call: kind === 'registration' ? 'create' : 'get',
    mediation: undefined,
    options: options ?? {},
    response: response ?? undefined,
    error:
      error === undefined ? undefined : { name: error, message: browser?.message ?? '', explanation: { title: '', causes: [], next: '' } },
    milliseconds: browser?.milliseconds ?? 0,
    software,
  };
  const request: Leg | undefined =
    method === null || path === null
      ? undefined
      : {
          kind: 'http',
          requestId: requestIds.at(-1) ?? '',
          method,
          path,
          body: response ?? undefined,
          bearer: false,
          status: status ?? undefined,
          answer: code === null ? undefined : { title: detail.title, status, code, detail: message, step: detail.step },
          failure: undefined,
          milliseconds: 0,
        };
  return {
    id: 0,
    title,
    kind: ceremony ?? 'other',
    startedAt: Date.parse(detail.at),
    legs: [...(ceremony !== undefined && options !== null ? [call] : []), ...(request === undefined ? [] : [request])],
    outcome: findOutcome(verdict),
    summary: message ?? '',
    offer: undefined,
  };
}

/** Finds the server's path from which the run's ceremony can be loaded as a fixture; undefined if the server never received a response. */
export function fixturePath(run: Run): string | undefined {
  const challenge = stringAt(findBrowserLeg(run)?.options, 'challenge');
  return challenge === undefined || findVerdictLeg(run) === undefined ? undefined : `/dev/fixtures/${challenge}`;
}
