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

/** A user who can sign in. `owner` is `TYPE:ID`. */
export type User = Readonly<Pick<DevUser, 'name' | 'email'> & { owner: string }>;

/** The server's description of itself in the response of `/dev/state`. The server offers this page only in development mode. */
export interface ServerState {
  /** True if this browser may use the other `/dev/*` endpoints, because it runs on the server's machine and uses a local host name. */
  readonly local: boolean;
  /** Reason why this browser may not use the other `/dev/*` endpoints; undefined if it may. */
  readonly refusal: string | undefined;
  /** Options that the server sends by default. */
  readonly policy: Pick<DevState['policy'], 'algorithms' | 'attestation' | 'userVerification' | 'residentKey' | 'timeout' | 'challengeTtl'>;
  readonly verifiable: DevState['verifiable'];
  readonly users: readonly User[];
  /** Number of live passkeys of all users. */
  readonly stored: number;
  /** Site that `passkey browse` follows; this page is shown next to it. */
  readonly site: NonNullable<DevState['site']> | undefined;
}

/**
 * A passkey in the server's list, with `credential_id` converted to base64url, as in options. Rows from `GET /api/passkeys` have only the
 * members of PasskeyBody.
 */
export type PasskeyRow = Readonly<PasskeyBody & Partial<PasskeyDocument>>;

export function isRevoked({ revoked_at }: PasskeyRow): boolean {
  return typeof revoked_at === 'string';
}

/** Formats the owner of a passkey as `TYPE:ID`; undefined if the list of passkeys does not contain the owner. */
export function formatOwner({ passkeeable_type, passkeeable_id }: PasskeyRow): string | undefined {
  return passkeeable_type === undefined ? undefined : `${passkeeable_type}:${passkeeable_id}`;
}

/** State of the ceremony that this tab is waiting for. */
export interface Waiting {
  /** Id of the ceremony's run. */
  readonly run: number;
  readonly title: string;
  /** Party that the ceremony is waiting for. */
  readonly phase: 'server' | 'browser';
  /** Start of the present phase in milliseconds since the epoch. `until` is the end of the phase, if it has a time limit. */
  readonly since: number;
  readonly until: number | undefined;
  /** True if the ceremony never opens a dialog. */
  readonly silent: boolean;
}

/** Text in the JSON editor that cannot be used as options. */
interface Unusable {
  readonly text: string;
  /** Reason why the text cannot be used, in one or more sentences. */
  readonly problem: string;
}

interface Unexplained {
  readonly given: Given;
  /** Reason why the input could not be explained, in one sentence. */
  readonly problem: string;
}

/** Filter and search of the list of ceremonies. */
export interface Filter {
  readonly which: 'all' | 'mine' | 'failed';
  readonly search: string;
}

/** Result of a mutation that the user tried. */
export interface Tried {
  /** Key of the item that shows the result. */
  readonly key: string;
  readonly outcome: Outcome;
  /** Error code of the server's refusal, or name of the browser's error. */
  readonly code: string | undefined;
}

/** Name of a drawer that can open next to the ceremony. */
export type Drawer = 'options' | 'break' | 'browser';

