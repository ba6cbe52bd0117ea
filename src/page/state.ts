import type { ExplainDocument } from '../explain/document-schema.js';
import type { JsonObject } from '../kernel/json-value.js';
import type { PasskeyBody, PasskeyDocument } from '../relying-party/passkey-document.js';
import type { DevState, DevUser } from '../server/schemas/development.js';
import type { ExpectationField } from '../server/schemas/expectations.js';
import type { StreamDetail, StreamEntry } from '../server/schemas/stream.js';
import type { CeremonyKind } from '../webauthn/enumerations.js';
import type { Fetched, Listed, MutationRow, Persona } from './catalogue.js';
import type { Notice } from './environment.js';
import type { Outcome, Run, Software } from './run.js';
import type { Expected } from './setup/expected.js';
import type { Setup } from './setup/setup.js';
import type { Verdict } from './verdicts.js';

/** A user who signs in: `owner` is `TYPE:ID`. */
export type User = Readonly<Pick<DevUser, 'name' | 'email'> & { owner: string }>;

/** The server's description of itself at `/dev/state`; the page is served in development mode only. */
export interface ServerState {
  /** This browser may use the other `/dev/*` endpoints: it runs on the server's machine and uses a local name. */
  readonly local: boolean;
  /** Why it may not. */
  readonly refusal: string | undefined;
  /** The options that the server asks for by default. */
  readonly policy: Pick<DevState['policy'], 'algorithms' | 'attestation' | 'userVerification' | 'residentKey' | 'timeout' | 'challengeTtl'>;
  readonly verifiable: DevState['verifiable'];
  readonly users: readonly User[];
  /** Live passkeys of all users. */
  readonly stored: number;
  /** The site that `passkey browse` follows; this page is shown next to it. */
  readonly site: NonNullable<DevState['site']> | undefined;
}

/**
 * A passkey as the server lists it, but with `credential_id` in base64url, as options have it. `GET /api/passkeys` gives the members
 * of PasskeyBody only.
 */
export type PasskeyRow = Readonly<PasskeyBody & Partial<PasskeyDocument>>;

export function isRevoked({ revoked_at }: PasskeyRow): boolean {
  return typeof revoked_at === 'string';
}

/** `TYPE:ID`; undefined in lists that do not say it. */
export function formatOwner({ passkeeable_type, passkeeable_id }: PasskeyRow): string | undefined {
  return passkeeable_type === undefined ? undefined : `${passkeeable_type}:${passkeeable_id}`;
}

/** The ceremony that this tab waits for. */
export interface Waiting {
  /** Id of its run. */
  readonly run: number;
  readonly title: string;
  /** The party whose answer is due. */
  readonly phase: 'server' | 'browser';
  /** Milliseconds since the epoch: when the phase began, and when its time is up, if it has a limit. */
  readonly since: number;
  readonly until: number | undefined;
  /** Whether it answers without a dialog, or not at all. */
  readonly silent: boolean;
}

/** Text in the JSON editor of the options that cannot be used. */
interface Unusable {
  readonly text: string;
  /** One or more sentences. */
  readonly problem: string;
}

interface Unexplained {
  readonly given: Given;
  /** Why, in a sentence. */
  readonly problem: string;
}

/** Filter and search of the list. */
export interface Filter {
  readonly which: 'all' | 'mine' | 'failed';
  readonly search: string;
}

/** Result of a mutation of the catalogue. */
export interface Tried {
  /** Key of the item that shows it. */
  readonly key: string;
  readonly outcome: Outcome;
  /** Error code of the refusal, or name of the error. */
  readonly code: string | undefined;
}

/** A drawer beside the ceremony. */
export type Drawer = 'options' | 'break' | 'browser';

