import type { CredentialSourceStore } from '../../authenticator/credential-store.js';
import type { Client } from '../../client/client.js';
import type { RegisteredPasskey, Session } from '../target/driver.js';

/** A passkey that the target has accepted, alone on its authenticator. */
export interface HeldPasskey extends RegisteredPasskey {
  readonly rpId: string;
  /** A session of its user, signed in as the account is. */
  readonly session: Session;
  readonly client: Client;
  readonly store: CredentialSourceStore;
  /** The sign count of the last response that the target accepted. */
  acknowledged: number;
}

/** The passkeys that log in. No two logins use one at a time: their sign counts could overtake each other. */
export interface Passkeys {
  /** All that were registered. */
  readonly registered: number;
  /** The passkeys that are held: all, or a random sample if there are too many. */
  held(): readonly HeldPasskey[];
  add(passkey: HeldPasskey): void;
  /** The least recently used passkey; undefined: all are in use. Give it back. */
  take(): HeldPasskey | undefined;
  giveBack(passkey: HeldPasskey): void;
}

/**
 * @param most how many are held.
 * @param random from 0 up to 1.
 */
export function createPasskeys(most: number, random: () => number = Math.random): Passkeys {
  const held: HeldPasskey[] = [];
  const members = new Set<HeldPasskey>();
  /** In order of use. */
  const idle = new Set<HeldPasskey>();
  let registered = 0;
  return {
    get registered() {
      return registered;
    },
    held: () => held,
    add(passkey) {
      registered += 1;
      // Reservoir sampling: each one has the same chance to be held, however many come.
      const place = held.length < most ? held.length : Math.floor(random() * registered);
      if (place >= most) return;
      const replaced = held[place];
      if (replaced !== undefined) {
        members.delete(replaced);
        idle.delete(replaced);
      }
      held[place] = passkey;
      members.add(passkey);
      idle.add(passkey);
    },
    take() {
      const [first] = idle;
      if (first !== undefined) idle.delete(first);
      return first;
    },
    giveBack(passkey) {
      if (members.has(passkey)) idle.add(passkey);
    },
  };
}
