import { parseExpectation } from '../../explain/parse-expectation.js';
import type { JsonObject } from '../../kernel/json-value.js';
import type { ExpectationField } from '../../server/schemas/expectations.js';
import { listAt, stringAt } from '../json.js';

/** By the name of the expectation. */
type Texts = Readonly<Record<string, string>>;

/** Expectations of the user's server, for all that is pasted. */
export interface Expected {
  /** As typed. */
  readonly texts: Texts;
  /** Why the server cannot read one. It is left out until it is changed. */
  readonly wrong: Texts;
}

export const NOTHING_EXPECTED: Expected = { texts: {}, wrong: {} };

/** `expectations` of `POST /dev/explain`: the readable ones that the user has typed. */
export function makeExpectations({ texts, wrong }: Expected, fields: readonly ExpectationField[]): JsonObject {
  const entries = fields.flatMap(({ name, reads }) => {
    const text = texts[name]?.trim() ?? '';
    if (text === '' || wrong[name] !== undefined) return [];
    return [[name, name === 'roots' ? [text] : parseExpectation(reads, text)] as const];
  });
  return Object.fromEntries(entries);
}

/** The expectations that a problem document of `POST /dev/explain` names, each with its mistake. */
export function findWrong(problem: unknown): Texts {
  const named = listAt(problem, 'errors').flatMap((error) => {
    const [, name] = /^\/expectations\/(\w+)/.exec(stringAt(error, 'pointer') ?? '') ?? [];
    return name === undefined ? [] : [[name, stringAt(error, 'detail') ?? ''] as const];
  });
  return Object.fromEntries(named);
}

/** Expectations that stay out of the address. */
const SECRET = ['challenge', 'publicKey', 'roots'];
const PREFIX = 'expect.';

/** A fragment without `#`, such as `expect.origin=…`; empty for none. */
export function expectedToFragment({ texts }: Expected): string {
  const kept = Object.entries(texts).filter(([name, text]) => text !== '' && !SECRET.includes(name));
  return new URLSearchParams(Object.fromEntries(kept.map(([name, text]) => [`${PREFIX}${name}`, text]))).toString();
}

export function expectedFromFragment(fragment: string): Expected {
  const parameters = [...new URLSearchParams(fragment.replace(/^#/, ''))];
  const texts = parameters.filter(([name]) => name.startsWith(PREFIX)).map(([name, text]) => [name.slice(PREFIX.length), text]);
  return { texts: Object.fromEntries(texts), wrong: {} };
}
