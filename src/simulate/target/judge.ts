import { isDeepStrictEqual } from 'node:util';
import { isObject } from '../../kernel/json-value.js';
import type { Scope } from './expression.js';
import { toText } from './path.js';
import { parseSource, type Source, type SourceAnswer } from './source.js';
import { compileText, type OnExpression } from './template.js';

/** Checks whether a value satisfies one condition of the profile for acceptance or refusal. */
type Matcher = (value: unknown, scope: Scope) => boolean;

interface Condition {
  readonly source: Source;
  readonly matches: Matcher;
}

/** Conditions for acceptance or refusal, grouped into sets. The judgement applies if all conditions of at least one set hold. */
export type Judgement = readonly (readonly Condition[])[];

/**
 * Compiles the conditions of `accept` or `refuse`.
 *
 * @throws PasskeyError `configuration_invalid`
 */
export function compileJudgement(judgement: unknown, onExpression: OnExpression): Judgement {
  const sets: readonly unknown[] = Array.isArray(judgement) ? judgement : [judgement];
  return sets.map((set) =>
    Object.entries(isObject(set) ? set : {}).map(([text, value]) => {
      const source = parseSource(text);
      return { source, matches: compileMatcher(value, source, onExpression) };
    }),
  );
}

/** Whether a value is present. Null counts as absent, because many APIs write null for an absent value. */
const isPresent = (value: unknown): boolean => value !== undefined && value !== null;

function compileMatcher(written: unknown, source: Source, onExpression: OnExpression): Matcher {
  if (Array.isArray(written)) {
    const any = written.map((one: unknown) => compileMatcher(one, source, onExpression));
    return (value, scope) => any.some((matches) => matches(value, scope));
  }
  if (written === '*') return isPresent;
  if (written === '-') return (value) => !isPresent(value);
  if (typeof written !== 'string') return (value) => isDeepStrictEqual(value, written);
  if (source.kind === 'status' && /^[1-5]xx$/.test(written)) return (value) => String(value).charAt(0) === written.charAt(0);
  const template = compileText(written, onExpression);
  // A text that is taken or made up compares with numbers as well.
  return template.constant
    ? (value, scope) => value === template.render(scope)
    : (value, scope) => toText(value) === template.render(scope);
}

/**
 * Outcome of a request. `unclear` means that the response matches neither the profile's conditions for acceptance nor those for refusal.
 */
type Judged = 'accepted' | 'refused' | 'failed' | 'unclear';

export interface Judgements {
  readonly accept: Judgement;
  /** Conditions for refusal. Undefined: every response that is neither an acceptance nor a failure of the target is a refusal. */
  readonly refuse: Judgement | undefined;
}

/** HTTP status 429 (RFC 6585 §4). */
const TOO_MANY_REQUESTS = 429;

/**
 * Judges a response by the profile's conditions. A response that satisfies the conditions for both refusal and acceptance is a refusal. If
 * it satisfies neither, status 5xx or 429 counts as a failure of the target; status 429 says nothing about the request.
 *
 * @throws AbsentVariable, PasskeyError `configuration_invalid`
 */
export async function judge({ accept, refuse }: Judgements, answer: SourceAnswer, scope: Scope): Promise<Judged> {
  if (refuse !== undefined && (await holds(refuse, answer, scope))) return 'refused';
  if (await holds(accept, answer, scope)) return 'accepted';
  if (answer.status >= 500 || answer.status === TOO_MANY_REQUESTS) return 'failed';
  return refuse === undefined || (answer.status >= 400 && answer.status < 500) ? 'refused' : 'unclear';
}

async function holds(judgement: Judgement, answer: SourceAnswer, scope: Scope): Promise<boolean> {
  for (const set of judgement) {
    const results = await Promise.all(set.map(async ({ source, matches }) => matches(await source.read(answer), scope)));
    if (results.every(Boolean)) return true;
  }
  return false;
}
