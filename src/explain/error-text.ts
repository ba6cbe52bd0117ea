import { ERRORS } from '../errors.js';
import { isObject } from '../kernel/json-value.js';
import { readLogged } from './annotate/logged.js';
import { BROWSER_ERRORS, explainBrowserError } from './browser-errors/browser-errors.js';
import { AT_ONCE } from './browser-errors/cancelled.js';
import { failedCall, UNSEEN } from './browser-errors/failed-call.js';
import type { KnownError } from './document-schema.js';
import { findLibraryErrors } from './known-errors.js';

/** An error is a line or a trace, not a document. */
const MAX_LENGTH = 20_000;

/** Facts that may be known of the page. */
interface Place {
  readonly rpId?: string | undefined;
  readonly origins?: readonly string[] | undefined;
}

/** Meanings of an error text by itself: a problem document of this package, errors of libraries, or an exception of a browser. Empty: it is none. */
export function explainErrorText(text: string, place: Place = {}): KnownError[] {
  if (text.length > MAX_LENGTH) return [];
  const problems = readLogged(text).flatMap(explainProblem);
  if (problems.length > 0) return problems;
  const fromLibraries = findLibraryErrors(text);
  return fromLibraries.length > 0 ? fromLibraries : explainException(text, place);
}

/** A problem document (RFC 9457) with a code of ours. */
function explainProblem(value: unknown): KnownError[] {
  if (!isObject(value)) return [];
  const { code, title, detail, step, errors } = value;
  if (typeof code !== 'string' || !Object.hasOwn(ERRORS, code) || typeof title !== 'string') return [];
  const fields = (Array.isArray(errors) ? errors : []).flatMap((one: unknown) =>
    isObject(one) ? [`${String(one['pointer'])} ${String(one['detail'])}`] : [],
  );
  const { slug, hint } = isObject(step) ? step : {};
  return [
    {
      from: 'passkey',
      title: `${code}: ${title}`,
      causes: fields.length > 0 ? fields : typeof detail === 'string' ? [detail] : [],
      next: typeof hint === 'string' ? hint : '',
      step: typeof slug === 'string' ? slug : null,
      expectations: [],
      source: null,
    },
  ];
}

/** These names are used for much else. */
const COMMON: readonly string[] = ['TypeError', 'SyntaxError'];

/** Messages of Chromium and Firefox in a frame without `allow="publickey-credentials-…"`. */
const FRAME_NOT_PERMITTED = /'publickey-credentials-\w+' feature is not enabled|CredentialsContainer request is not allowed/;

/** An exception of `navigator.credentials`. Most facts of the call are unknown, so that the likeliest causes of all calls are named. */
function explainException(text: string, { rpId, origins }: Place): KnownError[] {
  const [, name, message = ''] = /\b([A-Z]\w+Error)\b(?:: *([^\n]*))?/.exec(text) ?? [];
  if (name === undefined || !BROWSER_ERRORS.includes(name) || (COMMON.includes(name) && !/credential|public-?key/i.test(text))) return [];
  const call = /create\b|regist|exclude/i.test(text) ? 'create' : 'get';
  const options = rpId === undefined ? {} : { rp: { id: rpId }, rpId };
  const thrown = { name, message, call, mediation: undefined, milliseconds: AT_ONCE, options } as const;
  const permitted = FRAME_NOT_PERMITTED.test(message) ? false : undefined;
  const { title, causes, next } = explainBrowserError(failedCall(thrown, { ...UNSEEN, permitted, origin: origins?.[0] ?? '' }));
  return [{ from: 'browser', title, causes: causes.filter((cause) => cause !== ''), next, step: null, expectations: [], source: null }];
}
