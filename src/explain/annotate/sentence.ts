import { isObject } from '../../kernel/json-value.js';
import { hexMistake } from '../../webauthn/text-encoding.js';

const WORD = /^[("'`[]*\p{L}{2,20}(?:['’-]\p{L}+)*[)\]"'`.,:;!?]*$/u;
const LEAST_WORDS = 2;
/** Matches the prefix of a log line, or the beginning of an error as programs print it. */
const LOG_PREFIX = /^\[[^\]{}"]*(?:\]\s*\S*\p{L}{2}|\p{L}+Error\b|\p{L}{2,} \p{L}{2,})/u;
/** Names of JSON members that describe an error. */
const SAYING = /^(?:errors?|message|msg|detail|details|title|reason|description|error_?(?:message|description)|debug)$/i;
const MAX_DEPTH = 5;

/**
 * Finds a sentence, such as an unknown error message, in a text that could not be recognised. Returns undefined for data that is cut off or
 * misspelt.
 */
export function findSentence(text: string): string | undefined {
  const start = text.trimStart();
  if (start.startsWith('{')) return findSaying(start);
  if (start.startsWith('[') && !LOG_PREFIX.test(start)) return undefined;
  return start.includes('-----BEGIN ') || hexMistake(start) !== undefined || !isSentence(start) ? undefined : start;
}

function isSentence(text: string): boolean {
  return text.split(/\s+/).filter((word) => WORD.test(word)).length >= LEAST_WORDS;
}

function findSaying(json: string): string | undefined {
  try {
    return searchSaying(JSON.parse(json), 0);
  } catch {
    return undefined;
  }
}

function searchSaying(value: unknown, depth: number): string | undefined {
  if (typeof value !== 'object' || value === null || depth > MAX_DEPTH) return undefined;
  for (const [name, member] of Object.entries(value)) {
    if (typeof member === 'string' && isSentence(member) && (SAYING.test(name) || !isObject(value))) return member;
    const found = SAYING.test(name) || depth === 0 || Array.isArray(value) ? searchSaying(member, depth + 1) : undefined;
    if (found !== undefined) return found;
  }
  return undefined;
}
