import { isObject } from '../../kernel/json-value.js';
import { ALGORITHMS, algorithmName, findAlgorithm } from '../../webauthn/algorithms.js';
import { type Advice, advise } from './advice.js';

const ES256 = -7;
const RS256 = -257;
const POINTER = '/pubKeyCredParams';

type Remark = readonly [severity: 'warning' | 'note', why: string];

const REPEATED: Remark = ['warning', 'is listed twice; once is enough'];
/** Advice on algorithms that hardly any authenticator supports, or that should not be used. */
const REMARKS: Readonly<Record<number, Remark>> = {
  [-65535]: ['warning', 'is RSA with SHA-1, kept for old TPMs and not safe for anything new; remove it'],
  [-47]: [
    'warning',
    'is the curve of cryptocurrencies, which WebAuthn authenticators do not offer; remove it unless you know one that does',
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

/** Gives advice on `pubKeyCredParams` (WebAuthn L3 §5.4). */
export function* lintParameters(value: unknown): Generator<Advice> {
  if (!Array.isArray(value)) return yield advise('error', POINTER, 'An array is expected; without it create() throws a TypeError.');
  if (value.length === 0) {
    const better = 'name what your server verifies.';
    return yield advise('warning', POINTER, `An empty list means ES256 (-7) and RS256 (-257) by default; ${better}`);
  }
  const seen = new Set<unknown>();
  for (const [index, entry] of value.entries()) yield* lintEntry(`${POINTER}/${index}`, entry, seen);
  yield* lintCoverage(seen);
}

function* lintEntry(pointer: string, entry: unknown, seen: Set<unknown>): Generator<Advice> {
  if (!isObject(entry)) return yield advise('error', pointer, 'An object { type: "public-key", alg } is expected.');
  const { type, alg } = entry;
  if (type !== 'public-key') {
    yield advise('error', `${pointer}/type`, `"public-key" is expected; browsers skip ${JSON.stringify(type)}.`);
  }
  if (typeof alg !== 'number') {
    const number = typeof alg === 'string' && alg.trim() !== '' ? Number(alg) : Number.NaN;
    // It is there, if wrongly written: that it is missing would be another mistake.
    seen.add(Number.isInteger(number) ? number : ALGORITHMS.find(({ name }) => name === alg)?.id);
    const meant = Number.isInteger(number) ? `; write ${number} without quotes` : '; write the COSE number, such as -7 for ES256';
    return yield advise('error', `${pointer}/alg`, `A number is expected, got ${JSON.stringify(alg)}${meant}.`);
  }
  const [severity, why] = (seen.has(alg) ? REPEATED : REMARKS[alg]) ?? [];
  seen.add(alg);
  if (severity !== undefined) {
    yield advise(severity, `${pointer}/alg`, `${algorithmName(alg)} (${alg}) ${why}.`);
  } else if (findAlgorithm(alg) === undefined) {
    const what = `${alg}${alg > 0 ? ' is positive, and' : ''} is not a signature algorithm that WebAuthn knows`;
    const meant = findAlgorithm(-alg) === undefined ? 'ES256 is -7, RS256 is -257' : `did you mean ${-alg}`;
    yield advise('error', `${pointer}/alg`, `${what}; ${meant}.`);
  }
}

function* lintCoverage(ids: ReadonlySet<unknown>): Generator<Advice> {
  const has = (...wanted: readonly number[]) => wanted.some((id) => ids.has(id));
  const reach = 'add it to reach them.';
  if (!has(ES256, -9)) {
    yield advise('error', POINTER, 'ES256 (-7) is missing: most authenticators, and every U2F security key, have nothing else; add it.');
  } else if (!has(RS256, -8, -19, -35, -37)) {
    yield advise('warning', POINTER, `Only ES256 (-7) is offered: Windows Hello on older TPMs has only RS256 (-257); ${reach}`);
  } else if (!has(RS256)) {
    yield advise('note', POINTER, `RS256 (-257) is missing: Windows Hello on older TPMs has nothing else; ${reach}`);
  }
}
