import { expect } from 'vitest';

/** Members of different names that hold one fact. */
const ONE_FACT: readonly (readonly string[])[] = [
  ['id', 'rawId'],
  ['origin', 'origins'],
  ['rpId', 'rp id'],
];
const isOneFact = (one: string, other: string) => one === other || ONE_FACT.some((names) => names.includes(one) && names.includes(other));

type Found = Record<string, (readonly [name: string, value: unknown])[]>;

/** The values in a sample with the names of their members, by type. */
function listValues(sample: unknown, name = '', found: Found = {}): Found {
  if (sample instanceof Uint8Array) (found['bytes'] ??= []).push([name, Buffer.from(sample).toString('hex')]);
  else if (Array.isArray(sample)) for (const value of sample) listValues(value, name, found);
  else if (typeof sample === 'object' && sample !== null) {
    for (const [key, value] of Object.entries(sample)) listValues(value, name === 'rp' ? `rp ${key}` : key, found);
  } else if (sample !== undefined && sample !== null) (found[typeof sample] ??= []).push([name, sample]);
  return found;
}

/** Fails for a sample in which two members of one type have one value, or all switches stand one way: a test with it would not notice a mix-up. */
export function expectDistinctValues(sample: unknown): void {
  const { boolean: switches = [], ...values } = listValues(sample);
  for (const all of Object.values(values)) {
    for (const [name, value] of all) {
      expect(all.filter(([other, its]) => its === value && !isOneFact(name, other)).map(([other]) => `${name} = ${other}`)).toEqual([]);
    }
  }
  if (switches.length > 1) expect(new Set(switches.map(([, value]) => value))).toEqual(new Set([true, false]));
}
