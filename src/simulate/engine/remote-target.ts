import type { HttpTarget } from '../http/http.js';
import type { Driver, User } from '../target/driver.js';

/** Direct access to our own API, for cases that test its HTTP contract. */
export interface Api {
  readonly target: HttpTarget;
  /** Returns the bearer token of a user; undefined if the run has none. */
  token(user: User): string | undefined;
}

/** A relying party under test that runs outside this process. */
export interface RemoteTarget {
  readonly url: URL;
  readonly driver: Driver;
  /** Direct access if the target is our own API; otherwise undefined. */
  readonly api: Api | undefined;
  /** A top-level origin that the target accepts; undefined if none is known. */
  readonly topOrigin: string | undefined;
  /** Moves the target's clock forward; undefined if time can only pass by waiting. */
  readonly passTime: ((milliseconds: number) => Promise<void>) | undefined;
  /**
   * Checks that the run can begin: the target answers. For our own API, also checks that it accepts the tokens, that they belong to
   * different users, and that it accepts ceremonies of the application.
   *
   * @throws PasskeyError `target_unreachable`, or `usage` naming a token by its position; the token itself is secret.
   */
  check(): Promise<void>;
  /** Whether the target has ended, which means that it accepts no new connection. A broken connection alone does not count. */
  hasEnded(): Promise<boolean>;
  /** Finds out how the target is after its connection broke, and restarts it if possible. */
  recover(): Promise<Recovery>;
  close(): Promise<void>;
}

/** State of a target after its connection broke. */
export interface Recovery {
  /** Sentence about the recovery, for the report of the case. */
  readonly remark: string;
  /** Whether the target answers again. */
  readonly alive: boolean;
  /** Whether the target did not answer for a while, so that it may have lost its state. */
  readonly restarted: boolean;
}
