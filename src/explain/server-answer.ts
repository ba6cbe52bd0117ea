import { PasskeyError } from '../errors.js';
import { isObject } from '../kernel/json-value.js';
import type { Verdict } from '../relying-party/judge.js';
import { parseBody } from './annotate/har-entries.js';

/** The relying party's HTTP response to a request with a credential, either recorded or pasted. */
export interface ServerAnswer {
  /** HTTP status; null for a response that was pasted as text. */
  readonly status: number | null;
  /**
   * `failed`: the server had an error and did not decide. `unknown`: the verdict was not recorded, for example because the response is a
   * redirect or a page, or its body is missing.
   */
  readonly verdict: 'accepted' | 'refused' | 'failed' | 'unknown';
  /** The body, shortened to one line and without possible secrets; empty if the body was not recorded. */
  readonly body: string;
  /** The sentence in the body that gives the reason for the verdict; null if there is none. */
  readonly message: string | null;
}

/** Facts that help to interpret a response, in addition to its status and body. */
interface Surroundings {
  /** Whether the recording says that there was a body but does not contain it. */
  readonly isBodyMissing?: boolean | undefined;
  /** Final URL of the redirects, if the server responded to a login with a redirect. */
  readonly redirectedTo?: string | undefined;
}

/**
 * Reads the verdict in a server's response.
 * - Refused: the status is 400 to 499, a login was redirected to a login or error page, or the JSON in the body says so (see {@link
 * readVerdict}).
 * - Failed: the status is 500 or more, unless the body says that the server refused.
 * - Accepted: the status is 200 to 299, unless the body says otherwise.
 * - Unknown: in all other cases, and for an HTML page with status 200 to 299, since servers often show a refused form again with status
 * 200.
 *
 * @param status HTTP status; null for a pasted response, whose verdict depends only on its body.
 */
export function readServerAnswer(
  status: number | null,
  body: string | undefined,
  { isBodyMissing = false, redirectedTo }: Surroundings = {},
): ServerAnswer | undefined {
  // An archive has 0 where no answer came.
  if (status === 0) return undefined;
  const json = body === undefined ? undefined : parseBody(body);
  const said = readVerdict(json);
  const isText = json === undefined && body !== undefined;
  return {
    status,
    verdict: decide(status, said, { redirectedTo, isSilent: isBodyMissing || (isText && MARKUP.test(body)) }),
    body: body === undefined ? '' : shortenText(isObject(json) ? JSON.stringify(json) : readMarkup(body)),
    message: shortenText(isText ? readMarkup(body) : (readMessage(json) ?? '')) || null,
  };
}

/** Tells whether the ceremony did not succeed, because the server refused it or because the server failed. */
export function isRefusal({ verdict }: ServerAnswer): boolean {
  return verdict === 'refused' || verdict === 'failed';
}

function decide(
  status: number | null,
  said: 'accepted' | 'refused' | 'both' | undefined,
  { redirectedTo, isSilent }: { readonly redirectedTo: string | undefined; readonly isSilent: boolean },
): ServerAnswer['verdict'] {
  if (said === 'refused') return 'refused';
  if (status === null) return said === 'accepted' ? 'accepted' : 'unknown';
  if (status >= 500) return 'failed';
  if (status >= 400 || (redirectedTo !== undefined && isLoginPage(redirectedTo))) return 'refused';
  return status >= 200 && status < 300 && !isSilent && said !== 'both' ? 'accepted' : 'unknown';
}

/** Matches the path of a page to which a server redirects a failed login. */
const LOGIN_PAGE = /(?:^|\/)(?:log-?_?in|sign-?_?in|error|failure|denied)(?:\.\w+)?\/?$/i;

