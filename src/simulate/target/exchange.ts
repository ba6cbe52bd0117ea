import { asObject, isObject, parseUntrustedJson } from '../../kernel/json-value.js';
import type { Exchange } from './driver.js';

/** Characters of a body in a report. */
const MAX_SHOWN = 500;
/** Characters of an answer in a sentence. */
const MAX_SAID = 200;
/** Shorter values are no secrets, and would be found in everything. */
const MIN_SECRET_LENGTH = 6;
const HIDDEN = '…';

/** Names of members and fields whose values are secret. */
const SECRET_NAME = '[^"&=\\s{},]*(?:token|passw|secret|authorization|cookie|jwt|csrf|session_?(?:id|code))[^"&=\\s{},]*';
/** The value may be cut off. */
const SECRET_MEMBER = new RegExp(`("${SECRET_NAME}"\\s*:\\s*)"(?:[^"\\\\]|\\\\.)*(?:"|\\\\?$)`, 'gi');
const SECRET_FIELD = new RegExp(`((?:^|[?&])${SECRET_NAME}=)[^&\\s]+`, 'gi');

/** Takes secrets out of a text. */
export type Redact = (text: string) => string;

/** @param secrets values that are secret wherever they are: passwords, tokens, cookies, what comes from the environment. */
export function redacting(secrets: readonly (string | undefined)[]): Redact {
  let written: readonly string[] | undefined;
  return (text) => {
    written ??= spellings(secrets);
    const whole = written.reduce((left, secret) => left.replaceAll(secret, HIDDEN), text);
    return withoutCutSecret(whole, written).replaceAll(SECRET_MEMBER, `$1"${HIDDEN}"`).replaceAll(SECRET_FIELD, `$1${HIDDEN}`);
  };
}

/** Removes a secret that was cut at the end of a text: texts are cut before secrets are removed. */
function withoutCutSecret(text: string, secrets: readonly string[]): string {
  for (const secret of secrets) {
    const beginning = secret.slice(0, MIN_SECRET_LENGTH);
    let start = text.indexOf(beginning, text.length - secret.length + 1);
    while (start >= 0 && !secret.startsWith(text.slice(start))) start = text.indexOf(beginning, start + 1);
    if (start >= 0) return `${text.slice(0, start)}${HIDDEN}`;
  }
  return text;
}

/** The spellings of the secrets in bodies; of two that begin alike, the longer one first. */
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

/** How much more text than is shown is searched for secrets, since removing them shortens it. */
const MARGIN = 20;

/** An exchange as a report shows it. */
export function showExchange({ request, sent, status, received }: Exchange, redact: Redact): Exchange {
  const show = (text: string) => shorten(redact(text.slice(0, MARGIN * MAX_SHOWN)));
  return { request: show(request), sent: show(sent), status, received: show(received) };
}

/** Members in which servers usually put the reason, the most specific first. */
const TELLING = ['detail', 'message', 'error_description', 'error', 'errorMessage', 'reason', 'title'];

/** An answer in a few words: its status, and its text. */
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
