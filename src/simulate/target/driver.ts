import type { JsonObject } from '../../kernel/json-value.js';
import type { PublicKeyCredentialCreationOptionsJSON, PublicKeyCredentialRequestOptionsJSON } from '../../webauthn/json.js';
import type { HttpRequest, LostConnection } from '../http/http.js';
import type { SignedIn } from '../report/deviation.js';
import type { FailedStep } from '../report/report.js';
import type { Gate, GateAct, Phase, TargetCapabilities } from './profile-schema.js';

/**
 * Outcome of a request or a whole ceremony at a relying party. `failed`: the response has a 5xx status, or the profile cannot read it.
 * `broken`: the connection broke.
 */
export type Outcome = 'accepted' | 'refused' | 'failed' | 'broken';

/** A request and its response, in the form in which a report shows them: shortened, and without cookies, tokens and passwords. */
export interface Exchange {
  /** Method and path of the request, e.g. `POST /path`, or the command of an `exec` step. */
  readonly request: string;
  /** Request body; empty if there was none. */
  readonly sent: string;
  /** HTTP status; undefined if no response came. */
  readonly status: number | undefined;
  /** Response body, or the reason why there is none. */
  readonly received: string;
}

/** Result of running a list of requests. */
export interface Answer {
  readonly outcome: Outcome;
  /** Explains the outcome: the status and message of the response, or why there is no response. */
  readonly said: string;
  readonly exchanges: readonly Exchange[];
  /** The target's name for the failed check, if the profile reads it. */
  readonly code: string | undefined;
  /** The step of the standard that the target names, if the profile reads it. */
  readonly step: FailedStep | undefined;
  /**
   * Observations that do not change the outcome, e.g. about options whose form differs from the standard, or about a response that `whoami`
   * contradicts.
   */
  readonly remarks: readonly string[];
  /** Values that the requests of the list took from responses, by name. */
  readonly taken: JsonObject;
  /** JSON of the last response, for checks of our own API. */
  readonly json: unknown;
  /** The exchange that decided the outcome. Undefined if no request was sent. */
  readonly decisive: Exchange | undefined;
  /** JSON Pointer in the profile, e.g. `/register/0`, of the request that decided the outcome. Undefined if no request was sent. */
  readonly at: string | undefined;
  /** Name of a variable that the deciding request needed but that has no value. */
  readonly absent: string | undefined;
  /** How the connection was lost during the deciding request, or during the `whoami` request after it. Undefined if it was not lost. */
  readonly lost: LostConnection | undefined;
  /** The user whom an accepted login signed in. */
  readonly signedIn?: SignedIn;
  /**
   * Set for an accepted login if the target's name for the owner of the passkey is not known yet. Contains the name that `whoami` returned
   * and the owner's user number.
   */
  readonly unmatched?: { readonly name: unknown; readonly owner: number };
}

/** Wishes of a case concerning a ceremony's options. Only the ones that the profile lists in `has.asks` are sent to the target. */
export interface Asks {
  readonly userVerification?: string;
  readonly attestation?: string;
  readonly residentKey?: string;
  readonly algorithms?: readonly number[];
  readonly extensions?: JsonObject;
  /** Origin of the application, for a target that serves several. Default: the origin of the page. */
  readonly origin?: string;
  /** Endpoint of our own API: `verify` sends an authentication to `verify` instead of `login`. */
  readonly endpoint?: string;
}

/** A challenge that the target sent in its options, with its recipient and the time of its arrival in milliseconds since the epoch. */
export interface GivenChallenge {
  readonly phase: 'registrationOptions' | 'authenticationOptions';
  /** Identifies the recipient of the challenge. Equal for the same user, or for the same browser if the options name no user. */
  readonly recipient: unknown;
  readonly challenge: string;
  readonly at: number;
}

/** A ceremony for which the target has sent options, parsed as a browser would parse them. */
export interface Begun<Options> {
  readonly answer: Answer;
  /** The options; undefined unless the target accepted the request and its options are readable. */
  readonly options: Options | undefined;
}

/** A token in which the client returns the challenge to the target: the challenge itself, or a value that came with the options. */
export interface ChallengeToken {
  readonly in: 'challenge' | 'variable' | 'cookie';
  /** Name of the variable or cookie that holds the token. */
  readonly name: string;
  readonly text: string;
  /** Milliseconds for which the token claims to be valid; undefined if it does not say so in plain text. */
  readonly lifetime: number | undefined;
}

