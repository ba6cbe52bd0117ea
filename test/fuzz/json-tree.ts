import { isObject, type JsonObject } from '../../src/kernel/json-value.js';
import type { Random } from './random.js';

/** Values that fit nowhere, or only just. */
export const ODD_VALUES: readonly unknown[] = [
  null,
  true,
  0,
  -1,
  1.5,
  2 ** 31,
  2 ** 53,
  1e308,
  '',
  ' ',
  '\u0000',
  '\ud800',
  '‮\u00ad\u3164',
  'AAAA',
  'AAAA=',
  'A',
  '====',
  'x'.repeat(300),
  'null',
  'webauthn.get',
  'public-key',
  'https://example.org',
  'http://[::1]:99999',
  '2026-02-30T25:61:61Z',
  '2026-01-15T10:30:00.000000Z',
  [],
  [null],
  [[[[]]]],
  {},
  { toString: 1, valueOf: 1 },
  { type: 'Buffer', data: [1, 2, 300] },
  { 0: 1, 1: 2 },
];
const ODD_NAMES = ['__proto__', 'constructor', 'toString', '', 'id', 'type', 'response', '/~0', '\ud800', 'x'.repeat(100)] as const;

type Path = readonly (string | number)[];

/** The places of all values, the whole one first. */
export function pathsOf(value: unknown): Path[] {
  const found: [Path, unknown][] = [[[], value]];
  for (const [path, at] of found) {
    if (Array.isArray(at)) at.forEach((item, index) => found.push([[...path, index], item]));
    else if (isObject(at)) for (const [name, item] of Object.entries(at)) found.push([[...path, name], item]);
  }
  return found.map(([path]) => path);
}

export function valueAt(value: unknown, path: Path): unknown {
  let at = value;
  for (const step of path) at = Array.isArray(at) || isObject(at) ? (at as JsonObject)[step] : undefined;
  return at;
}

/** A copy with `change` at a place; undefined removes it. */
export function withValue(value: unknown, path: Path, change: unknown): unknown {
  const [step, ...rest] = path;
  if (step === undefined) return change;
  if (Array.isArray(value)) {
    const index = Number(step);
    return rest.length === 0 && change === undefined ? value.toSpliced(index, 1) : value.with(index, withValue(value[index], rest, change));
  }
  const entries = Object.entries(isObject(value) ? value : {});
  return Object.fromEntries(
    entries.flatMap(([name, item]) => {
      if (name !== step) return [[name, item]];
      const changed = withValue(item, rest, change);
      return changed === undefined ? [] : [[name, changed]];
    }),
  );
}

/** Changes one place; `text` changes a string in a way that fits it, e.g. the CBOR inside base64url. */
export function mutateJson(value: unknown, random: Random, text: (text: string, random: Random) => string): unknown {
  const paths = pathsOf(value);
  const path = random.pick(paths);
  const at = valueAt(value, path);
  switch (random.below(7)) {
    case 0:
      return withValue(value, path, undefined) ?? null;
    case 1:
      return withValue(value, path, random.pick(ODD_VALUES));
    case 2:
      return withValue(value, path, valueAt(value, random.pick(paths)) ?? null);
    case 3:
      if (Array.isArray(at)) return withValue(value, path, [...at, ...at]);
      if (isObject(at)) return withValue(value, path, { ...at, [random.pick(ODD_NAMES)]: random.pick(ODD_VALUES) });
      return withValue(value, path, [at]);
    case 4:
      return withValue(value, path, typeof at === 'number' ? random.pick([-at, at + 1, at * 2 ** 32, at + 0.5]) : random.pick(ODD_VALUES));
    default: {
      const texts = paths.filter((candidate) => typeof valueAt(value, candidate) === 'string');
      if (texts.length === 0) return withValue(value, path, random.pick(ODD_VALUES));
      const place = random.pick(texts);
      return withValue(value, place, text(String(valueAt(value, place)), random));
    }
  }
}
