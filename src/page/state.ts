import type { PasskeyBody, PasskeyDocument } from '../relying-party/passkey-document.js';
import type { DevUser } from '../server/schemas/development.js';
import type { Notice } from './environment.js';
import type { Run } from './run.js';
import type { Setup } from './setup/setup.js';
import type { TimelineEntry } from './timeline.js';

/** Somebody who signs in: `owner` is `TYPE:ID`. */
export type User = Readonly<Pick<DevUser, 'name' | 'email'> & { owner: string }>;

/** What the server says about itself at `/dev/state`; undefined in production mode, which has no such endpoint. */
export interface ServerState {
  readonly authAction: string;
  /** This browser may use the other `/dev/*` endpoints: it runs on the server's machine and uses a local name. */
  readonly local: boolean;
  /** Why it may not. */
  readonly refusal: string | undefined;
  readonly userVerification: string | undefined;
  readonly residentKey: string | undefined;
  /** Lifetime of a challenge in milliseconds. */
  readonly challengeTtl: number;
  readonly users: readonly User[];
}

/**
 * A passkey as the server lists it, but with `credential_id` in base64url, as options have it. `GET /api/passkeys` gives the members
 * of PasskeyBody only.
 */
export type PasskeyRow = Readonly<PasskeyBody & Partial<PasskeyDocument>>;

export function isRevoked({ revoked_at }: PasskeyRow): boolean {
  return typeof revoked_at === 'string';
}

/** `TYPE:ID`; undefined in production mode. */
export function ownerOf({ passkeeable_type, passkeeable_id }: PasskeyRow): string | undefined {
  return passkeeable_type === undefined ? undefined : `${passkeeable_type}:${passkeeable_id}`;
}

export interface AppState {
  /** `unknown` until the server has answered. */
  readonly mode: 'unknown' | 'development' | 'production' | 'unreachable';
  readonly server: ServerState | undefined;
  readonly user: User | undefined;
  readonly token: string | undefined;
  /** Passkeys of the user or, after signing out, of the last one. */
  readonly passkeys: readonly PasskeyRow[];
  readonly showRevoked: boolean;
  /** Ids of passkeys revoked on this page in this visit: they stay visible, with Undo. */
  readonly revokedHere: readonly number[];
  /** Newest first. */
  readonly runs: readonly Run[];
  /** Title of the ceremony that is waiting for the browser. */
  readonly busy: string | undefined;
  readonly autofill: 'off' | 'arming' | 'armed' | 'unavailable';
  readonly setup: Setup;
  /** The result of `getClientCapabilities()`; empty where the browser has none. */
  readonly capabilities: Readonly<Record<string, boolean>>;
  readonly notices: readonly Notice[];
  /** Sentence of the status line. */
  readonly status: string;
  /** Whether the status line reports a failure. */
  readonly statusFailed: boolean;
  /** Credential IDs (base64url) that this browser was asked to hide or delete and that have not answered since; kept between visits. */
  readonly signalled: readonly string[];
  /** What happened at the server, from any tab or program; newest first. */
  readonly timeline: readonly TimelineEntry[];
  /** Whether `GET /dev/events` is open. */
  readonly live: boolean;
}

/** Sets the status line. */
export function statusLine(status: string, statusFailed = false): Pick<AppState, 'status' | 'statusFailed'> {
  return { status, statusFailed };
}

export interface Store<T> {
  get(): T;
  set(change: Partial<T>): void;
  /** Calls `listener` now and whenever one of these members has changed. */
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
