import { GIVEN } from '../variables.js';
import type { RecordedExchange } from './exchanges.js';
import { type Found, LEAST_TAKEN, listValues } from './sources.js';

/** An answer that has a value which a later request sends back. */
export interface Provider {
  /** Index of the exchange. */
  readonly index: number;
  readonly found: Found;
}

export interface Provenance {
  /**
   * The last answer before `before` that has the value. Words that any request could hold come from no answer, unless the request calls them a token
   * or the like.
   */
  findProvider(value: string, key: string, before: number): Provider | undefined;
}

const CARRIED = /token|csrf|xsrf|state|flow|nonce|session|ticket|code|challenge|execution|key|id$/i;
/** `public-key`, `Sign in`: no value that was made up for one run. */
const WORDS = /^[A-Za-z]+(?:[-_. /:][A-Za-z]+)*$/;

/** Finds the origins of the values of a recording. */
export function createProvenance(exchanges: readonly RecordedExchange[]): Provenance {
  const providers = new Map<string, Provider[]>();
  for (const [index, exchange] of exchanges.entries()) {
    for (const found of listValues(exchange)) {
      const known = providers.get(found.value);
      if (known === undefined) providers.set(found.value, [{ index, found }]);
      else if (known.at(-1)?.index !== index) known.push({ index, found });
    }
  }
  return {
    findProvider(value, key, before) {
      const isLong = value.length >= LEAST_TAKEN && (!WORDS.test(value) || CARRIED.test(key));
      const provider = providers.get(value)?.findLast(({ index }) => index < before);
      return isLong || (provider && /id$/i.test(key) && /id$/i.test(provider.found.name)) ? provider : undefined;
    },
  };
}

/** Reserved names: the variables of every profile, and values taken for the tool itself. */
const RESERVED = new Set([...GIVEN, 'options', 'code', 'step']);

/** The values that are taken from each answer, with their names. */
interface Takes {
  /** The name of the variable. */
  nameOf(provider: Provider): string;
  /** `take` of an exchange. */
  of(index: number): Readonly<Record<string, string>>;
}

/** The same source has the same name wherever it is taken: a later answer renews the value. */
export function createTakes(): Takes {
  const names = new Map<string, string>();
  const taken = new Map<number, Record<string, string>>();
  function nameOf({ index, found }: Provider): string {
    const name = names.get(found.source) ?? freeName(found.name, new Set(names.values()));
    names.set(found.source, name);
    taken.set(index, { ...taken.get(index), [name]: found.source });
    return name;
  }
  return { nameOf, of: (index) => taken.get(index) ?? {} };
}

function freeName(text: string, used: ReadonlySet<string>): string {
  const words = text.split(/[^A-Za-z0-9]+/).filter((word) => word !== '');
  const camel = words.map((word, at) => (at === 0 ? word.charAt(0).toLowerCase() : word.charAt(0).toUpperCase()) + word.slice(1)).join('');
  const base = /^[a-z]/.test(camel) ? camel : `value${camel}`;
  for (let number = 1; ; number += 1) {
    const name = number === 1 ? base : `${base}${number}`;
    if (!RESERVED.has(name) && !used.has(name)) return name;
  }
}
