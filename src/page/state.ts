import type { Notice } from './environment.js';
import type { Run } from './run.js';
import type { Setup } from './setup/setup.js';
import type { TimelineEntry } from './timeline.js';

export interface User {
  /** `TYPE:ID`. */
  readonly owner: string;
  readonly name: string;
  readonly email: string;
}

/** What the server says about itself at `/dev/state`; undefined in production mode, where there is no such thing. */
export interface ServerState {
  readonly origin: string;
  readonly rpId: string;
  readonly authAction: string;
  /** This browser may use the other `/dev/*` endpoints: it runs on the server's machine and came by a local name. */
  readonly local: boolean;
  /** Why not. */
  readonly refusal: string | undefined;
  readonly userVerification: string | undefined;
  readonly residentKey: string | undefined;
  /** Milliseconds that a challenge is good for. */
  readonly challengeTtl: number;
  readonly users: readonly User[];
}

export interface PasskeyRow {
  readonly id: number;
  readonly label: string;
  /** base64url. */
  readonly credentialId: string;
  readonly createdAt: string;
  /** Everything below is known in development mode only. */
  readonly owner: string | undefined;
  readonly rpId: string | undefined;
  readonly aaguid: string | undefined;
  readonly provider: string | undefined;
  readonly signCount: number | undefined;
  readonly backupEligible: boolean | undefined;
  readonly backupState: boolean | undefined;
  readonly uvInitialized: boolean | undefined;
  readonly transports: readonly string[];
  readonly attestationFormat: string | undefined;
  /** base64url. */
  readonly userHandle: string | undefined;
  /** COSE_Key, base64url. */
  readonly publicKey: string | undefined;
  readonly lastUsedAt: string | undefined;
  readonly revokedAt: string | undefined;
  readonly revokedReason: string | undefined;
}

export interface AppState {
  /** `unknown` until the server has been asked. */
  readonly mode: 'unknown' | 'development' | 'production' | 'unreachable';
  readonly server: ServerState | undefined;
  readonly user: User | undefined;
  readonly token: string | undefined;
  /** Those of the user, or of the last one after signing out. */
  readonly passkeys: readonly PasskeyRow[];
  readonly showRevoked: boolean;
  /** Ids of passkeys revoked on this page in this visit: they stay in view, with Undo. */
  readonly revokedHere: readonly number[];
  /** Newest first. */
  readonly runs: readonly Run[];
  /** Title of the ceremony that waits for the browser. */
  readonly busy: string | undefined;
  readonly autofill: 'off' | 'arming' | 'armed' | 'unavailable';
  readonly setup: Setup;
  /** By `getClientCapabilities()`; empty where the browser does not tell. */
  readonly capabilities: Readonly<Record<string, boolean>>;
  readonly notices: readonly Notice[];
  /** Sentence of the status line. */
  readonly status: string;
  /** The status line tells of the end of a run that did not succeed. */
  readonly statusFailed: boolean;
  /** Credential ids (base64url) that this browser was asked to hide or delete and that have not answered since; kept over visits. */
  readonly signalled: readonly string[];
  /** What happened at the server, in any tab or program; newest first. */
  readonly timeline: readonly TimelineEntry[];
  /** `GET /dev/events` is open. */
  readonly live: boolean;
}

export interface Store<T> {
  get(): T;
  set(change: Partial<T>): void;
  /** Calls `listener` now and whenever one of the named members has changed. */
  watch(members: readonly (keyof T)[], listener: (state: T) => void): void;
}

export function createStore<T extends object>(initial: T): Store<T> {
  let state = initial;
  const watchers: { members: readonly (keyof T)[]; listener: (state: T) => void }[] = [];
  return {
    get: () => state,
    set(change) {
      const before = state;
      state = { ...state, ...change };
      for (const { members, listener } of watchers) {
        if (members.some((member) => before[member] !== state[member])) {
          listener(state);
        }
      }
    },
    watch(members, listener) {
      watchers.push({ members, listener });
      listener(state);
    },
  };
}
