import { setTimeout as wait } from 'node:timers/promises';
import type { DiscoverableCredential } from '../../authenticator/ports.js';
import { chooseNewest } from '../../authenticator/settings.js';
import type { CredentialPicker } from '../../client/platform.js';

/** How the user chooses from the autofill list of a page. */
export interface AutofillOptions {
  /** Chooses the credential that the user picks; default: the newest. */
  readonly pick?: CredentialPicker;
  /** Milliseconds to wait for a page that has not called `get()` yet; default: 5,000. */
  readonly timeout?: number;
}

/** A conditional `get()` that waits for the user to pick from the autofill list. */
interface Waiting {
  readonly rpId: string;
  readonly offers: () => Promise<readonly DiscoverableCredential[]>;
}

interface Place extends Waiting {
  readonly release: (pick: CredentialPicker) => void;
  readonly left: Promise<undefined>;
}

export interface Autofill {
  /** Number of conditional calls of `get()` that wait for the user. */
  readonly waiting: number;
  /**
   * Adds a conditional call that waits until the user picks. `picked` resolves with the user's choice. The caller runs `leave` when the
   * call has ended.
   */
  enter(ceremony: Waiting): { readonly picked: Promise<CredentialPicker>; leave(): void };
  /**
   * Picks from the autofill list of the latest conditional call, and waits until that call has ended.
   *
   * @throws TypeError if no page calls `get()` before the timeout, or if the list is empty.
   */
  pick(options?: AutofillOptions): Promise<void>;
}

const TIMEOUT_MS = 5_000;

export function createAutofill(): Autofill {
  const waiting = new Set<Place>();
  const watchers = new Set<() => void>();

  /** Resolves as soon as a conditional call is waiting, or after the timeout. */
  const anyWithin = async (timeout: number): Promise<void> => {
    if (waiting.size > 0) return;
    const done = new AbortController();
    const entered = deferred<undefined>();
    const watcher = () => entered.resolve(undefined);
    watchers.add(watcher);
    try {
      await Promise.race([entered.promise, wait(timeout, undefined, { signal: done.signal })]);
    } finally {
      watchers.delete(watcher);
      done.abort();
    }
  };

  return {
    get waiting() {
      return waiting.size;
    },
    enter(ceremony) {
      const picking = deferred<CredentialPicker>();
      const leaving = deferred<undefined>();
      const place: Place = { ...ceremony, release: picking.resolve, left: leaving.promise };
      waiting.add(place);
      for (const watcher of watchers) watcher();
      return {
        picked: picking.promise,
        leave() {
          waiting.delete(place);
          leaving.resolve(undefined);
        },
      };
    },
    async pick({ pick = chooseNewest, timeout = TIMEOUT_MS } = {}) {
      await anyWithin(timeout);
      const newest = [...waiting].at(-1);
      if (newest === undefined) {
        throw new TypeError(`Expected a page to call get() with mediation "conditional" within ${timeout} ms; none has.`);
      }
      if ((await newest.offers()).length === 0) {
        throw new TypeError(
          `Expected a discoverable credential for ${newest.rpId} in the autofill list; there is none. Register one first.`,
        );
      }
      newest.release(pick);
      // The next pick is from another list.
      waiting.delete(newest);
      await newest.left;
    },
  };
}

function deferred<T>(): { readonly promise: Promise<T>; resolve(value: T): void } {
  let resolve: ((value: T) => void) | undefined;
  const promise = new Promise<T>((settle) => {
    resolve = settle;
  });
  return { promise, resolve: (value) => resolve?.(value) };
}
