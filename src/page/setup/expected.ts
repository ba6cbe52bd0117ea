import { parseExpectation } from '../../explain/parse-expectation.js';
import type { JsonObject } from '../../kernel/json-value.js';
import type { ExpectationField } from '../../server/schemas/expectations.js';
import { listAt, stringAt } from '../json.js';

/** Strings keyed by the name of an expectation. */
type Texts = Readonly<Record<string, string>>;

/** Values that the user says the server expects. They apply to all pasted data. */
export interface Expected {
  /** Expected values as typed by the user. */
  readonly texts: Texts;
  /** Reasons why the server cannot read a value. The page does not send such a value until the user changes it. */
  readonly wrong: Texts;
}

export const NOTHING_EXPECTED: Expected = { texts: {}, wrong: {} };

/** Builds `expectations` for `POST /dev/explain` from those typed values that the server can read. */
export function makeExpectations({ texts, wrong }: Expected, fields: readonly ExpectationField[]): JsonObject {
  const entries = fields.flatMap(({ name, reads }) => {
    const text = texts[name]?.trim() ?? '';
    if (text === '' || wrong[name] !== undefined) return [];
    return [[name, name === 'roots' ? [text] : parseExpectation(reads, text)] as const];
  });
  return Object.fromEntries(entries);
}

/** Finds the expectations that a problem document of `POST /dev/explain` reports, each with its mistake. */
export function findWrong(problem: unknown): Texts {
  const named = listAt(problem, 'errors').flatMap((error) => {
    const [, name] = /^\/expectations\/(\w+)/.exec(stringAt(error, 'pointer') ?? '') ?? [];
    return name === undefined ? [] : [[name, stringAt(error, 'detail') ?? ''] as const];
  });
  return Object.fromEntries(named);
}

/** Names of the expectations that the page never writes to the address. */
const SECRET = ['challenge', 'publicKey', 'roots'];
const PREFIX = 'expect.';

/** Writes the expectations as a fragment without `#`, such as `expect.origin=…`; empty if there are none. */
export function expectedToFragment({ texts }: Expected): string {
  const kept = Object.entries(texts).filter(([name, text]) => text !== '' && !SECRET.includes(name));
  return new URLSearchParams(Object.fromEntries(kept.map(([name, text]) => [`${PREFIX}${name}`, text]))).toString();
}

export function expectedFromFragment(fragment: string): Expected {
  const parameters = [...new URLSearchParams(fragment.replace(/^#/, ''))];
  const texts = parameters.filter(([name]) => name.startsWith(PREFIX)).map(([name, text]) => [name.slice(PREFIX.length), text]);
  return { texts: Object.fromEntries(texts), wrong: {} };
}
