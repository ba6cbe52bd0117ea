import { asObject, isObject, parseUntrustedJson } from '../../kernel/json-value.js';
import type { Exchange } from './driver.js';

/** Maximum number of body characters that a report shows. */
const MAX_SHOWN = 500;
/** Maximum number of characters of a response that a one-line summary quotes. */
const MAX_SAID = 200;
/** Minimum length of a secret in characters. Shorter values are not treated as secret, because they occur in too many strings by chance. */
const MIN_SECRET_LENGTH = 6;
const HIDDEN = '…';

/** Regular expression for names of members and form fields whose values are secret. */
const SECRET_NAME = '[^"&=\\s{},]*(?:token|passw|secret|authorization|cookie|jwt|csrf|session_?(?:id|code))[^"&=\\s{},]*';
/** Matches a JSON member with a secret value. The value may be cut off at the end of the string. */
const SECRET_MEMBER = new RegExp(`("${SECRET_NAME}"\\s*:\\s*)"(?:[^"\\\\]|\\\\.)*(?:"|\\\\?$)`, 'gi');
const SECRET_FIELD = new RegExp(`((?:^|[?&])${SECRET_NAME}=)[^&\\s]+`, 'gi');

/** Removes secrets from a string. */
export type Redact = (text: string) => string;

/**
 * Makes a function that removes secrets from strings.
 *
 * @param secrets values that are secret wherever they occur: passwords, tokens, cookies, environment variables.
 */
export function redacting(secrets: readonly (string | undefined)[]): Redact {
  let written: readonly string[] | undefined;
  return (text) => {
    written ??= spellings(secrets);
    const whole = written.reduce((left, secret) => left.replaceAll(secret, HIDDEN), text);
    return withoutCutSecret(whole, written).replaceAll(SECRET_MEMBER, `$1"${HIDDEN}"`).replaceAll(SECRET_FIELD, `$1${HIDDEN}`);
  };
}

/**
 * Removes a secret of which only the beginning is left at the end of a string, because strings are shortened before secrets are removed.
 */
function withoutCutSecret(text: string, secrets: readonly string[]): string {
  for (const secret of secrets) {
    const beginning = secret.slice(0, MIN_SECRET_LENGTH);
    let start = text.indexOf(beginning, text.length - secret.length + 1);
    while (start >= 0 && !secret.startsWith(text.slice(start))) start = text.indexOf(beginning, start + 1);
    if (start >= 0) return `${text.slice(0, start)}${HIDDEN}`;
  }
  return text;
}

/**
 * Lists the forms in which the secrets can be written in bodies, e.g. URL-encoded. The longest comes first, so that no secret is replaced
 * by a shorter one with the same beginning.
 */
function spellings(secrets: readonly (string | undefined)[]): string[] {
  const known = secrets.filter((secret) => secret !== undefined).filter(({ length }) => length >= MIN_SECRET_LENGTH);
  const written = new Set(
    known.flatMap((secret) => {
      const json = JSON.stringify(secret).slice(1, -1);
      const form = new URLSearchParams([['', secret]]).toString().slice(1);
      // PHP's JSON escapes slashes, and JSON in a text is escaped twice.
      const twice = JSON.stringify(json).slice(1, -1);
      // Halves of surrogate pairs have no encoding.
      const unicode = Buffer.from(secret).toString();
      return [secret, encodeURIComponent(unicode), form, encodeURI(unicode), json, json.replaceAll('/', '\\/'), twice];
    }),
  );
  return [...written].toSorted((a, b) => b.length - a.length);
}

export function shorten(text: string, length: number = MAX_SHOWN): string {
  return text.length > length ? `${text.slice(0, length)}…` : text;
}

/**
 * How many times the shown length is searched for secrets. More than the shown length is searched, because removing secrets shortens a
 * string.
 */
const MARGIN = 20;

/** Shortens an exchange and removes its secrets, for a report. */
export function showExchange({ request, sent, status, received }: Exchange, redact: Redact): Exchange {
  const show = (text: string) => shorten(redact(text.slice(0, MARGIN * MAX_SHOWN)));
  return { request: show(request), sent: show(sent), status, received: show(received) };
}

/** Members of a JSON response in which servers usually give the reason for an error, the most specific first. */
const TELLING = ['detail', 'message', 'error_description', 'error', 'errorMessage', 'reason', 'title'];

/** Summarizes a response in a few words: its status and its message. */
export function sayAnswer(status: number, text: string, redact: Redact): string {
  const json = asObject(parseUntrustedJson(text));
  const reason = TELLING.map((name) => json[name]).find((value) => (typeof value === 'string' && value !== '') || isObject(value));
  const code = typeof json['code'] === 'string' ? `${json['code']}: ` : '';
  const said = reason === undefined ? text : `${code}${typeof reason === 'string' ? reason : JSON.stringify(reason)}`;
  const line = redact(said.slice(0, MARGIN * MAX_SAID))
    .replaceAll(/\s+/g, ' ')
    .trim();
  return line === '' ? `${status} without a body` : `${status} ${shorten(line, MAX_SAID)}`;
}
