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
  /** Moves the target's clock forward. Undefined if the clock cannot be moved, so that a case has to wait. */
  readonly passTime: ((milliseconds: number) => Promise<void>) | undefined;
  /**
   * Checks that the run can begin, which means that the target answers. For our own API, also checks that it accepts the tokens, that the
   * tokens belong to different users, and that it accepts ceremonies of the application.
   *
   * @throws PasskeyError `target_unreachable`, or `usage` naming a token by its position, because the token itself is secret.
   */
  check(): Promise<void>;
  /** Whether the target has ended, which means that it accepts no new connection. A broken connection alone does not count. */
  hasEnded(): Promise<boolean>;
  /** Finds out the state of the target after its connection broke, and restarts the target if possible. */
  recover(): Promise<Recovery>;
  close(): Promise<void>;
}

/** State of a target after its connection broke. */
export interface Recovery {
  /** Sentence about the recovery, for the report of the case. */
  readonly remark: string;
  /** Whether the target answers again. */
  readonly alive: boolean;
  /** True if the target did not answer for a while. It may then have lost its state. */
  readonly restarted: boolean;
}
