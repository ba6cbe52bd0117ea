import { plainBase64 } from '../../../explain/annotate/har-entries.js';
import { isObject, type JsonObject } from '../../../kernel/json-value.js';
import { listAttributes, listScripts } from '../html.js';
import { isPage, type RecordedExchange } from './exchanges.js';
import { findParent, jsonInText, type Leaf, lastKey, listLeaves, type Step, valueAt } from './leaves.js';
import { escapePattern, jsonSource } from './sources.js';

/** Options in a recorded response, and how a profile takes them from there. */
export interface RecordedOptions {
  /** Index of the exchange in the recording. */
  readonly index: number;
  readonly source: string;
  /** Whether a run finds the options in this response by itself, so that the profile needs no `take`. */
  readonly isUsual: boolean;
  readonly json: JsonObject;
}

/**
 * Finds the last response before the exchange `before` with options that contain this challenge. `elsewhere` is a response that contains
 * the challenge without options around it.
 */
export function findOptions(
  exchanges: readonly RecordedExchange[],
  challenge: string,
  before: number,
): { readonly options?: RecordedOptions; readonly elsewhere?: RecordedExchange } {
  let elsewhere: RecordedExchange | undefined;
  const wanted = plainBase64(challenge);
  for (let index = before - 1; index >= 0; index -= 1) {
    const exchange = exchanges[index];
    if (exchange === undefined) continue;
    const found = isObject(exchange.json) || Array.isArray(exchange.json) ? inJson(exchange.json, wanted) : inPage(exchange, wanted);
    if (found !== undefined) return { options: { index, ...found } };
    if (listSpellings(wanted).some((each) => exchange.text.includes(each))) elsewhere ??= exchange;
  }
  return elsewhere === undefined ? {} : { elsewhere };
}

type Taken = Omit<RecordedOptions, 'index'>;

function inJson(root: unknown, challenge: string): Taken | undefined {
  const leaf = listLeaves(root).find((each) => isChallenge(each, challenge));
  const parent = leaf && findParent(root, leaf);
  if (parent === undefined) return undefined;
  const isUsual = parent.path.length === 0 || (parent.path.length === 1 && lastKey(parent.path) === 'publicKey');
  return { source: jsonSource(root, parent.path), isUsual, json: parent.value };
}

const isChallenge = ({ path, value }: Leaf, challenge: string): boolean =>
  typeof value === 'string' && lastKey(path) === 'challenge' && plainBase64(value) === challenge;

/** Finds options in an HTML page: as JSON in an attribute, as a JSON script, or in an assignment in a script. */
function inPage(exchange: RecordedExchange, challenge: string): Taken | undefined {
  if (!isPage(exchange)) return undefined;
  for (const { selector, attribute, value } of listAttributes(exchange.text)) {
    const found = inText(value, challenge, `html ${selector} @${attribute} | json`);
    if (found !== undefined) return found;
  }
  for (const { selector, text } of listScripts(exchange.text)) {
    const found =
      (selector === undefined ? undefined : inText(text, challenge, `html ${selector} | json`)) ??
      assignedIn(text, challenge, exchange.text);
    if (found !== undefined) return found;
  }
  return undefined;
}

function inText(text: string, challenge: string, source: string): Taken | undefined {
  const root = jsonInText(text);
  const leaf = listLeaves(root).find((each) => isChallenge(each, challenge));
  const parent = leaf && findParent(root, leaf);
  return parent && { source: `${source}${atPath(root, parent.path)}`, isUsual: false, json: parent.value };
}

function atPath(root: unknown, path: readonly Step[]): string {
  const source = jsonSource(root, path);
  return valueAt(root, path) === root ? '' : ` | at ${source.replace(/^json /, '')}`;
}

const ASSIGNMENT = /([\w$.]+["']?\s*[:=(]\s*)(?=[{[])/g;

/**
 * Finds options in an assignment such as `const options = {…};`. Checks that the pattern for the profile finds the same options on the
 * page.
 */
function assignedIn(script: string, challenge: string, page: string): Taken | undefined {
  if (!listSpellings(challenge).some((each) => script.includes(each))) return undefined;
  for (const { 0: start, index } of script.matchAll(ASSIGNMENT)) {
    const json = balanced(script, index + start.length);
    if (json === undefined) continue;
    const end = script.slice(index + start.length + json.length).match(/^\s*[;,)<\n]?/)?.[0] ?? '';
    const pattern = `${escapePattern(start)}([{[][\\s\\S]*?[}\\]])${escapePattern(end)}`;
    if (new RegExp(pattern).exec(page)?.[1] !== json) continue;
    const found = inText(json, challenge, `text | match /${pattern}/ | json`);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** Returns the JSON object or list that begins at `start`, up to its closing bracket. Undefined if the bracket is missing. */
function balanced(text: string, start: number): string | undefined {
  let depth = 0;
  let quoted = false;
  for (let at = start; at < text.length; at += 1) {
    const character = text[at];
    if (quoted) {
      if (character === '\\') at += 1;
      else if (character === '"') quoted = false;
    } else if (character === '"') quoted = true;
    else if (character === '{' || character === '[') depth += 1;
    else if (character === '}' || character === ']') {
      depth -= 1;
      if (depth === 0) return text.slice(start, at + 1);
    }
  }
  return undefined;
}

/** Lists a challenge in the alphabets of base64url and base64. Padding is left out, because it does not matter for a search. */
function listSpellings(challenge: string): readonly string[] {
  return [challenge, challenge.replaceAll('-', '+').replaceAll('_', '/')];
}
