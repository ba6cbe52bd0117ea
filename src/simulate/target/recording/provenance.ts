import { GIVEN } from '../variables.js';
import type { RecordedExchange } from './exchanges.js';
import { type Found, LEAST_TAKEN, listValues } from './sources.js';

/** A response that contains a value which a later request sends back. */
export interface Provider {
  /** Index of the exchange in the recording. */
  readonly index: number;
  readonly found: Found;
}

export interface Provenance {
  /**
   * Finds the last response before the exchange `before` that contains the value. Ordinary words have no source, unless the request sends
   * them under a name such as `token`.
   */
  findProvider(value: string, key: string, before: number): Provider | undefined;
}

const CARRIED = /token|csrf|xsrf|state|flow|nonce|session|ticket|code|challenge|execution|key|id$/i;
/** Matches ordinary words, such as `public-key` and `Sign in`, which are not made up for one run. */
const WORDS = /^[A-Za-z]+(?:[-_. /:][A-Za-z]+)*$/;

/** Finds where the values in a recording come from. */
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

/** Reserved names: variables that every profile has, and values that the tool itself takes. */
const RESERVED = new Set([...GIVEN, 'options', 'code', 'step']);

/** Values that the profile takes from each response, with their names. */
interface Takes {
  /** Returns the name of the variable for a value. */
  nameOf(provider: Provider): string;
  /** Returns the `take` entries of an exchange. */
  of(index: number): Readonly<Record<string, string>>;
}

/**
 * Collects the values that a profile takes. A value from the same source has the same name wherever it is taken, so that a later response
 * updates it.
 */
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
