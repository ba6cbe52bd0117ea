import type { CredentialSourceStore } from '../../authenticator/credential-store.js';
import type { Client } from '../../client/client.js';
import type { RegisteredPasskey, Session } from '../target/driver.js';

/** A passkey that the target has accepted. Its authenticator holds no other passkey. */
export interface HeldPasskey extends RegisteredPasskey {
  readonly rpId: string;
  /** A session of the passkey's user, signed in if making the account signed them in. */
  readonly session: Session;
  readonly client: Client;
  readonly store: CredentialSourceStore;
  /** The sign count of the last response that the target accepted. */
  acknowledged: number;
}

/** The passkeys with which a load run logs in. No two logins use the same passkey at once, so sign counts arrive in order. */
export interface Passkeys {
  /** The number of passkeys registered in this run. */
  readonly registered: number;
  /** Returns the passkeys that are kept for logins: all, or a random sample if there are too many. */
  held(): readonly HeldPasskey[];
  add(passkey: HeldPasskey): void;
  /** Takes the passkey that has been idle the longest; undefined if all are in use. The caller must give it back. */
  take(): HeldPasskey | undefined;
  giveBack(passkey: HeldPasskey): void;
}

/**
 * Creates an empty collection of passkeys.
 *
 * @param most maximum number of passkeys to keep
 * @param random returns a number from 0 up to but not including 1
 */
export function createPasskeys(most: number, random: () => number = Math.random): Passkeys {
  const held: HeldPasskey[] = [];
  const members = new Set<HeldPasskey>();
  /** The passkeys not in use, the one that has been idle the longest first. */
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
