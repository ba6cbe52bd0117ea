import { asObject, isObject, type JsonObject } from '../../kernel/json-value.js';
import { readServerAnswer, type ServerAnswer } from '../server-answer.js';
import type { AnnotatedNode } from './node.js';

/** Value of `format` in the file that the test page writes for one ceremony ("Save as one file"): a run, and the facts shown with it. */
export const CEREMONY_FORMAT = 'passkey-ceremony';

/** The options or the response of one `navigator.credentials` call, in a run that was exported from the test page. */
interface PageFinding {
  readonly kind: 'creation-options' | 'request-options' | 'registration' | 'authentication';
  readonly json: JsonObject;
  readonly place: string;
  readonly mediation: 'conditional' | undefined;
  /** The server's response to the request that the page sent after the call. */
  readonly answer: ServerAnswer | undefined;
}

/**
 * Reads the browser calls of a run of the test page ("Copy as JSON"), in order. Ignores the requests of the run, since they only repeat the
 * data of the calls.
 */
export function pageFindings({ legs }: JsonObject): PageFinding[] {
  const all: readonly unknown[] = Array.isArray(legs) ? legs : [];
  return all.flatMap((leg, index) => {
    if (!isCall(leg)) return [];
    const { call, options, response, mediation: how } = leg;
    const next = asObject(all[index + 1]);
    const status = next['kind'] === 'http' && typeof next['status'] === 'number' ? next['status'] : 0;
    const create = call === 'create';
    const mediation = how === 'conditional' ? how : undefined;
    const answer = readServerAnswer(status, JSON.stringify(next['answer']));
    const found = (kind: PageFinding['kind'], what: string, json: unknown): PageFinding[] =>
      isObject(json) ? [{ kind, json, place: `${String(call)}(), ${what}`, mediation, answer }] : [];
    return [
      ...found(create ? 'creation-options' : 'request-options', 'options', options),
      ...found(create ? 'registration' : 'authentication', 'answer', response),
    ];
  });
}

/** Tells whether a document is a run of the test page. Only such a run has browser calls among its `legs`, or members such as `outcome`. */
export function isPageRun({ legs, title, outcome, started_at: startedAt }: JsonObject): boolean {
  if (!Array.isArray(legs)) return false;
  return legs.some(isCall) || [title, outcome, startedAt].every((member) => typeof member === 'string');
}

/**
 * Annotates the other events of a run in order: requests that were refused or got no response, browser errors, and calls of the Signal API.
 */
export function pageEvents({ legs }: JsonObject): AnnotatedNode[] {
  return (Array.isArray(legs) ? legs : []).filter(isObject).flatMap(annotateEvent);
}

function annotateEvent(leg: JsonObject): AnnotatedNode[] {
  switch (leg['kind']) {
    case 'http': {
      const { method, path, status, answer, failure } = leg;
      const { code, detail } = asObject(answer);
      const label = `${readText(method)} ${readText(path)}`.trim();
      if (typeof status !== 'number') return [event(label, 'not answered', failure)];
      return status < 400 ? [] : [event(label, `${status} ${readText(code)}`.trim(), detail)];
    }
    case 'browser': {
      const { name, message } = asObject(leg['error']);
      return typeof name === 'string' ? [event(`${readText(leg['call'])}(), error`, name, message)] : [];
    }
    case 'signal':
      return [event(readText(leg['method']), readText(leg['outcome']), leg['detail'])];
    default:
      return [];
  }
}

function event(label: string, value: string, note: unknown): AnnotatedNode {
  return { label, value, ...(typeof note === 'string' && { note }) };
}

const readText = (value: unknown): string => (typeof value === 'string' ? value : '');

function isCall(leg: unknown): leg is JsonObject {
  return isObject(leg) && leg['kind'] === 'browser' && (leg['call'] === 'create' || leg['call'] === 'get');
}
