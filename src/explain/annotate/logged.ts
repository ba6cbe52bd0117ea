import { countValues, isWithinDepth, MAX_JSON_LEVELS, MAX_JSON_VALUES } from '../../kernel/json-value.js';
import { encodeBase64url } from '../../webauthn/base64url.js';
import { readHex } from '../../webauthn/text-encoding.js';

/**
 * Reads the objects in text that is not JSON as a whole: an object inside a log line, several objects in a row, or objects as printed by
 * `console.log` of Node. Skips objects that cannot be read.
 */
export function readLogged(text: string): unknown[] {
  return findObjects(text).flatMap(readLiteral);
}

/** Reads an object that is written as JSON, printed by Node, or written as a literal in a script; empty for any other text. */
export function readLiteral(text: string): unknown[] {
  const read = parseLiteral(text);
  return read.filter((value) => isWithinDepth(value, MAX_JSON_LEVELS) && countValues(value, MAX_JSON_VALUES) <= MAX_JSON_VALUES);
}

function parseLiteral(text: string): unknown[] {
  try {
    return [JSON.parse(text)];
  } catch {
    return readPrinted(text);
  }
}

/** Finds the outermost pairs of braces in a text. Returns the text of each pair, including the braces. */
function findObjects(text: string): string[] {
  const found: string[] = [];
  let [depth, start, quote] = [0, 0, ''];
  for (let index = 0; index < text.length; index += 1) {
    const character = text.charAt(index);
    if (quote !== '') {
      if (character === '\\') index += 1;
      else if (character === quote) quote = '';
    } else if (character === '{') {
      if (depth === 0) start = index;
      depth += 1;
    } else if (depth > 0 && (character === '"' || character === "'")) {
      quote = character;
    } else if (depth > 0 && character === '}') {
      depth -= 1;
      if (depth === 0) found.push(text.slice(start, index + 1));
    }
  }
  return found;
}

/**
 * Matches the parts of a printed object: a string, a comma after the last member, the class name before an object or list, the name of a
 * member, a mark for something omitted, or a value that JSON does not have.
 */
const PRINTED =
  /'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"|,(?=\s*[}\]])|(?<![\w$])[A-Za-z_$][\w$]*(?:(?:\(\d+\))? (?=[[{])|(?=\s*:))|\[(?:Object|Array)\]|\bundefined\b|<\w+(?: [\da-f]{2})+>/g;

/**
 * Reads an object as Node's `util.inspect` prints it, or as a script writes it. Members that `inspect` omitted because of their depth
 * (`[Object]`) become empty.
 */
function readPrinted(text: string): unknown[] {
  try {
    return [JSON.parse(text.replaceAll(PRINTED, writeToken))];
  } catch {
    return [];
  }
}

function writeToken(token: string): string {
  if (/^['"]/.test(token)) return JSON.stringify(token.slice(1, -1).replaceAll(/\\(.)/g, '$1'));
  if (token.endsWith(' ') || token === ',') return '';
  switch (token) {
    case 'undefined':
      return 'null';
    case '[Object]':
      return '{}';
    case '[Array]':
      return '[]';
    default:
      return JSON.stringify(
        token.startsWith('<') ? encodeBase64url(readHex(token.slice(token.indexOf(' '), -1))?.bytes ?? NO_BYTES) : token,
      );
  }
}

const NO_BYTES = new Uint8Array();
