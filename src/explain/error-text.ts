import { ERRORS } from '../errors.js';
import { isObject, type JsonObject } from '../kernel/json-value.js';
import { originHint } from '../relying-party/diagnosis/origin.js';
import { preimageOfRpIdHash, whyNoRpId } from '../relying-party/diagnosis/rp-id.js';
import { decodeBase64 } from '../webauthn/base64url.js';
import { readHex } from '../webauthn/text-encoding.js';
import { readLogged } from './annotate/logged.js';
import { explainBrowserError } from './browser-errors/browser-errors.js';
import { AT_ONCE } from './browser-errors/cancelled.js';
import { failedCall, UNSEEN } from './browser-errors/failed-call.js';
import type { KnownError } from './document-schema.js';
import { type FoundText, findErrorTexts, findNearestText } from './error-texts/find.js';
import type { Meaning } from './error-texts/meaning.js';
import { MEANINGS, type MeaningName } from './error-texts/meanings.js';
import type { Exception } from './error-texts/row.js';
import { ANSWER_TEXTS } from './error-texts/table.js';
import { expectationArgument } from './expectation-members.js';
import { findFix } from './library-fixes.js';

/** Facts about the ceremony that help to explain an error message. */
interface Beside {
  readonly rpId?: string | undefined;
  readonly origins?: readonly string[] | undefined;
  /** Options of the browser call that threw the error. */
  readonly options?: JsonObject | undefined;
}

/**
 * Explains an error text without its ceremony. The text may be a problem document of this package or a known error message. Returns an
 * empty array for an unknown text.
 */
export function explainErrorText(text: string, beside: Beside = {}): KnownError[] {
  const problems = text.includes('"code"') ? readLogged(text).flatMap(explainProblem) : [];
  return problems.length > 0 ? problems : findErrorTexts(text).map((found) => explainFound(found, text, beside));
}

/**
 * Finds known server errors in a text, such as the body of a response. Returns one error for each meaning. An error suggests a cause and
 * never decides a verdict.
 */
export function findLibraryErrors(text: string, beside: Beside = {}): KnownError[] {
  return findErrorTexts(text, ANSWER_TEXTS).map((found) => explainFound(found, text, beside));
}

/** Writes a message that an error is unknown, and names the known error that is most similar. */
export function describeUnknownError(text: string): string {
  const nearest = findNearestText(text);
  const next = 'This error is unknown; add the HAR or the response.';
  return nearest === undefined ? next : `${next} The most similar known one (${nearest.from}): ${nearest.text}`;
}

/** Explains a problem document (RFC 9457) that contains an error code of this package. */
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

function explainFound(found: FoundText, text: string, beside: Beside): KnownError {
  const { about } = found.row;
  return typeof about === 'string' ? explainMeaning(found, about, beside) : explainException(found, about, text, beside);
}

function explainMeaning(found: FoundText, name: MeaningName, beside: Beside): KnownError {
  const { from, source, version } = found.row;
  const { step, title, causes, next, requiresUv }: Meaning = MEANINGS[name];
  const option = (step === undefined ? undefined : findFix(from, step)) ?? 'the setting of your library';
  const origins = name === 'origin' ? tellOrigins(found) : undefined;
  const compared = origins === undefined ? (name === 'rpId' ? compareRpIds(found, beside) : undefined) : compareOrigins(origins, option);
  const values = origins === undefined ? { ...found.values, rpId: compared?.rpId } : { origin: origins.expected.join(' ') };
  const expectations =
    requiresUv === true
      ? [suggest('requireUserVerification', 'true')]
      : Object.entries(values).flatMap(([member, value]) => readValues(member, value));
  return {
    from,
    title,
    causes: compared === undefined ? [...causes] : compared.next === undefined ? [compared.cause, ...causes] : [compared.cause],
    next: compared?.next ?? next.replace('{option}', option),
    step: step ?? null,
    expectations,
    source: `${source}, ${version}`,
  };
}

interface Compared {
  readonly cause: string;
  readonly next?: string;
  /** The RP ID that the server expects, according to its error message. */
  readonly rpId?: string;
}

/**
 * Compares the page's origin with the expected origins, all taken from the error message. Returns undefined if the message does not contain
 * the page's origin.
 */
function compareOrigins({ received: [page], expected }: Told, option: string): Compared | undefined {
  if (page === undefined) return undefined;
  if (expected.length > 0) {
    return { cause: `Expected ${expected.join(' or ')}; received ${page}.`, next: originHint(page, expected, option) };
  }
  return page.startsWith('android:')
    ? { cause: `Received ${page}, the origin of an Android app.`, next: originHint(page, [], option) }
    : { cause: `Received ${page}, which the server does not expect.` };
}

/** Origins found in an error message: those received from the page, and those expected by the server. */
interface Told {
  readonly received: readonly string[];
  readonly expected: readonly string[];
}

