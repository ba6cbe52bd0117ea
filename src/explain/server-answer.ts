import { PasskeyError } from '../errors.js';
import { isObject } from '../kernel/json-value.js';
import type { Verdict } from '../relying-party/judge.js';
import { parseBody } from './annotate/har-entries.js';

/** The answer of the relying party to a response, as a recording has it. */
export interface ServerAnswer {
  /** HTTP status. */
  readonly status: number;
  /** `unknown`: the recording does not say, such as for a redirect or a page. */
  readonly verdict: 'accepted' | 'refused' | 'unknown';
  /** The body in one line, shortened, without what may be secret; empty where the recording has none. */
  readonly body: string;
}

const FIRST_REFUSAL = 400;

/**
 * Reads an answer. The server refused where the status is 400 or more, or where the JSON in the body says so: `verified`, `success`, `ok`,
 * `valid` or `authenticated` is false, `status` is "failed" or "error", `error` is a text, or `errors` is a list of some. It accepted where the status is
 * 200 to 299 and the body does not say otherwise. A page says neither: a form that was refused is often shown again with status 200.
 */
export function readServerAnswer(status: number, body: string | undefined): ServerAnswer | undefined {
  // An archive has 0 where no answer came.
  if (status === 0) return undefined;
  const json = body === undefined ? undefined : parseBody(body);
  const isRefused = status >= FIRST_REFUSAL || (isObject(json) && saysRefused(json));
  const isPage = body !== undefined && MARKUP.test(body);
  const verdict = isRefused ? 'refused' : status >= 200 && status < 300 && !isPage ? 'accepted' : 'unknown';
  return { status, verdict, body: body === undefined ? '' : shortenText(isObject(json) ? JSON.stringify(json) : readMarkup(body)) };
}

/** Whether server and steps come to the same; undefined while either is open. A response that cannot be read is rejected. */
export function agreesWith({ verdict }: ServerAnswer, outcome: { readonly verdict: Verdict } | PasskeyError): boolean | undefined {
  const found = outcome instanceof PasskeyError ? 'rejected' : outcome.verdict;
  return verdict === 'unknown' || found === 'undecided' ? undefined : (verdict === 'accepted') === (found === 'accepted');
}

const VERDICT_MEMBERS = ['verified', 'success', 'ok', 'valid', 'authenticated'];

function saysRefused(json: Readonly<Record<string, unknown>>): boolean {
  const { status, error, errors } = json;
  return (
    VERDICT_MEMBERS.some((name) => json[name] === false) ||
    status === 'failed' ||
    status === 'error' ||
    (typeof error === 'string' && error !== '') ||
    (Array.isArray(errors) && errors.length > 0)
  );
}

const MARKUP = /^\s*</;
const LONGEST_READ = 20_000;
const LONGEST_SHOWN = 500;
const ENTITIES: Readonly<Record<string, string>> = { '&quot;': '"', '&#39;': "'", '&lt;': '<', '&gt;': '>', '&nbsp;': ' ', '&amp;': '&' };

/** The text of an error page, such as that of Express. */
function readMarkup(text: string): string {
  const start = text.slice(0, LONGEST_READ);
  if (!MARKUP.test(start)) return start;
  return start
    .replaceAll(/<(?:style|script)[^<]*<\/\w+>|<[^<>]*>/g, ' ')
    .replaceAll(/&(?:quot|#39|lt|gt|nbsp|amp);/g, (entity) => ENTITIES[entity] ?? entity);
}

/** A text in one line, shortened, without what may be secret. */
export function shortenText(text: string): string {
  const line = redact(text).replaceAll(/\s+/g, ' ').trim();
  return line.length > LONGEST_SHOWN ? `${line.slice(0, LONGEST_SHOWN)}…` : line;
}

const SECRET_MEMBER = /"([\w-]*(?:token|secret|password|passwd|cookie|session|authorization|jwt|csrf|api_?key)[\w-]*)":"(?:[^"\\]|\\.)*"/gi;
/** As long as twelve bytes in base64, and hardly ever shorter where it is secret. */
const LONG_RUN = /[\w+/=-]{16,}/g;

/** Leaves out members that are named as secrets, and everything that looks like random text: tokens, cookies, challenges, keys. */
function redact(text: string): string {
  return text
    .slice(0, LONGEST_READ)
    .replaceAll(SECRET_MEMBER, '"$1":"…"')
    .replaceAll(LONG_RUN, (run) => (isWords(run) ? run : '…'));
}

/** Words, such as `challenge_not_found`, `SimpleWebAuthnError` and the path of a file: random text has hardly three letters of one case in a row. */
function isWords(run: string): boolean {
  const words = run.split(/[_/-]|(?<=[a-z])(?=[A-Z])/);
  return !/[\d+=]/.test(run) && words.length * 4 <= run.length;
}
