import { PasskeyError } from '../errors.js';
import { isObject } from '../kernel/json-value.js';
import type { Verdict } from '../relying-party/judge.js';
import { parseBody } from './annotate/har-entries.js';

/** The relying party's HTTP response to a credential, as recorded or pasted. */
export interface ServerAnswer {
  /** HTTP status; null for a pasted response. */
  readonly status: number | null;
  /**
   * `failed`: an error of the server, not a refusal. `unknown`: the recording does not show the verdict, as with most redirects and pages,
   * and without a body.
   */
  readonly verdict: 'accepted' | 'refused' | 'failed' | 'unknown';
  /** The body in one line, shortened, without possible secrets; empty if not recorded. */
  readonly body: string;
  /** The sentence in the body that gives the reason; null if there is none. */
  readonly message: string | null;
}

/** Facts that help to interpret a response, in addition to its status and body. */
interface Surroundings {
  /** The recording says that there was a body, but does not contain it. */
  readonly isBodyMissing?: boolean | undefined;
  /** The final URL, if the server redirected a login. */
  readonly redirectedTo?: string | undefined;
}

/**
 * Reads the verdict in a server's response. The server refused if the status is 400 to 499, if a login was redirected to a login or error
 * page, or if the JSON in the body says so: see {@link readVerdict}. It failed if the status is 500 or more, unless the body says
 * otherwise. It accepted if the status is 200 to 299, unless the body says otherwise. An HTML page shows neither: a refused form is often
 * shown again with status 200.
 *
 * @param status HTTP status; null for a pasted response, which only its body decides.
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

/** Whether the ceremony did not succeed: the server refused it, or failed. */
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
 * Whether the server and the steps reach the same verdict; undefined while one of them is open. A response that cannot be read counts as
 * rejected.
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
 * Reads the verdict in JSON. Refused: a member of `VERDICT_MEMBERS` is false, `status` or the like names a failure or an HTTP error, or a
 * list of errors is not empty. Accepted: a verdict member is true. `both`: the JSON contradicts itself. The members may be in an envelope
 * or a batch.
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

/** Finds the first string among the members that give a reason. */
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

/** Shortens a text to one line, without possible secrets. */
export function shortenText(text: string): string {
  const line = redact(text).replaceAll(/\s+/g, ' ').trim();
  return line.length > LONGEST_SHOWN ? `${line.slice(0, LONGEST_SHOWN)}…` : line;
}

const SECRET_MEMBER = /"([\w-]*(?:token|secret|password|passwd|cookie|session|authorization|jwt|csrf|api_?key)[\w-]*)":"(?:[^"\\]|\\.)*"/gi;
/**
 * Matches a run as long as twelve bytes in base64, since shorter values are hardly secret. Excludes the hash of an RP ID, which an error
 * may name.
 */
const LONG_RUN = /(?<![\w+/=-]|[Rr][Pp][ _-]?(?:[Ii][Dd])?[ _-]?[Hh]ash[^{}]{0,120})[\w+/=-]{16,}/g;

/** Removes members whose names suggest secrets, and everything that looks like random text: tokens, cookies, challenges, keys. */
function redact(text: string): string {
  return text
    .slice(0, LONGEST_READ)
    .replaceAll(SECRET_MEMBER, '"$1":"…"')
    .replaceAll(LONG_RUN, (run) => (isWords(run) ? run : '…'));
}

/** Names with digits that occur in error messages. */
const NAMES = /base64|sha-?(?:1|256|384|512)|utf-?8/gi;

/**
 * Whether a run consists of words, such as `challenge_not_found`, `SimpleWebAuthnError` or the path of a file. Random text rarely has three
 * letters of one case in a row.
 */
function isWords(run: string): boolean {
  const named = run.replaceAll(NAMES, 'name');
  const words = named.split(/[_/-]|(?<=[a-z])(?=[A-Z])/);
  return !/[\d+=]/.test(named) && words.length * 4 <= run.length;
}