/** The latest ceremony that a session has begun. */
export interface BegunCeremony {
  /** Kind of login; undefined for a registration. */
  readonly login: Login | undefined;
  readonly passkey: RegisteredPasskey | undefined;
  readonly ask: Asks;
  /** Values that the ceremony's requests took from responses, including the options as the target sent them. */
  readonly taken: JsonObject;
  readonly rpId: string;
  /** User handle in base64url; undefined for a login. */
  readonly userHandle: string | undefined;
  /** Token in which the client returns the challenge to the target. Undefined if the target stores challenges itself. */
  readonly token?: ChallengeToken | undefined;
}

/** A ceremony that can be finished in any browser that has the ceremony's token. */
export type CarriedCeremony = BegunCeremony & { readonly token: ChallengeToken };

/** A passkey that the target has accepted. */
export interface RegisteredPasskey {
  /** Credential ID in base64url. */
  readonly credentialId: string;
  /** Values that the requests of `register` took from responses. */
  readonly taken: JsonObject;
}

export type Login = 'named' | 'discoverable';

/** Changes a request before it is sent, into one that no page would send. */
export type RequestForgery = (request: HttpRequest) => HttpRequest;

/** Actions of users on their own passkeys, sessions and accounts. Each is available only if the profile describes it. */
export type OwnAction = Extract<Phase, 'list' | 'rename' | 'remove' | 'signOut' | AccountAction>;

/** Ways to enter or recover an account without a passkey login. */
type AccountAction = 'password' | 'stepUp' | 'recover';

/** Inputs of a user's action. */
export interface ActionInputs {
  /** New label for the passkey. */
  readonly label?: string;
  /** Password to send; default: the user's own. */
  readonly password?: string;
  readonly recoveryToken?: string;
  /** Response of a passkey to the options of a step-up, in which a signed-in user proves their identity again. */
  readonly credential?: JsonObject;
}

/** Attributes of a cookie, without its value. */
export interface JarCookie {
  readonly name: string;
  readonly httpOnly: boolean;
  readonly secure: boolean;
  /** SameSite attribute of the cookie in lower case. Undefined if the cookie does not set it. */
  readonly sameSite: string | undefined;
}

/** One simulated browser session, with its cookie jar and the values taken from responses. Its user may or may not be signed in. */
export interface Session {
  /** Number of the user in this run, from 1. */
  readonly user: number;
  /** Password of the user, for profiles whose accounts have one. */
  readonly password: string;
  /** Returns how many registrations of this session the target has accepted. */
  passkeys(): number;
  beginRegistration(asks?: Asks): Promise<Begun<PublicKeyCredentialCreationOptionsJSON>>;
  /**
   * Sends a response to the latest registration options of this session. If the target accepts the passkey, records it for cleanup.
   *
   * @param credential a credential, or any other value to send instead of one.
   */
  finishRegistration(credential: unknown, more?: JsonObject): Promise<Answer>;
  beginAuthentication(login: Login, passkey?: RegisteredPasskey, asks?: Asks): Promise<Begun<PublicKeyCredentialRequestOptionsJSON>>;
  /**
   * Sends a response to the latest authentication options of this session. Then requests `whoami` if the profile describes it, unless
   * `witness` is false.
   */
  finishAuthentication(credential: unknown, options?: { readonly witness?: boolean }): Promise<Answer>;
  /**
   * Finds out whether a user is signed in, and under which name if the profile takes `user`. Returns undefined if the profile does not
   * describe `whoami`.
   */
  whoami(): Promise<(Answer & { readonly user: unknown }) | undefined>;
  /**
   * Records the name that `whoami` gives the user of this session, so that later logins can be compared with it. Does not replace a name
   * that is already recorded.
   */
  identify(name: unknown): void;
  /**
   * Lists the passkeys of the signed-in user. `credentialIds` are in base64url; undefined if the target's list contains no credential IDs.
   */
  list(): Promise<{ readonly answer: Answer; readonly credentialIds: readonly string[] | undefined; readonly labels: unknown }>;
  /** Removes a passkey, as the user would do on the page. */
  remove(passkey: RegisteredPasskey): Promise<Answer>;
  signOut(): Promise<Answer>;
  rename(passkey: RegisteredPasskey, label: string): Promise<Answer>;
  /** Begins a step-up with a passkey. Call `enter` to send the passkey's response. */
  beginStepUp(passkey: RegisteredPasskey): Promise<Begun<PublicKeyCredentialRequestOptionsJSON>>;
  /** Signs in with a password, finishes a step-up (in which the signed-in user proves their identity again), or finishes a recovery. */
  enter(action: AccountAction, inputs?: ActionInputs): Promise<Answer>;
  /**
   * Requests the recovery of an account. `token` is the code or token that the server sent to the user; undefined if the profile takes
   * none. `texts` are the complete bodies of the responses before the one with the token.
   */
  beginRecovery(): Promise<{ readonly answer: Answer; readonly token: string | undefined; readonly texts: readonly string[] }>;
  /** Opens an account with the names and the password of this session's user. `texts` are the complete response bodies. */
  signUp(): Promise<{ readonly answer: Answer; readonly texts: readonly string[] }>;
  /** Sets or lifts a gate for the user, as an administrator would. Uses an empty cookie jar and the values taken by `account`. */
  turnGate(name: string, act: GateAct): Promise<Answer>;
  /** Lists the values with which requests name the user, by variable: members of `user` and values taken by `account`, without secrets. */
  names(): JsonObject;
  /**
   * Returns a session in the same browser whose requests use these values to name another user. A ceremony that has already begun
   * continues.
   */
  claiming(names: JsonObject): Session;
  /** Returns the same session, except that `forgery` changes every request that finishes a ceremony. */
  forging(forgery: RequestForgery): Session;
  /** Returns the latest ceremony if the client keeps a token for it, otherwise undefined. */
  carried(): CarriedCeremony | undefined;
  /** Returns a session in this browser that can finish a ceremony of another session with that ceremony's token. */
  carrying(ceremony: CarriedCeremony): Session;
  /** Lists the cookies that this browser sends to the target. `isHttps` tells whether the target uses https. */
  cookies(): { readonly list: readonly JarCookie[]; readonly isHttps: boolean };
  /** Returns a copy of the session that lacks one cookie. */
  withoutCookie(name: string): Session;
  /**
   * Returns a copy of the session with its current cookies and variables, e.g. for an attacker who stole them or for one of several
   * simultaneous requests.
   */
  fork(): Session;
  /** Returns a session with an empty cookie jar, for another login of the same user. */
  newVisit(): Session;
  /** Returns a session of a visitor who has no account, but a name like that of a user. */
  newStranger(): Session;
  /** Returns a session of a visitor who uses this user's names but another password. */
  newImpostor(): Session;
}

