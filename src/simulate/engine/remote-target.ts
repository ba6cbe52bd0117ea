import type { HttpTarget } from '../http/http.js';
import type { Driver, User } from '../target/driver.js';

/** Our own API, for cases about its HTTP contract. */
export interface Api {
  readonly target: HttpTarget;
  /** Bearer token; undefined when the run has none for this user. */
  token(user: User): string | undefined;
}

/** A relying party under test that runs elsewhere. */
export interface RemoteTarget {
  readonly url: URL;
  readonly driver: Driver;
  /** Present when the target is our own API. */
  readonly api: Api | undefined;
  /** A top-level origin that it accepts. */
  readonly topOrigin: string | undefined;
  /** Undefined: time passes by waiting. */
  readonly passTime: ((milliseconds: number) => Promise<void>) | undefined;
  /**
   * Throws unless the run can begin: that it answers; for our own API that it accepts the tokens, that they belong to different users, and
   * that it accepts ceremonies of the application.
   *
   * @throws PasskeyError `target_unreachable`, or `usage` naming a token by its position; the token itself is secret.
   */
  check(): Promise<void>;
  /** Whether the target has ended: it accepts no connection. A broken connection does not count. */
  hasEnded(): Promise<boolean>;
  /** After a connection that broke. */
  recover(): Promise<Recovery>;
  close(): Promise<void>;
}

/** The state of a target after its connection broke. */
export interface Recovery {
  /** For the report of the case. */
  readonly remark: string;
  /** It answers again. */
  readonly alive: boolean;
  /** It did not answer for a while, and may have forgotten its state. */
  readonly restarted: boolean;
}