export interface AppState {
  /** Mode of the server; `unknown` until it has responded. */
  readonly mode: 'unknown' | 'development' | 'unreachable';
  readonly server: ServerState | undefined;
  readonly user: User | undefined;
  readonly token: string | undefined;
  /** Passkeys of the signed-in user or, after signing out, of the user who was signed in last. */
  readonly passkeys: readonly PasskeyRow[];
  readonly showRevoked: boolean;
  /** Ids of passkeys revoked on this page during this visit. They stay visible, with an Undo button. */
  readonly revokedHere: readonly number[];
  /** Runs of this tab, newest first. */
  readonly runs: readonly Run[];
  /** Titles of this tab's runs by the ids of their requests, kept for the visit. */
  readonly titles: Readonly<Record<string, string>>;
  readonly waiting: Waiting | undefined;
  readonly autofill: 'off' | 'arming' | 'armed' | 'unavailable';
  readonly setup: Setup;
  readonly expected: Expected;
  /** Texts in the JSON editor that cannot be used as options, by ceremony. */
  readonly invalid: Readonly<Partial<Record<CeremonyKind, Unusable | undefined>>>;
  /** Result of `getClientCapabilities()`; empty if the browser does not have it. */
  readonly capabilities: Readonly<Record<string, boolean>>;
  readonly notices: readonly Notice[];
  /** Sentence shown in the status line. */
  readonly status: string;
  /** True if the status line reports a failure. */
  readonly statusFailed: boolean;
  /** Saves the ceremony as one file. Offered to the user if copying a link failed. */
  readonly saveInstead?: (() => unknown) | undefined;
  /** Credential IDs (base64url) that this browser was asked to hide or delete and that were not used since; kept between visits. */
  readonly signalled: readonly string[];
  /** Entries of the server's stream, from any tab or program, newest first. */
  readonly stream: readonly StreamEntry[];
  /** Full entries of the stream, by id. */
  readonly details: ReadonlyMap<string, Detail>;
  /** Pasted or dropped documents, newest first. */
  readonly pasted: readonly Pasted[];
  /** Last pasted or dropped input that could not be explained. */
  readonly unexplained?: Unexplained | undefined;
  /** True while the connection to `GET /dev/events` is open. */
  readonly live: boolean;
  /** Key of the item shown in the right pane. */
  readonly selected: string | undefined;
  /**
   * Part of the page's address that identifies the selected item: `ceremony=` with the item's id at the server, or `shared=` with its
   * contents.
   */
  readonly addressed: string | undefined;
  /** Key of the item to compare the selected one with. */
  readonly compared: string | undefined;
  readonly filter: Filter;
  readonly list: 'ceremonies' | 'passkeys';
  readonly drawer: Drawer | undefined;
  /** HTML id of the element that gets the focus as soon as it is drawn. */
  readonly toFocus?: string | undefined;
  /** Authenticator for ceremonies: `browser`, `plain` for the server's software authenticator, or a persona's name. Kept per tab. */
  readonly answerWith: string;
  readonly personas: Listed<Persona>;
  readonly mutations: Listed<MutationRow>;
  /** List of the expectations that the user can set for a pasted ceremony. */
  readonly expectations: Listed<ExpectationField>;
  /** Results of the mutations tried on this page, by mutation id. */
  readonly tried: ReadonlyMap<string, Tried>;
}

/** Builds the change of the state that shows a sentence in the status line. */
export function statusLine(status: string, statusFailed = false): Pick<AppState, 'status' | 'statusFailed' | 'saveInstead'> {
  return { status, statusFailed, saveInstead: undefined };
}

export interface Store<T> {
  get(): T;
  set(change: Partial<T>): void;
  /**
   * Calls `listener` after a change of one of these members, or of any member if `members` is absent. Returns a function that ends the
   * calls.
   */
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

/** Members of an item other than its explanation. They are saved together with a ceremony and read from its file. */
export interface SharedItem {
  readonly kind: 'registration' | 'authentication' | 'request' | 'change' | 'other' | 'pasted';
  readonly title: string;
  readonly verdict: Verdict;
  /** Source of the request: `this tab`, `another tab`, `curl/8.5.0`, `passkey revoke` … */
  readonly source: string;
  /** E-mail address of the user, or `TYPE:ID`. */
  readonly user: string | undefined;
  readonly passkey: string | undefined;
  readonly code: string | undefined;
  /** Names of the members of the options that differ from the server's own. */
  readonly changed: readonly string[];
  /** Software authenticator that made or changed the response; undefined for the browser's own response. */
  readonly software: Software | undefined;
  readonly run: Run | undefined;
}

/** One pasted or dropped document: a result of `POST /dev/explain`, or a saved ceremony. */
export interface Pasted {
  readonly id: number;
  /** Time of pasting in milliseconds since the epoch. */
  readonly at: number;
  readonly document: ExplainDocument;
  /** Kind of the pasted document, for people. */
  readonly kindName?: string | undefined;
  readonly options: JsonObject | undefined;
  readonly response: JsonObject | undefined;
  /** Members of the item that was saved in the file; undefined if the input was not a saved ceremony. */
  readonly shared?: SharedItem | undefined;
  /** Input that was explained, the document's index in the explanation, and the expectations used; undefined for a saved ceremony. */
  readonly from?: { readonly given: Given; readonly index: number; readonly expected: Expected } | undefined;
}

/** Text or bytes that were pasted or dropped. */
export interface Given {
  /** The pasted text, or base64url of the bytes if they are not text. */
  readonly input: string;
  readonly encoding?: 'base64';
  /** Name of the dropped file. */
  readonly name?: string;
}

/** A full entry of the stream, or the state of loading it. */
export type Detail = Fetched<{ readonly detail: StreamDetail }>;