/** Number of a user that a case can act as. */
export type User = 1 | 2;

/** Users of one case, and their registrations. */
export interface Scope {
  /**
   * Opens a session of a user with an account. If the target allows any number of users, each call opens a new account. Otherwise, the user
   * with the given position, counted from 1, is always the same. Cases have two users.
   *
   * @returns the signed-in session, or the response that refused the account; undefined if the target has no such user.
   */
  openUser(position: number): Promise<Session | Answer | undefined>;
  /**
   * Deletes the registrations made in this scope since the last call, if the profile describes how. Does not throw if the target refuses a
   * deletion, but returns the passkeys or accounts that could not be deleted.
   *
   * @param expectFound whether a 404 or 410 response is a failure; by default it means that the case itself has deleted the passkey
   * @param onAnswer called for each response
   */
  cleanUp(options?: { readonly expectFound?: boolean; readonly onAnswer?: (answer: Answer) => void }): Promise<readonly string[]>;
}

/** A relying party under test. The driver is also a scope, for runs that need no separate ones. */
export interface Driver extends Scope {
  readonly has: TargetCapabilities;
  readonly name: string;
  /** Cases that the profile excludes from runs: maps each case ID to the reason. */
  readonly skip: Readonly<Record<string, string>>;
  /** Gates that the profile describes. A gate is a state of a user, e.g. locked, in which the user cannot sign in. */
  readonly gates: readonly Gate[];
  /** Origin of the application that runs the ceremonies. */
  readonly origin: string;
  /**
   * Whether any client can open an account by sending only a name. False if that also takes an e-mail sent to the user, or a command or key
   * of the operator.
   */
  readonly opensAccounts: boolean;
  /** All challenges that the target has sent in this run, in order. */
  readonly challenges: readonly GivenChallenge[];
  /** Whether the profile describes how to delete registrations. */
  readonly cleansUp: boolean;
  /** Whether the profile has requests for this action of a user, for whoami, or for cleanup. */
  offers(action: OwnAction | 'whoami' | 'cleanup'): boolean;
  /** Whether a list of requests in the profile reads this variable. */
  reads(variable: string, phase: Phase): boolean;
  /**
   * Whether the requests of a ceremony send this member of the credential, such as `response.signature`, to the target. Forms have fields
   * for only some members.
   */
  sends(phase: 'register' | 'authenticate', member: string): boolean;
  /** Creates a scope for a case that runs in parallel with others, so that it cleans up only its own registrations. */
  newScope(): Scope;
  /** Makes the driver open new accounts for users from now on, because a restarted target may not know the old accounts. */
  forgetAccounts(): void;
  close(): void;
}