/** Matches an origin, but not the address of a file in a stack trace. */
const ANY_ORIGIN = /(?:https?:\/\/[^\s/"'`,;()[\]<>{}]+\/?|android:apk-key-hash:[\w+/=-]+)(?![^\s"'`,;()[\]<>{}])/g;
const EXPECTED = /(?<!un)expect|allow|config|(?<!mis)match|equal|should|require|want|\bvs\b/i;

/** Finds the origins in an error message: from the named groups of the matching pattern, otherwise from the words before each origin. */
function tellOrigins({ reading, values: { received, origin } }: FoundText): Told {
  if (received !== undefined || origin !== undefined) return { received: readOrigins(received), expected: readOrigins(origin) };
  return tellRoles(reading, ANY_ORIGIN);
}

function tellRoles(reading: string, pattern: RegExp): Told {
  const found: Record<keyof Told, string[]> = { received: [], expected: [] };
  let end = 0;
  let role: keyof Told = 'received';
  for (const { 0: one, index } of reading.matchAll(pattern)) {
    const before = reading.slice(end, index);
    if (/\p{L}/u.test(before)) role = EXPECTED.test(before.slice(-40)) ? 'expected' : 'received';
    found[role].push(one.replace(/[.:]+$/, ''));
    end = index + one.length;
  }
  return found;
}

/** Matches an RP ID, or its hash in hexadecimal, base64 or base64url, that follows a quotation mark or a word such as "expected". */
const ANY_RP_ID =
  /(?<=["'`]|\b(?:[Ee]xpected|[Rr]eceived|[Gg]ot|was|be|vs|not|is|[Rr][Pp] ?[Ii][Dd](?: ?[Hh]ash)?)[:=]? )(?:localhost|[a-z\d-]+(?:\.[a-z\d-]+)+|[\da-fA-F]{64}|[\w+/-]{43}=?)(?![\w.:/]*[\w:/])/g;

/**
 * Finds the RP IDs in an error message, each given by name or by hash. Returns undefined if the message does not show which RP ID the
 * server expects.
 */
function compareRpIds({ reading }: FoundText, beside: Beside): Compared | undefined {
  const { received, expected } = tellRoles(reading, ANY_RP_ID);
  const names = [...received, ...expected].filter((one) => one.length < 43);
  const [wanted, got] = [expected, received].map((ones) =>
    ones.map((one) => nameRpId(one, names, beside)).find((one) => one !== undefined),
  );
  if (wanted === undefined) return undefined;
  return { cause: `Expected ${wanted}${got === undefined ? '' : `; received ${got}`}.`, rpId: wanted };
}

/** Finds the RP ID that a text states by name or by hash; undefined if no known RP ID has that hash. */
function nameRpId(text: string, names: readonly string[], { rpId = '', origins = [] }: Beside): string | undefined {
  const hash = readHex(text)?.bytes ?? decodeBase64(text)?.bytes;
  if (hash?.length !== SHA256_BYTES) return text;
  const pages = [...origins, ...names.map((name) => `https://${name}`), ''];
  return pages.map((origin) => preimageOfRpIdHash(hash, { rpId, origin })).find((name) => name !== undefined && name !== '');
}

const SHA256_BYTES = 32;

const ORIGIN = /^(?:[a-z][\w+.-]*:\/\/[^/\s]+\/?|android:apk-key-hash:\S+|null)$/i;
const NUMBER = /^-?\d+$/;

function readOrigins(text: string | undefined): string[] {
  return (text ?? '').split(/[\s,'"[\]]+|\.$/).filter((value) => ORIGIN.test(value));
}

/** Reads the value or list of values that a named group of a pattern matched. */
function readValues(member: string, text: string | undefined): KnownError['expectations'] {
  const isOrigin = member === 'origin' || member === 'topOrigin';
  const values = isOrigin ? readOrigins(text) : (text ?? '').split(/[\s,'"]+/).filter((value) => NUMBER.test(value));
  if (member === 'rpId') return text === undefined || whyNoRpId(text) !== undefined ? [] : [suggest(member, text)];
  if (member === 'algorithms') return values.length === 0 ? [] : [suggest(member, values.join(','))];
  return values.map((value) => suggest(member, value));
}

/** Combines an expectation's flag and value as users type them on the command line. */
function suggest(member: string, value: string): KnownError['expectations'][number] {
  return { member, value, flag: expectationArgument(member, value) };
}

/** Explains an exception of `navigator.credentials`. If the options of the call are unknown, lists the most likely causes for any call. */
function explainException({ row: { from, source, version } }: FoundText, about: Exception, text: string, beside: Beside): KnownError {
  const { rpId, origins, options = rpId === undefined ? {} : { rp: { id: rpId }, rpId } } = beside;
  const [, said = ''] = new RegExp(`${about.exception}["']?[:,]\\s*(?:["']?message["']?:\\s*)?["']?([^\\n"]*)`).exec(text) ?? [];
  const isCreate =
    about.call === 'create' || 'pubKeyCredParams' in options || (/create\b|regist|exclude/i.test(text) && !('allowCredentials' in options));
  const thrown = {
    name: about.exception,
    message: said,
    call: isCreate ? 'create' : 'get',
    mediation: undefined,
    milliseconds: AT_ONCE,
    options,
  } as const;
  const { title, causes, next } = explainBrowserError(
    failedCall(thrown, { ...UNSEEN, permitted: about.permitted, origin: origins?.[0] ?? '' }),
  );
  return {
    from,
    title,
    causes: causes.filter((cause) => cause !== ''),
    next,
    step: null,
    expectations: [],
    source: `${source}, ${version}`,
  };
}
