import type { JsonObject } from '../../kernel/json-value.js';
import type { PublicKeyCredentialCreationOptionsJSON, PublicKeyCredentialRequestOptionsJSON } from '../../webauthn/json.js';
import type { HttpRequest, LostConnection } from '../http/http.js';
import type { SignedIn } from '../report/deviation.js';
import type { FailedStep } from '../report/report.js';
import type { Gate, GateAct, Phase, TargetCapabilities } from './profile-schema.js';

/**
 * The outcome of a request or of a whole ceremony at a relying party: it accepted, it refused, it failed (5xx, or an answer that the
 * profile cannot read), or the connection broke.
 */
export type Outcome = 'accepted' | 'refused' | 'failed' | 'broken';

/** One request and its answer, as a report shows them: shortened, without cookies, tokens and passwords. */
export interface Exchange {
  /** `POST /path`, or the command of an `exec`. */
  readonly request: string;
  /** The body that was sent; empty: none. */
  readonly sent: string;
  /** Undefined: no answer. */
  readonly status: number | undefined;
  /** The body of the answer, or why there is none. */
  readonly received: string;
}

/** The result of a list of requests. */
export interface Answer {
  readonly outcome: Outcome;
  /** The reason in words: the status and the answer's own text, or why there is no answer. */
  readonly said: string;
  readonly exchanges: readonly Exchange[];
  /** The target's name of the failed check, if the profile takes it. */
  readonly code: string | undefined;
  /** The step of the standard that the target names, if the profile takes it. */
  readonly step: FailedStep | undefined;
  /** Things that the profile allows and the standard does not: options in a dialect, an answer that the witness contradicts. */
  readonly remarks: readonly string[];
  /** Values that the requests of the list took. */
  readonly taken: JsonObject;
  /** The last answer as JSON, for checks of our own API. */
  readonly json: unknown;
  /** JSON Pointer of the request in the profile that decided, e.g. `/register/0`; undefined: none was made. */
  readonly at: string | undefined;
  /** The variable that this request needed, and that has no value. */
  readonly absent: string | undefined;
  /** How the connection of that request, or of the later check of who is signed in, was lost; undefined: it was not. */
  readonly lost: LostConnection | undefined;
  /** Who is signed in, after a login that was accepted. */
  readonly signedIn?: SignedIn;
  /** Whoami's name for that user, if none is known yet for the owner of the passkey (the user with this number). */
  readonly unmatched?: { readonly name: unknown; readonly owner: number };
}

/** Wishes of a case; only those that the profile `has` in `asks` are passed on. */
export interface Asks {
  readonly userVerification?: string;
  readonly attestation?: string;
  readonly residentKey?: string;
  readonly algorithms?: readonly number[];
  readonly extensions?: JsonObject;
  /** The application's origin; default: the page's own. A target may serve several. */
  readonly origin?: string;
  /** For our own API: `verify` sends an authentication to `verify` instead of `login`. */
  readonly endpoint?: string;
}

/** A challenge of options, for whom they were, and when they came, in milliseconds since the epoch. */
export interface GivenChallenge {
  readonly phase: 'registrationOptions' | 'authenticationOptions';
  /** Equal for the same user, or for the same browser if the options name no user. */
  readonly recipient: unknown;
  readonly challenge: string;
  readonly at: number;
}

/** A begun ceremony: its options as a browser reads them, and the data that its end needs. */
export interface Begun<Options> {
  readonly answer: Answer;
  /** Present when `answer` is accepted and has readable options. */
  readonly options: Options | undefined;
}

/** A challenge that is a token, or a token that comes with the options and returns with the response. */
export interface ChallengeToken {
  readonly in: 'challenge' | 'variable' | 'cookie';
  /** Name of the variable or cookie. */
  readonly name: string;
  readonly text: string;
  /** How long it says that it is good, in milliseconds; undefined: it does not say, or not in plain text. */
  readonly lifetime: number | undefined;
}