export interface AppState {
  /** `unknown` until the server has answered. */
  readonly mode: 'unknown' | 'development' | 'unreachable';
  readonly server: ServerState | undefined;
  readonly user: User | undefined;
  readonly token: string | undefined;
  /** Passkeys of the user or, after signing out, of the last one. */
  readonly passkeys: readonly PasskeyRow[];
  readonly showRevoked: boolean;
  /** Ids of passkeys revoked on this page in this visit: they stay visible, with Undo. */
  readonly revokedHere: readonly number[];
  /** Runs of this tab; newest first. */
  readonly runs: readonly Run[];
  /** Titles of this tab's runs, by the ids of their requests; kept for the visit. */
  readonly titles: Readonly<Record<string, string>>;
  readonly waiting: Waiting | undefined;
  readonly autofill: 'off' | 'arming' | 'armed' | 'unavailable';
  readonly setup: Setup;
  readonly expected: Expected;
  /** Options that cannot be asked for, by dictionary. */
  readonly invalid: Readonly<Partial<Record<CeremonyKind, Unusable | undefined>>>;
  /** The result of `getClientCapabilities()`; empty if the browser has none. */
  readonly capabilities: Readonly<Record<string, boolean>>;
  readonly notices: readonly Notice[];
  /** Sentence for the status line. */
  readonly status: string;
  /** Whether the status line reports a failure. */
  readonly statusFailed: boolean;
  /** Saves the ceremony as one file, in place of what failed. */
  readonly saveInstead?: (() => unknown) | undefined;
  /** Credential IDs (base64url) that this browser was asked to hide or delete and that have not answered since; kept between visits. */
  readonly signalled: readonly string[];
  /** Entries of the server's stream, from any tab or program; newest first. */
  readonly stream: readonly StreamEntry[];
  /** Entries of the stream in full, by their id. */
  readonly details: ReadonlyMap<string, Detail>;
  /** Pasted or dropped documents; newest first. */
  readonly pasted: readonly Pasted[];
  /** The last pasted or dropped input that could not be explained. */
  readonly unexplained?: Unexplained | undefined;
  /** Whether `GET /dev/events` is open. */
  readonly live: boolean;
  /** Key of the item that is shown whole. */
  readonly selected: string | undefined;
  /** The part of the address that names it: `ceremony=` with the id of its entry at the server, or `shared=` with all of it. */
  readonly addressed: string | undefined;
  /** Key of the item to compare with. */
  readonly compared: string | undefined;
  readonly filter: Filter;
  readonly list: 'ceremonies' | 'passkeys';
  readonly drawer: Drawer | undefined;
  /** Who answers ceremonies: `browser`, `plain` for the server's software authenticator, or the name of a persona of it. Kept per tab. */
  readonly answerWith: string;
  readonly personas: Listed<Persona>;
  readonly mutations: Listed<MutationRow>;
  /** The expectations that a pasted ceremony can be checked against. */
  readonly expectations: Listed<ExpectationField>;
  /** Results of the mutations that were tried on this page, by their id. */
  readonly tried: ReadonlyMap<string, Tried>;
}

/** Sets the status line. */
export function statusLine(status: string, statusFailed = false): Pick<AppState, 'status' | 'statusFailed' | 'saveInstead'> {
  return { status, statusFailed, saveInstead: undefined };
}

export interface Store<T> {
  get(): T;
  set(change: Partial<T>): void;
  /** Calls `listener` whenever one of these members has changed, or any without `members`. Returns a function that stops it. */
  watch(listener: (state: T) => void, members?: readonly (keyof T)[]): () => void;
}

export function createStore<T extends object>(initial: T): Store<T> {
  let state = initial;
  const watchers = new Set<(before: T) => void>();
  return {
    get: () => state,
    set(change) {
      const before = state;
      state = { ...state, ...change };
      for (const notify of watchers) notify(before);
    },
    watch(listener, members) {
      const notify = (before: T) => {
        if (members === undefined || members.some((member) => before[member] !== state[member])) listener(state);
      };
      watchers.add(notify);
      return () => watchers.delete(notify);
    },
  };
}

/** The members of an item besides its explanation. They are saved with a ceremony, and read from its file. */
export interface SharedItem {
  readonly kind: 'registration' | 'authentication' | 'request' | 'change' | 'other' | 'pasted';
  readonly title: string;
  readonly verdict: Verdict;
  /** Who asked: `this tab`, `another tab`, `curl/8.5.0`, `passkey revoke` … */
  readonly source: string;
  /** E-mail, or `TYPE:ID`. */
  readonly user: string | undefined;
  readonly passkey: string | undefined;
  readonly code: string | undefined;
  /** Members of the options that differ from the server's own. */
  readonly changed: readonly string[];
  /** Undefined for the browser's own answer. */
  readonly software: Software | undefined;
  readonly run: Run | undefined;
}

/** One document of `POST /dev/explain`, or a saved ceremony: pasted or dropped data, or one ceremony of it. */
export interface Pasted {
  readonly id: number;
  /** Milliseconds since the epoch. */
  readonly at: number;
  readonly document: ExplainDocument;
  /** Kind of the pasted document, in words. */
  readonly kindName?: string | undefined;
  readonly options: JsonObject | undefined;
  readonly response: JsonObject | undefined;
  /** The item that was saved in the file. */
  readonly shared?: SharedItem | undefined;
  /** The input whose explanation has this document at `index`, with the expectations `expected`; undefined for a saved ceremony. */
  readonly from?: { readonly given: Given; readonly index: number; readonly expected: Expected } | undefined;
}

/** Text or bytes that were pasted or dropped. */
export interface Given {
  /** The text, or base64url of bytes that are none. */
  readonly input: string;
  readonly encoding?: 'base64';
  /** Name of the file. */
  readonly name?: string;
}

/** An entry of the stream in full, as far as the server has answered. */
export type Detail = Fetched<{ readonly detail: StreamDetail }>;
