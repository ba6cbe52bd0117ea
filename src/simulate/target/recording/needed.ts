import type { CredentialPart } from './ceremonies.js';
import { cookiesSent, cookiesSet, type RecordedExchange } from './exchanges.js';
import { type Generalised, generalise, type Known } from './generalise.js';
import { lastKey } from './leaves.js';
import { isPasswordField, type RecordedUser, sentTexts } from './user.js';

/** Finds the requests of a recording on which other requests depend. */
export interface Needs {
  of(index: number): Generalised;
  /**
   * Lists the exchanges in `start` and all exchanges on which they depend, in order. Only earlier exchanges for which `mayUse` returns true
   * are added.
   */
  closure(start: readonly number[], mayUse: (index: number) => boolean): number[];
}

/**
 * Matches names of cookies that are unrelated to the session, because they identify a browser to a monitoring service or a load balancer.
 */
const FOREIGN_COOKIES = /^(?:_ga|_gid|_gcl|__cf|cf_|_hj|ajs_|amplitude|intercom|__stripe|optimizely|mp_|AWSALB|ARRAffinity|__utm)/;

export function createNeeds(
  exchanges: readonly RecordedExchange[],
  findParts: (index: number) => readonly CredentialPart[],
  known: Known,
): Needs {
  const done = new Map<number, Generalised>();

  function of(index: number): Generalised {
    const exchange = exchanges[index];
    if (exchange === undefined) throw new RangeError(`There is no exchange ${index}.`);
    const made = done.get(index) ?? generalise(exchange, index, findParts(index), known);
    done.set(index, made);
    return made;
  }

  function cookieProviders(index: number): number[] {
    const exchange = exchanges[index];
    return [...(exchange === undefined ? [] : cookiesSent(exchange))].flatMap(([name, value]) => {
      if (FOREIGN_COOKIES.test(name)) return [];
      const found = exchanges.findLastIndex((each, at) => at < index && cookiesSet(each).get(name) === value);
      return found === -1 ? [] : [found];
    });
  }

  function closure(start: readonly number[], mayUse: (index: number) => boolean): number[] {
    const needed = new Set(start);
    for (const index of needed) {
      for (const provider of [...of(index).providers.map((each) => each.index), ...cookieProviders(index)]) {
        if (mayUse(provider)) needed.add(provider);
      }
    }
    return [...needed].toSorted((one, other) => one - other);
  }

  return { of, closure };
}

/**
 * Finds out how a request identifies the user: with a password, as for signing up or in, or only by a name. Undefined if the request does
 * not identify the user.
 */
export function tellsUser(exchange: RecordedExchange, user: RecordedUser): 'password' | 'name' | undefined {
  if (exchange.entry.method === 'GET') return undefined;
  const texts = sentTexts(exchange);
  if (texts.some(({ path }) => isPasswordField(lastKey(path)))) return 'password';
  return texts.some(({ value }) => user.has(String(value))) ? 'name' : undefined;
}