/** The ceremony that was begun last in a session. */
export interface BegunCeremony {
  /** Undefined: a registration. */
  readonly login: Login | undefined;
  readonly passkey: RegisteredPasskey | undefined;
  readonly ask: Asks;
  /** Values that its requests took, including its options as the target sent them. */
  readonly taken: JsonObject;
  readonly rpId: string;
  /** Base64url; undefined: a login. */
  readonly userHandle: string | undefined;
  /** The challenge as the client keeps it; undefined: the target keeps its challenges to itself. */
  readonly token?: ChallengeToken | undefined;
}

/** A ceremony that any browser can finish that has its token. */
export type CarriedCeremony = BegunCeremony & { readonly token: ChallengeToken };

/** A passkey that the target has accepted. */
export interface RegisteredPasskey {
  /** Base64url. */
  readonly credentialId: string;
  /** Values that `register` took. */
  readonly taken: JsonObject;
}

export type Login = 'named' | 'discoverable';

/** Changes a request before it is sent, to what no page sends. */
export type RequestForgery = (request: HttpRequest) => HttpRequest;

/** Actions of a user on their own passkeys and sessions, if the profile says how. */
export type OwnAction = Extract<Phase, 'list' | 'rename' | 'remove' | 'signOut' | AccountAction>;

/** Ways into an account, or back into it, without a passkey. */
type AccountAction = 'password' | 'stepUp' | 'recover';

/** Inputs of an action. */
export interface ActionInputs {
  /** The new label of a passkey. */
  readonly label?: string;
  /** Default: the user's own. */
  readonly password?: string;
  readonly recoveryToken?: string;
  /** The response of a passkey to the options of a step-up. */
  readonly credential?: JsonObject;
}

/** A cookie without its value. */
export interface JarCookie {
  readonly name: string;
  readonly httpOnly: boolean;
  readonly secure: boolean;
  /** In lower case; undefined: not set. */
  readonly sameSite: string | undefined;
}

/** One browser session: a cookie jar and the taken values, of a user who may or may not be signed in. */
export interface Session {
  /** The user's number in this run, from 1. */
  readonly user: number;
  /** The user's password, if the account has one. */
  readonly password: string;
  /** How many registrations of this session the target has accepted. */
  passkeys(): number;
  beginRegistration(asks?: Asks): Promise<Begun<PublicKeyCredentialCreationOptionsJSON>>;
  /**
   * Sends a response for the registration that was begun last in this session. Notes an accepted passkey for cleanup.
   *
   * @param credential a credential, or a substitute for it.
   */
  finishRegistration(credential: unknown, more?: JsonObject): Promise<Answer>;
  beginAuthentication(login: Login, passkey?: RegisteredPasskey, asks?: Asks): Promise<Begun<PublicKeyCredentialRequestOptionsJSON>>;
  /**
   * Sends a response for the authentication that was begun last in this session; then asks whoami, if the profile has it and `witness` is
   * not false.
   */
  finishAuthentication(credential: unknown, options?: { readonly witness?: boolean }): Promise<Answer>;
  /** Whether a user is signed in here, and their name if the profile takes it as `user`; undefined without whoami. */
  whoami(): Promise<(Answer & { readonly user: unknown }) | undefined>;
  /** Records the name that whoami has for the user of this session, unless there is one: logins are compared with it. */
  identify(name: unknown): void;
  /** Lists the passkeys of the signed-in user. `credentialIds`: those of the list, base64url; undefined if the list has none. */
  list(): Promise<{ readonly answer: Answer; readonly credentialIds: readonly string[] | undefined; readonly labels: unknown }>;
  /** Removes a passkey, as its user does. */
  remove(passkey: RegisteredPasskey): Promise<Answer>;
  signOut(): Promise<Answer>;
  rename(passkey: RegisteredPasskey, label: string): Promise<Answer>;
  /** Begins a step-up by a passkey. Its response goes into `enter`. */
  beginStepUp(passkey: RegisteredPasskey): Promise<Begun<PublicKeyCredentialRequestOptionsJSON>>;
  /** Signs in with a password, proves anew who the signed-in user is, or finishes a recovery. */
  enter(action: AccountAction, inputs?: ActionInputs): Promise<Answer>;
  /** Asks for a recovery; the token is the one sent to its user, undefined if the profile takes none. `texts`: the full earlier answers. */
  beginRecovery(): Promise<{ readonly answer: Answer; readonly token: string | undefined; readonly texts: readonly string[] }>;
  /** Opens an account by the names and the password of the user of this session. `texts`: the answers in full. */
  signUp(): Promise<{ readonly answer: Answer; readonly texts: readonly string[] }>;
  /** Sets or lifts a gate of the user, as an administrator does: with an empty jar, and the values that `account` took. */
  turnGate(name: string, act: GateAct): Promise<Answer>;
  /** The values by which requests name the user, by variable: members of `user`, and values that `account` took; no secrets. */
  names(): JsonObject;
  /** The same browser; its requests name another user with these values. A ceremony under way continues. */
  claiming(names: JsonObject): Session;
  /** The same session; the requests that finish its ceremonies are forged. */
  forging(forgery: RequestForgery): Session;
  /** The ceremony that was begun last, if the client keeps a token of it. */
  carried(): CarriedCeremony | undefined;
  /** The same browser, which finishes a ceremony that another has begun, by its token. */
  carrying(ceremony: CarriedCeremony): Session;
  /** The cookies that this browser sends to the target, and whether it reaches it by https. */
  cookies(): { readonly list: readonly JarCookie[]; readonly isHttps: boolean };
  /** A copy without one of its cookies. */
  withoutCookie(name: string): Session;
  /** A copy with the current cookies and variables: those of an attacker who kept them, or of one of several simultaneous requests. */
  fork(): Session;
  /** A fresh jar for a login of the same user. */
  newVisit(): Session;
  /** A fresh jar of a visitor with a name like that of a user, and without an account. */
  newStranger(): Session;
  /** A fresh jar of a visitor with the names of this user, and another password. */
  newImpostor(): Session;
}

