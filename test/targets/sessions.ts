import { randomBytes } from 'node:crypto';
import { cookie, type Received } from './http.js';

/** State that a server keeps for a browser, by a cookie with a random value. */
export interface Sessions<State> {
  /** The state of the browser, or undefined where it has no session here. */
  find(received: Received): State | undefined;
  /** The state of the browser and the `set-cookie` of a new session where it had none. */
  open(received: Received): { readonly state: State; readonly headers: Readonly<Record<string, string>> };
  end(received: Received): void;
}

export function createSessions<State>(name: string, fresh: () => State): Sessions<State> {
  const states = new Map<string, State>();
  const idOf = (received: Received) => received.cookies.get(name) ?? '';
  return {
    find: (received) => states.get(idOf(received)),
    open(received) {
      const known = states.get(idOf(received));
      if (known !== undefined) return { state: known, headers: {} };
      const id = randomBytes(16).toString('base64url');
      const state = fresh();
      states.set(id, state);
      return { state, headers: { 'set-cookie': cookie(name, id) } };
    },
    end: (received) => void states.delete(idOf(received)),
  };
}
