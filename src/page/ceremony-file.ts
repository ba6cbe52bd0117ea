import { CEREMONY_FORMAT } from '../explain/annotate/page-run.js';
import type { ExplainDocument } from '../explain/document-schema.js';
import { isObject, type JsonObject } from '../kernel/json-value.js';
import { runToJson, shareable } from './export.js';
import { getPath, listAt, numberAt, parseJson, stringAt } from './json.js';
import type { SharedItem } from './pasted.js';
import type { BrowserError, Leg, Run, Software } from './run.js';
import { isVerdict, outcomeOf, type Verdict } from './verdicts.js';

const VERSION = 1;

/** One ceremony as it leaves the page and comes back to one. */
export interface Ceremony {
  readonly item: SharedItem;
  readonly options: JsonObject | undefined;
  readonly response: JsonObject | undefined;
  readonly explanation: ExplainDocument | undefined;
  readonly fixture: JsonObject | undefined;
}

/**
 * A ceremony as one document: what "Copy as JSON" has, so that `passkey explain` takes it, and what the page shows beside it. Tokens,
 * key material and user data are left out, and with them the tree, which the page draws anew.
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

/** Reads such a document; undefined for every other text. Members that are missing or wrong are left out. */
export function ceremonyFromFile(text: string): Ceremony | undefined {
  const file = parseJson(text);
  if (!isObject(file) || file['format'] !== CEREMONY_FORMAT) return undefined;
  const { item, options, response, explanation, fixture } = file;
  const kind = stringAt(item, 'kind');
  const software = getPath(item, ['software']);
  return {
    item: {
      kind: KINDS.find((known) => known === kind) ?? 'other',
      title: stringAt(file, 'title') ?? 'A ceremony',
      verdict: verdictOf(stringAt(item, 'verdict')),
      source: stringAt(item, 'source') ?? 'unknown',
      user: stringAt(item, 'user'),
      passkey: stringAt(item, 'passkey'),
      code: stringAt(item, 'code'),
      changed: listAt(item, 'changed').filter((name) => typeof name === 'string'),
      software: softwareOf(software),
      run: runOf(file),
    },
    options: isObject(options) ? options : undefined,
    response: isObject(response) ? response : undefined,
    explanation: isExplanation(explanation) ? explanation : undefined,
    fixture: isObject(fixture) ? fixture : undefined,
  };
}

const KINDS: readonly SharedItem['kind'][] = ['registration', 'authentication', 'request', 'change', 'other', 'pasted'];

/** A ceremony that had not ended when it was saved never will. */
function verdictOf(text: string | undefined): Verdict {
  return text === undefined || !isVerdict(text) ? 'undecided' : text === 'waiting' ? 'open' : text;
}

function runOf(file: JsonObject): Run {
  const kind = stringAt(file, 'kind');
  const verdict = verdictOf(stringAt(file, 'item', 'verdict'));
  return {
    id: 0,
    title: stringAt(file, 'title') ?? '',
    kind: kind === 'registration' || kind === 'authentication' ? kind : 'other',
    startedAt: Date.parse(stringAt(file, 'started_at') ?? '') || 0,
    legs: listAt(file, 'legs').flatMap((leg) => legOf(leg) ?? []),
    outcome: outcomeOf(verdict),
    summary: stringAt(file, 'summary') ?? '',
    // It belongs to another authenticator.
    offer: undefined,
  };
}

const SIGNALS = ['signalUnknownCredential', 'signalAllAcceptedCredentials', 'signalCurrentUserDetails'] as const;
const SENT = ['sent', 'failed', 'not supported'] as const;

function legOf(leg: unknown): Leg | undefined {
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
    const software = softwareOf(leg['software']);
    return { ...common, mediation, response: member('response'), error: errorOf(leg['error']), milliseconds, software };
  }
  const method = SIGNALS.find((known) => known === leg['method']);
  const outcome = SENT.find((known) => known === leg['outcome']);
  if (kind !== 'signal' || method === undefined || outcome === undefined) return undefined;
  return { kind, method, outcome, options: member('options') ?? {}, detail: stringAt(leg, 'detail') };
}

function softwareOf(software: unknown): Software | undefined {
  return isObject(software) ? { persona: stringAt(software, 'persona'), tamper: stringAt(software, 'tamper') } : undefined;
}

function errorOf(error: unknown): BrowserError | undefined {
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

/** Whether the page can draw it: a file may come from anywhere. */
function isExplanation(value: unknown): value is ExplainDocument {
  if (!isObject(value)) return false;
  const { steps, library, attestation, observations, encoding, advice, error } = value;
  const listOf = (list: unknown, ...texts: readonly string[]) =>
    Array.isArray(list) && list.every((one) => texts.every((name) => stringAt(one, name) !== undefined));
  const orNull = (one: unknown, ...texts: readonly string[]) => one === null || texts.every((name) => stringAt(one, name) !== undefined);
  const attested = attestation === null || (isObject(attestation) && listOf(attestation['checks'], 'slug', 'status', 'received'));
  return (
    stringAt(value, 'source') !== undefined &&
    listOf(steps, 'slug', 'title', 'status', 'section') &&
    orNull(library, 'verdict') &&
    orNull(error, 'code', 'message') &&
    attested &&
    listOf(observations, 'slug', 'message') &&
    listOf(encoding, 'message') &&
    listOf(advice, 'severity', 'message')
  );
}
