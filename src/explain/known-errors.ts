import type { KnownError } from './document-schema.js';
import { EXPECTATION_MEMBERS } from './expectation-members.js';
import { LIBRARY_ERRORS, MEANINGS, type Meaning } from './library-errors.js';
import { findFix } from './library-fixes.js';

/** The known errors of libraries in a text, such as the body of an answer: one for each step. They suggest; they never decide. */
export function findLibraryErrors(text: string): KnownError[] {
  // In JSON its quotes are escaped.
  const plain = text.replaceAll('\\"', '"');
  const byStep = new Map<string, KnownError>();
  for (const { library, pattern, meaning, source } of LIBRARY_ERRORS) {
    const groups = pattern.exec(plain);
    const { step, title, causes, next, requiresUv }: Meaning = MEANINGS[meaning];
    if (groups === null || byStep.has(step)) continue;
    const named = Object.entries(groups.groups ?? {}).flatMap(([member, value]) => readValues(member, value));
    const expectations = requiresUv === true ? [suggest('requireUserVerification', 'true')] : named;
    const option = findFix(library, step) ?? 'the setting of your library';
    byStep.set(step, { from: library, title, causes: [...causes], next: next.replace('{option}', option), step, expectations, source });
  }
  return [...byStep.values()];
}

const ORIGIN = /^(?:https?:\/\/[^/\s]+|android:apk-key-hash:\S+)$/;
const NUMBER = /^-?\d+$/;

/** The values that a group holds: one or a list. */
function readValues(member: string, text: string | undefined): KnownError['expectations'] {
  const isOrigin = member === 'origin' || member === 'topOrigin';
  const values = (text ?? '').split(/[\s,'"]+/).filter((value) => (isOrigin ? ORIGIN : NUMBER).test(value));
  if (member === 'algorithms') return values.length === 0 ? [] : [suggest(member, values.join(','))];
  return values.map((value) => suggest(member, value));
}

/** An expectation as it is given to `explain`. A flag without a value is a switch. */
function suggest(member: string, value: string): KnownError['expectations'][number] {
  const [, { flag }] = Object.entries(EXPECTATION_MEMBERS).find(([name]) => name === member) ?? [member, { flag: member }];
  const [name = flag, placeholder] = flag.split(' ');
  return { member, value, flag: placeholder === undefined ? name : `${name} ${value}` };
}
