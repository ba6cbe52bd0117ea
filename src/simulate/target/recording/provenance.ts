import { GIVEN } from '../variables.js';
import type { RecordedExchange } from './exchanges.js';
import { type Found, LEAST_TAKEN, listValues } from './sources.js';

/** A response that contains a value which a later request sends back to the server. */
export interface Provider {
  /** Index of the exchange in the recording. */
  readonly index: number;
  readonly found: Found;
}

export interface Provenance {
  /**
   * Finds the last response before the exchange `before` that contains the value. Does not search for ordinary words, unless the request
   * sends them under a name such as `token`.
   */
  findProvider(value: string, key: string, before: number): Provider | undefined;
}

const CARRIED = /token|csrf|xsrf|state|flow|nonce|session|ticket|code|challenge|execution|key|id$/i;
/** Matches ordinary words, such as `public-key` and `Sign in`, which a server does not generate anew for each run. */
const WORDS = /^[A-Za-z]+(?:[-_. /:][A-Za-z]+)*$/;

/** Makes an index of the values in a recording's responses, to find the response from which a later request got a value. */
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

/** Names that no new variable may have: variables that every profile has, and names with a special meaning in `take`. */
const RESERVED = new Set([...GIVEN, 'options', 'code', 'step']);

/** Values that a profile takes from each response, with the names of their variables. */
interface Takes {
  /** Chooses the name of the variable for a value, and records that the profile takes this value. */
  nameOf(provider: Provider): string;
  /** Returns the `take` entries for the exchange with this index. */
  of(index: number): Readonly<Record<string, string>>;
}

/**
 * Collects the values that a profile takes from responses. Values from the same source get the same variable name in every response, so
 * that a later response updates the variable.
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