function isLoginPage(url: string): boolean {
  const [, path = '', query = ''] = /^(?:\w+:\/\/[^/?#]*)?([^?#]*)(?:\?([^#]*))?/.exec(url) ?? [];
  return LOGIN_PAGE.test(path) || /(?:^|&)error(?:=(?!&|$|0|false)|&|$)/.test(query);
}

/**
 * Tells whether the server and the steps reached the same verdict; undefined if one of them reached none. If the response could not be
 * read, the verdict of the steps counts as rejected.
 */
export function agreesWith({ verdict }: ServerAnswer, outcome: { readonly verdict: Verdict } | PasskeyError): boolean | undefined {
  const found = outcome instanceof PasskeyError ? 'rejected' : outcome.verdict;
  if (verdict === 'unknown' || verdict === 'failed' || found === 'undecided') return undefined;
  return (verdict === 'accepted') === (found === 'accepted');
}

const VERDICT_MEMBERS = ['verified', 'success', 'ok', 'valid', 'authenticated', 'isValid', 'isVerified', 'accepted'];
const OUTCOME_MEMBERS = ['status', 'result', 'outcome'];
const CODE_MEMBERS = ['status', 'statusCode', 'code'];
const ERROR_MEMBERS = ['error', 'errors', 'errorMessage', 'error_message', 'error_description'];
const ENVELOPES = ['data', 'result', 'response', 'payload', 'json'];
const FAILURE = /^(?:fail|failed|failure|error|denied|rejected|refused|unauthorized)$/i;
const NO_ERROR = /^(?:|0|none|null|false|no error|ok|success)$/i;
const MAX_DEPTH = 3;

/**
 * Reads the verdict in JSON, which may be in an envelope or a batch.
 * - Refused: a member of `VERDICT_MEMBERS` is false, a member such as `status` names a failure or an HTTP error, or a list of errors is not
 * empty.
 * - Accepted: a member of `VERDICT_MEMBERS` is true.
 * - `both`: the JSON contradicts itself.
 */
function readVerdict(json: unknown, depth = 0): 'accepted' | 'refused' | 'both' | undefined {
  if (typeof json === 'boolean') return json ? 'accepted' : 'refused';
  if (typeof json !== 'object' || json === null || depth > MAX_DEPTH) return undefined;
  if (!isObject(json)) return findVerdict(Object.values(json), depth);
  const has = (names: readonly string[], test: (value: unknown) => boolean) => names.some((name) => test(json[name]));
  if (has(VERDICT_MEMBERS, (value) => value === false || value === 'false')) return 'refused';
  const accepts = has(VERDICT_MEMBERS, (value) => value === true || value === 'true');
  const refuses =
    has(OUTCOME_MEMBERS, (value) => typeof value === 'string' && FAILURE.test(value)) ||
    has(CODE_MEMBERS, (value) => typeof value === 'number' && value >= 400 && value < 600) ||
    has(ERROR_MEMBERS, isError);
  if (refuses) return accepts ? 'both' : 'refused';
  if (accepts) return 'accepted';
  return findVerdict(
    ENVELOPES.map((name) => json[name]).filter((value) => typeof value === 'object'),
    depth,
  );
}

function findVerdict(values: readonly unknown[], depth: number): ReturnType<typeof readVerdict> {
  return values.map((value) => readVerdict(value, depth + 1)).find((verdict) => verdict !== undefined);
}

function isError(value: unknown): boolean {
  if (typeof value === 'string') return !NO_ERROR.test(value.trim());
  if (typeof value === 'object' && value !== null) return Object.values(value).some(isError);
  return value === true || (typeof value === 'number' && value !== 0);
}

const REASON_MEMBERS = [...ERROR_MEMBERS, 'detail', 'message', 'reason', 'msg', 'title', ...ENVELOPES];

/** Finds the first string in a JSON member that gives a reason, such as `message`. */
function readMessage(json: unknown, depth = 0): string | undefined {
  if (typeof json === 'string') return NO_ERROR.test(json) ? undefined : json;
  if (typeof json !== 'object' || json === null || depth > MAX_DEPTH) return undefined;
  const inner: unknown[] = isObject(json) ? REASON_MEMBERS.map((name) => json[name]) : Object.values(json);
  return inner.map((value) => readMessage(value, depth + 1)).find((text) => text !== undefined);
}

const MARKUP = /^\s*</;
const LONGEST_READ = 20_000;
const LONGEST_SHOWN = 500;
const ENTITIES: Readonly<Record<string, string>> = { '&quot;': '"', '&#39;': "'", '&lt;': '<', '&gt;': '>', '&nbsp;': ' ', '&amp;': '&' };

/** Extracts the text of an HTML error page, such as that of Express. */
function readMarkup(text: string): string {
  const start = text.slice(0, LONGEST_READ);
  if (!MARKUP.test(start)) return start;
  return start
    .replaceAll(/<(?:style|script)[^<]*<\/\w+>|<[^<>]*>/g, ' ')
    .replaceAll(/&(?:quot|#39|lt|gt|nbsp|amp);/g, (entity) => ENTITIES[entity] ?? entity);
}

/** Shortens a text to one line and removes possible secrets. */
export function shortenText(text: string): string {
  const line = redact(text).replaceAll(/\s+/g, ' ').trim();
  return line.length > LONGEST_SHOWN ? `${line.slice(0, LONGEST_SHOWN)}…` : line;
}

const SECRET_MEMBER = /"([\w-]*(?:token|secret|password|passwd|cookie|session|authorization|jwt|csrf|api_?key)[\w-]*)":"(?:[^"\\]|\\.)*"/gi;
/**
 * Matches an unbroken run of characters that is at least as long as twelve bytes in base64; shorter values are hardly secret. Does not
 * match the hash of an RP ID, which error messages may contain.
 */
const LONG_RUN = /(?<![\w+/=-]|[Rr][Pp][ _-]?(?:[Ii][Dd])?[ _-]?[Hh]ash[^{}]{0,120})[\w+/=-]{16,}/g;

/**
 * Removes members whose names suggest secrets, and everything that looks like random text, such as tokens, cookies, challenges and keys.
 */
function redact(text: string): string {
  return text
    .slice(0, LONGEST_READ)
    .replaceAll(SECRET_MEMBER, '"$1":"…"')
    .replaceAll(LONG_RUN, (run) => (isWords(run) ? run : '…'));
}

/** Matches names with digits that occur in error messages and are not secret. */
const NAMES = /base64|sha-?(?:1|256|384|512)|utf-?8/gi;

/**
 * Tells whether an unbroken run of characters consists of words, such as `challenge_not_found`, `SimpleWebAuthnError` or a file path.
 * Random text rarely contains three letters of one case in a row.
 */
function isWords(run: string): boolean {
  const named = run.replaceAll(NAMES, 'name');
  const words = named.split(/[_/-]|(?<=[a-z])(?=[A-Z])/);
  return !/[\d+=]/.test(named) && words.length * 4 <= run.length;
}
