/** Clients whose counts are kept. */
const MAX_CLIENTS = 100_000;

interface Count {
  requests: number;
  /** Milliseconds since the epoch. */
  readonly since: number;
}

/** How often each client asked within its current window, which begins with its first request. */
export interface RequestCounts {
  /** Counts one more request of `client`. `ttl` is what is left of its window, in milliseconds. */
  add(client: string, window: number): { readonly current: number; readonly ttl: number };
}

/**
 * Counts for a bounded number of clients. When room runs out, a client with the fewest requests is forgotten, to a power of two; so
 * nobody gets rid of a count near the limit without as many requests from each of a hundred thousand addresses.
 */
export function createRequestCounts(now: () => number, maxClients = MAX_CLIENTS): RequestCounts {
  /** By the power of two that the number of requests has reached; within each, in the order in which clients reached it. */
  const levels: Map<string, Count>[] = [new Map()];
  let clients = 0;

  function remove(client: string, count: Count): void {
    if (levels[levelOf(count)]?.delete(client) === true) clients -= 1;
  }

  function put(client: string, count: Count): void {
    const level = levelOf(count);
    const at = (levels[level] ??= new Map());
    if (!at.has(client)) clients += 1;
    at.set(client, count);
  }

  function find(client: string): Count | undefined {
    for (const level of levels) {
      const count = level.get(client);
      if (count !== undefined) return count;
    }
    return undefined;
  }

  function dropEnded(time: number, window: number): void {
    for (const level of levels) {
      for (const [client, count] of level) {
        if (time - count.since < window) break;
        remove(client, count);
      }
    }
  }

  function makeRoom(): void {
    const [fewest] = levels.filter(({ size }) => size > 0);
    for (const [client, count] of fewest ?? []) {
      remove(client, count);
      return;
    }
  }

  return {
    add(client, window) {
      const time = now();
      dropEnded(time, window);
      const known = find(client);
      const since = known === undefined || time - known.since >= window ? time : known.since;
      const requests = since === known?.since ? known.requests + 1 : 1;
      if (known === undefined && clients >= maxClients) makeRoom();
      const count = { requests, since };
      if (known !== undefined && levelOf(known) !== levelOf(count)) remove(client, known);
      put(client, count);
      return { current: requests, ttl: since + window - time };
    },
  };
}

function levelOf({ requests }: Count): number {
  return Math.floor(Math.log2(requests));
}
