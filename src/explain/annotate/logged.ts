import { countValues, isWithinDepth, MAX_JSON_LEVELS, MAX_JSON_VALUES } from '../../kernel/json-value.js';
import { encodeBase64url } from '../../webauthn/base64url.js';
import { readHex } from '../../webauthn/text-encoding.js';

/**
 * Objects in a text that is not JSON as a whole: in a log line, several after each other, or as `console.log` of Node prints them. Those that
 * cannot be read are passed over.
 */
export function readLogged(text: string): unknown[] {
  return findObjects(text).flatMap(readLiteral);
}

/** An object written as JSON, by Node, or as a literal in a script; empty for any other text. */
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

/** The outermost pairs of braces in a text, with their contents. */
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
 * The parts of a printed object: strings; a comma after the last member; the class before an object or list; the name of a member; the
 * marker of a cut; values that JSON lacks.
 */
const PRINTED =
  /'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"|,(?=\s*[}\]])|(?<![\w$])[A-Za-z_$][\w$]*(?:(?:\(\d+\))? (?=[[{])|(?=\s*:))|\[(?:Object|Array)\]|\bundefined\b|<\w+(?: [\da-f]{2})+>/g;

/** An object as Node's `util.inspect` prints it, or as a script writes it. Members that it cut for their depth (`[Object]`) are empty. */
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
