import { isObject, type JsonObject } from '../kernel/json-value.js';
import { recogniseJson } from './annotate/kinds.js';
import { readLogged } from './annotate/logged.js';
import { findLibraryErrors } from './error-text.js';
import { readServerAnswer, type ServerAnswer } from './server-answer.js';

const STATUS_LINE = /\bHTTP\/\d(?:\.\d)? (?<status>[1-5]\d\d)\b/;

/**
 * Reads a server's response that was pasted together with a credential: a status line, JSON with a verdict, or the error message of a
 * library, which counts as a refusal. Returns undefined for any other text.
 */
export function readPastedAnswer(text: string): ServerAnswer | undefined {
  const digits = STATUS_LINE.exec(text)?.groups?.['status'];
  const status = digits === undefined ? null : Number(digits);
  const objects = readLogged(text).filter(isObject).map(withoutMessages);
  const bodies = objects.filter((object) => Object.keys(object).length > 0).map((object) => JSON.stringify(object));
  const answers = [...bodies, ...(bodies.length === 0 ? [undefined] : [])].map((body) => readServerAnswer(status, body));
  const decided = answers.find((answer) => answer !== undefined && answer.verdict !== 'unknown');
  if (decided !== undefined) return decided;
  return findLibraryErrors(text).length === 0 ? undefined : { status: null, verdict: 'refused', body: '', message: null };
}

/** Copies an object without the members that are WebAuthn options or responses. */
function withoutMessages(object: JsonObject): JsonObject {
  if (recogniseJson(object)?.pointer === '') return {};
  return Object.fromEntries(Object.entries(object).filter(([, value]) => recogniseJson(value) === undefined));
}