/** The users that a case can act as. */
export type User = 1 | 2;

/** The users of one case, and their registrations. */
export interface Scope {
  /**
   * A user with an account: a fresh one if the target has any number of users, otherwise the one in this position, from 1. Cases have two.
   *
   * @returns the signed-in session, or the answer of the account's request that was not accepted; undefined when the target has no such
   *   user.
   */
  openUser(position: number): Promise<Session | Answer | undefined>;
  /**
   * Deletes the registrations of the sessions that this scope opened since the last call, if the profile says how. Never throws for a
   * refusal; returns the passkeys or accounts that it could not delete.
   *
   * @param expectFound whether an answer 404 or 410 is a failure; by default it means that the case itself has deleted it
   * @param onAnswer called for each answer
   */
  cleanUp(options?: { readonly expectFound?: boolean; readonly onAnswer?: (answer: Answer) => void }): Promise<readonly string[]>;
}

/** A relying party under test. It is a scope itself. */
export interface Driver extends Scope {
  readonly has: TargetCapabilities;
  readonly name: string;
  /** Cases that the profile excludes, by id, each with the reason. */
  readonly skip: Readonly<Record<string, string>>;
  /** The states of the profile in which a user cannot sign in. */
  readonly gates: readonly Gate[];
  /** Origin of the application whose ceremonies run. */
  readonly origin: string;
  /**
   * Whether any client can open accounts by their names alone, in requests: without a letter, a command or a key of the operator, which would prove
   * more.
   */
  readonly opensAccounts: boolean;
  /** All challenges that the target has sent in the run, in order. */
  readonly challenges: readonly GivenChallenge[];
  /** Whether the profile says how to delete registrations, regardless of its variables. */
  readonly cleansUp: boolean;
  /** Whether the profile says how a user does this, how to ask who is signed in, or how to clean up. */
  offers(action: OwnAction | 'whoami' | 'cleanup'): boolean;
  /** Whether a list of requests reads a variable. */
  reads(variable: string, phase: Phase): boolean;
  /** Whether a ceremony sends a member of the credential, such as `response.signature`; forms have fields for only some of them. */
  sends(phase: 'register' | 'authenticate', member: string): boolean;
  /** For a case that runs beside others: it cleans up only its own registrations. */
  newScope(): Scope;
  /** Makes the accounts of the next users anew: a target that was restarted may not know the old ones. */
  forgetAccounts(): void;
  close(): void;
}
