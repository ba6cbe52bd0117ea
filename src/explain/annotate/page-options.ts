import { isObject, type JsonObject } from '../../kernel/json-value.js';
import { readLiteral } from './logged.js';

/** Matches the `challenge` member of options in a page, whether in a script, in JSON or in an attribute. */
const CHALLENGE = /(?<![\w$])["']?challenge["']?\s*:\s*["']/g;
const MAX_PLACES = 20;
/** Maximum length of the options in a page, in characters. The script around the options may be longer. */
const MAX_LENGTH = 65_536;
const ENTITIES: Readonly<Record<string, string>> = {
  quot: '"',
  '#34': '"',
  '#39': "'",
  '#x27': "'",
  apos: "'",
  amp: '&',
  lt: '<',
  gt: '>',
};

/** Finds objects with a challenge in an HTML page: in a script, in JSON, or in an attribute. */
export function* readPageOptions(html: string): Generator<JsonObject> {
  if (!html.includes('challenge')) return;
  const text = html.replaceAll(/&(quot|#34|#39|#x27|apos|amp|lt|gt);/gi, (_, name: string) => ENTITIES[name.toLowerCase()] ?? '');
  for (const { index } of [...text.matchAll(CHALLENGE)].slice(0, MAX_PLACES)) {
    const literal = findObject(text, index);
    for (const object of literal === undefined ? [] : readLiteral(literal)) {
      if (isObject(object)) yield readKeycloak(object) ?? object;
    }
  }
}

/** Finds the innermost object that contains a position, by matching braces. */
function findObject(text: string, place: number): string | undefined {
  const start = matchBrace(text, place, -1);
  const end = start === undefined ? undefined : matchBrace(text, start, 1);
  return start === undefined || end === undefined ? undefined : text.slice(start, end + 1);
}

/**
 * Finds the brace that opens the object around a position, or the brace that closes the object that starts there. Assumes that braces
 * inside strings are paired.
 */
function matchBrace(text: string, from: number, step: 1 | -1): number | undefined {
  let depth = step === 1 ? 0 : 1;
  for (let at = from; at >= 0 && at < text.length && Math.abs(at - from) < MAX_LENGTH; at += step) {
    const character = text[at];
    if (character === '{') depth += step;
    else if (character === '}') depth -= step;
    else continue;
    if (depth === 0) return at;
  }
  return undefined;
}

/** Converts creation options from the format that Keycloak uses in its pages. */
function readKeycloak({ challenge, userid, username, rpId, ...others }: JsonObject): JsonObject | undefined {
  const { signatureAlgorithms: listed, rpEntityName, userVerificationRequirement: level, excludeCredentialIds: excluded } = others;
  if (listed === undefined || userid === undefined) return undefined;
  const algorithms = (Array.isArray(listed) ? listed : String(listed).split(',')).map(Number);
  const ids = typeof excluded === 'string' && excluded !== '' ? excluded.split(',') : [];
  return {
    challenge,
    rp: { ...(typeof rpId === 'string' && rpId !== '' && { id: rpId }), name: rpEntityName },
    user: { id: userid, name: username, displayName: username },
    pubKeyCredParams: algorithms.map((alg) => ({ type: 'public-key', alg })),
    excludeCredentials: ids.map((id) => ({ type: 'public-key', id })),
    ...(typeof level === 'string' && level !== 'not specified' && { authenticatorSelection: { userVerification: level } }),
  };
}
