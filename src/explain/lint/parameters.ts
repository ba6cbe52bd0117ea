import { isObject } from '../../kernel/json-value.js';
import { algorithmName, findAlgorithm } from '../../webauthn/algorithms.js';
import { type Advice, advise } from './advice.js';

const ES256 = -7;
const RS256 = -257;
const POINTER = '/pubKeyCredParams';

/** Advice on an algorithm that hardly any authenticator has, or none should. */
const REMARKS: Readonly<Record<number, readonly ['warning' | 'note', string]>> = {
  [-65535]: ['warning', 'is RSA with SHA-1, kept for old TPMs and not safe for anything new; take it away'],
  [-47]: [
    'warning',
    'is the curve of cryptocurrencies, which WebAuthn authenticators do not offer; take it away unless you know one that does',
  ],
  [-37]: ['note', 'is offered by hardly any authenticator; RS256 (-257) is what Windows Hello has'],
  [-38]: ['note', 'is offered by hardly any authenticator'],
  [-39]: ['note', 'is offered by hardly any authenticator'],
  [-258]: ['note', 'is offered by hardly any authenticator'],
  [-259]: ['note', 'is offered by hardly any authenticator'],
  [-9]: ['note', 'is ES256 (-7) under its new name; authenticators know the old one, so offer that first'],
  [-19]: ['note', 'is EdDSA (-8) under its new name; authenticators know the old one, so offer that as well'],
  [-51]: ['note', 'is ES384 (-35) under its new name; authenticators know the old one, so offer that as well'],
  [-52]: ['note', 'is ES512 (-36) under its new name; authenticators know the old one, so offer that as well'],
  [-48]: ['note', 'is post-quantum; few authenticators have it, and Node before 24 cannot verify it'],
  [-49]: ['note', 'is post-quantum; few authenticators have it, and Node before 24 cannot verify it'],
  [-50]: ['note', 'is post-quantum; few authenticators have it, and Node before 24 cannot verify it'],
};

/** `pubKeyCredParams` (WebAuthn L3 §5.4). */
export function lintParameters(value: unknown): Advice[] {
  if (!Array.isArray(value)) {
    return [advise('error', POINTER, 'An array is expected; without it create() throws a TypeError.')];
  }
  if (value.length === 0) {
    return [advise('warning', POINTER, 'An empty list means ES256 (-7) and RS256 (-257) by default; name what your server verifies.')];
  }
  const ids = value.map((entry: unknown) => (isObject(entry) ? entry['alg'] : undefined));
  const seen = new Set<unknown>();
  const entries = value.flatMap((entry: unknown, index) => {
    const id = ids[index];
    const repeated = seen.has(id);
    seen.add(id);
    return lintEntry(`${POINTER}/${index}`, entry, repeated);
  });
  return [...entries, ...lintCoverage(ids)];
}

function lintEntry(pointer: string, entry: unknown, repeated: boolean): Advice[] {
  if (!isObject(entry)) {
    return [advise('error', pointer, 'An object { type: "public-key", alg } is expected.')];
  }
  const { type, alg } = entry;
  const wrongType =
    type === 'public-key' ? [] : [advise('error', `${pointer}/type`, `"public-key" is expected; browsers skip ${JSON.stringify(type)}.`)];
  if (typeof alg !== 'number') {
    const number = typeof alg === 'string' && alg.trim() !== '' ? Number(alg) : Number.NaN;
    const meant = Number.isInteger(number) ? `; write ${number} without quotes` : '; write the COSE number, such as -7 for ES256';
    return [...wrongType, advise('error', `${pointer}/alg`, `A number is expected, got ${JSON.stringify(alg)}${meant}.`)];
  }
  const name = `${algorithmName(alg)} (${alg})`;
  if (repeated) {
    return [...wrongType, advise('warning', `${pointer}/alg`, `${name} stands here twice; once is enough.`)];
  }
  const remark = REMARKS[alg];
  if (remark !== undefined) {
    return [...wrongType, advise(remark[0], `${pointer}/alg`, `${name} ${remark[1]}.`)];
  }
  return findAlgorithm(alg) === undefined
    ? [
        ...wrongType,
        advise(
          'error',
          `${pointer}/alg`,
          `${alg}${alg > 0 ? ' is positive, and' : ''} is no signature algorithm that WebAuthn knows; ${findAlgorithm(-alg) === undefined ? 'ES256 is -7, RS256 is -257' : `did you mean ${-alg}`}.`,
        ),
      ]
    : wrongType;
}

function lintCoverage(ids: readonly unknown[]): Advice[] {
  const has = (...wanted: readonly number[]) => wanted.some((id) => ids.includes(id));
  if (!has(ES256, -9)) {
    return [advise('error', POINTER, 'ES256 (-7) is missing: most authenticators, and every U2F security key, have nothing else; add it.')];
  }
  return has(RS256, -8, -19, -35, -37)
    ? has(RS256)
      ? []
      : [advise('note', POINTER, 'RS256 (-257) is missing: Windows Hello on older TPMs has nothing else; add it to reach them.')]
    : [advise('warning', POINTER, 'Only ES256 (-7) is offered: Windows Hello on older TPMs has only RS256 (-257); add it to reach them.')];
}
