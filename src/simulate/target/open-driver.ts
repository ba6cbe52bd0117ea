import { PasskeyError } from '../../errors.js';
import { isLoopbackAddress } from '../../webauthn/loopback.js';
import { parseUrl } from '../../webauthn/rp-id.js';
import { createHttpTarget, type HttpTarget, isUnavailable, type TargetOptions } from '../http/http.js';
import { type RetryOptions, retryRateLimited } from '../http/rate-limit.js';
import { checkAllowed, mayFollow } from './allowed.js';
import { type CompiledProfile, checkProfile } from './compile-profile.js';
import type { Answer, Driver, RegisteredPasskey, Scope } from './driver.js';
import { countUsers, listGates, type TargetCapabilities, type TargetProfile } from './profile-schema.js';
import type { ReadProfile } from './read-profile.js';
import type { ListResult } from './requests.js';
import { copyState, freshState, newRun, newUser, type OpenTarget, readAnswer, runPhase, type SessionState } from './run-phase.js';
import { createSession, type Ledger } from './session.js';

/** How to reach a relying party that a profile describes. */
export interface DriverOptions extends Pick<TargetOptions, 'ca' | 'addresses' | 'answerWithin'>, RetryOptions {
  readonly profile: ReadProfile;
  /** Base URL to which the profile's paths are appended; it may contain a path. */
  readonly url: string;
  /**
   * Origin of the application that runs the ceremonies. Default: the profile's origin, otherwise the origin of `url`, with `localhost`
   * instead of a loopback address.
   */
  readonly origin?: string | undefined;
  /** Bearer tokens of the first users, for a profile that reads `user.token`. */
  readonly tokens?: readonly string[];
  /** Values that replace the profile's own variables, by name. */
  readonly variables?: Readonly<Record<string, string>>;
  /** Hosts other than this machine that may be attacked, with or without a port. */
  readonly allowHosts?: readonly string[];
  /**
   * Environment variables for expressions with `env` in the profile and for the commands that it runs. Default: none, so that `env` is
   * empty and commands find no PATH.
   */
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** HTTP client to use, which the driver does not close. Default: the driver creates its own. */
  readonly connections?: HttpTarget;
}

/** Capabilities that a target has unless its profile says otherwise. */
const HAS_BY_DEFAULT: TargetCapabilities = {
  users: 'any',
  logins: ['named', 'discoverable'],
  formats: ['none'],
  trust: 'none',
  asks: [],
  counter: 'refuse',
  codes: false,
  steps: false,
};

/**
 * Opens a relying party that a profile describes. Does not send anything yet.
 *
 * @param alreadyCompiled the same profile in compiled form, to save a millisecond for callers that open a driver for each case.
 * @throws PasskeyError `usage` for an invalid URL, a host that is neither this machine nor allowed, a variable that the profile does not
 * have, or an environment variable that is not set; `configuration_invalid` for a profile with mistakes.
 */
export function openDriver(options: DriverOptions, alreadyCompiled?: CompiledProfile): Driver {
  const { allowHosts = [], tokens = [], env = {}, signal } = options;
  const { profile, where } = options.profile;
  const url = baseUrl(options.url);
  checkAllowed(url, allowHosts);
  const compiled = alreadyCompiled ?? checkProfile(profile, where);
  checkEnvironment(compiled, env);
  const connections = options.connections ?? openConnections(url, options);
  const has = { ...HAS_BY_DEFAULT, ...profile.has };
  if (compiled.uses('user.token')) has.users = Math.min(countUsers(has), tokens.length);
  const target: OpenTarget = {
    url,
    send: (request) => connections.send(request),
    mayFollow: (asked) => mayFollow(asked, url, allowHosts),
    env,
    signal,
    where,
    profile: compiled,
    has,
    origin: readOrigin(options.origin ?? profile.origin, url),
    run: newRun(),
    variables: resolveVariables(profile, options.variables ?? {}),
    challenges: [],
    now: Date.now,
  };
  const users: Users = { target, tokens, accounts: new Map(), identities: new Map(), owners: new Map(), made: 0 };
  return {
    has,
    name: profile.name,
    skip: profile.skip ?? {},
    gates: listGates(profile),
    opensAccounts: !areScarce(users) && signsUpOpenly(profile, compiled),
    origin: target.origin,
    challenges: target.challenges,
    cleansUp: profile.cleanup?.some((request) => request.if === undefined && request.unless === undefined) === true,
    offers: (action) => compiled.lists[action].length > 0,
    reads: (variable, phase) => compiled.uses(variable, phase),
    sends: (phase, member) => compiled.reaches(`credential.${member}`, phase),
    ...newScope(users),
    newScope: () => newScope(users),
    forgetAccounts: () => users.accounts.clear(),
    close() {
      if (options.connections === undefined) connections.close();
    },
  };
}

function openConnections(url: URL, { signal, answerWithin, ca, addresses, onPause }: DriverOptions): HttpTarget {
  return retryRateLimited(createHttpTarget(url, { signal, answerWithin, ca, addresses }), { onPause, signal });
}

function baseUrl(text: string): URL {
  const url = parseUrl(text);
  const plain = url !== undefined && /^https?:$/.test(url.protocol) && url.href === url.origin + url.pathname;
  if (plain) return url;
  const shown = withoutPassword(text);
  throw new PasskeyError('usage', `Expected the http or https URL of a server, such as http://localhost:3000/app, got "${shown}".`);
}

/** Masks the user name and password in a URL, even if the string is not a valid URL. */
export const withoutPassword = (text: string): string => text.replace(/^([a-z][a-z0-9+.-]*:\/\/)?.*@/is, '$1…@');

/**
 * Determines the origin of the application. Replaces a loopback address with `localhost`, because no client accepts an IP address as RP ID.
 */
function readOrigin(given: string | undefined, url: URL): string {
  const base = new URL(url);
  if (given === undefined && isLoopbackAddress(base.hostname)) base.hostname = 'localhost';
  const origin = given === undefined ? base : parseUrl(given);
  if (origin !== undefined && /^https?:$/.test(origin.protocol)) return origin.origin;
  throw new PasskeyError('usage', `Expected an origin such as http://localhost:3000, got "${withoutPassword(given ?? '')}".`);
}

function resolveVariables(
  { name, variables = {} }: TargetProfile,
  set: Readonly<Record<string, string>>,
): Readonly<Record<string, string>> {
  const unknown = Object.keys(set).find((variable) => !Object.hasOwn(variables, variable));
  if (unknown === undefined) return { ...variables, ...set };
  const known = Object.keys(variables);
  const expected =
    known.length === 0 ? `The profile ${name} has no variables` : `Expected a variable of the profile ${name} (${known.join(', ')})`;
  throw new PasskeyError('usage', `${expected}; got --set ${unknown}.`);
}

function checkEnvironment({ environment }: CompiledProfile, env: Readonly<Record<string, string | undefined>>): void {
  const missing = environment.find(({ expression }) => !expression.optional && expression.evaluate({ env }) === undefined);
  if (missing === undefined) return;
  throw new PasskeyError(
    'usage',
    `The profile reads {${missing.expression.text}}, which is not set. Set the environment variable ${missing.name}.`,
  );
}

/**
 * Whether any visitor can sign up, because the requests of `account` send only names of the user. A GET request with a value of the user in
 * its URL counts as reading the user's e-mail, which strangers cannot do.
 */
function signsUpOpenly({ account = [] }: TargetProfile, { uses, lists }: CompiledProfile): boolean {
  const proves = uses('env', 'account') || lists.account.some(({ action }) => action.kind === 'exec');
  const readsLetters = account.some(({ request }) => request !== undefined && /^GET\b.*\{user\./s.test(request));
  return !proves && !readsLetters && (uses('user.name', 'account') || uses('user.email', 'account'));
}

/** Users of a driver, which are shared by all its scopes. */
interface Users {
  readonly target: OpenTarget;
  readonly tokens: readonly string[];
  /** Accounts by user number: the session that opened the account, or the response that refused it. */
  readonly accounts: Map<number, Promise<SessionState | Answer>>;
  /** The target's name for each user, by user number. */
  readonly identities: Map<number, unknown>;
  /** Maps each credential ID to the number of the user who registered that passkey. */
  readonly owners: Map<unknown, number>;
  /** Number of accounts opened so far. Each gets a new name, because the name of a deleted account may stay reserved. */
  made: number;
}

/** Whether the target has a limited number of users, so that all cases share the same ones. */
const areScarce = ({ target }: Users): boolean => countUsers(target.has) !== Number.POSITIVE_INFINITY;

async function makeAccount(users: Users, number: number): Promise<SessionState | Answer> {
  const { target, identities, tokens } = users;
  users.made += 1;
  const user = newUser({ number, name: `passkey-simulate-${target.run}-${users.made}`, token: tokens[number - 1] });
  const state = freshState(user, {}, target.url);
  const result = await runPhase(target, state, 'account');
  if (result.outcome !== 'accepted') return readAnswer(result);
  const signedIn: SessionState = {
    ...state,
    account: result.taken,
    taken: result.taken,
    visit: { signedIn: result.made > 0, pending: 0 },
  };
  if (result.made > 0 && target.profile.takes('user', 'whoami')) {
    const witness = await runPhase(target, signedIn, 'whoami');
    if (witness.outcome === 'accepted') identities.set(number, witness.special['user']);
  }
  return signedIn;
}

/** Sessions and registrations of one scope since its last cleanup. */
interface Traces {
  readonly sessions: SessionState[];
  /** Accepted passkeys, each with the session that registered it. */
  readonly passkeys: { readonly passkey: RegisteredPasskey; readonly state: SessionState }[];
}

function newScope(users: Users): Scope {
  const traces: Traces = { sessions: [], passkeys: [] };
  const ledger = createLedger(users, traces);
  return {
    async openUser(position) {
      const state = await openUser(users, position);
      if (state === undefined || 'outcome' in state) return state;
      traces.sessions.push(state);
      return createSession(users.target, state, ledger);
    },
    cleanUp(options = {}) {
      const taken: Traces = { sessions: traces.sessions.splice(0), passkeys: traces.passkeys.splice(0) };
      return cleanUp(users, taken, options);
    },
  };
}

/** Opens a session as a copy of the one in which the user's account was opened. Undefined if the target has no such user. */
async function openUser(users: Users, position: number): Promise<SessionState | Answer | undefined> {
  const { accounts, target } = users;
  if (position > countUsers(target.has)) return undefined;
  const isReused = areScarce(users);
  const number = isReused ? position : users.made + 1;
  const making = accounts.get(number) ?? makeAccount(users, number);
  if (isReused) accounts.set(number, making);
  const account = await making;
  if (!('outcome' in account)) return copyState(account);
  accounts.delete(number);
  return account;
}

function createLedger({ owners, identities }: Users, { sessions, passkeys }: Traces): Ledger {
  const ownerOf: Ledger['ownerOf'] = (credentialId, { user }) => owners.get(credentialId) ?? user.number;
  return {
    open: (state) => void sessions.push(state),
    note(passkey, state) {
      passkeys.push({ passkey, state });
      // A target may let another user register the same ID: the passkey stays that of the first.
      if (!owners.has(passkey.credentialId)) owners.set(passkey.credentialId, state.user.number);
    },
    identify(name, { user }) {
      if (name !== undefined && !identities.has(user.number)) identities.set(user.number, name);
    },
    ownerOf,
    identityOf: (credentialId, state) => identities.get(ownerOf(credentialId, state)),
  };
}

async function cleanUp(
  { target, accounts }: Users,
  { sessions, passkeys }: Traces,
  { expectFound = false, onAnswer }: CleanUpOptions,
): Promise<readonly string[]> {
  const { profile } = target;
  if (profile.lists.cleanup.length === 0) return [];
  const left: string[] = [];
  const isPerPasskey = profile.uses('registered', 'cleanup');
  const tasks = isPerPasskey ? passkeys : firstOfEachUser(sessions).map((state) => ({ state, passkey: undefined }));
  for (const { state, passkey } of tasks) {
    const result = await retryUnavailable(() =>
      runPhase(target, state, 'cleanup', { registered: passkey, cleanUpWithin: CLEAN_UP_WITHIN_MS }),
    );
    onAnswer?.(readAnswer(result));
    const isGone = result.outcome === 'accepted' || (!expectFound && GONE.includes(result.decisive?.status ?? 0));
    if (isGone && !isPerPasskey) accounts.delete(state.user.number);
    if (!isGone) left.push(`${passkey === undefined ? 'The account' : 'A passkey'} of ${state.user.name}: ${result.said}`);
  }
  return left;
}

type CleanUpOptions = NonNullable<Parameters<Scope['cleanUp']>[0]>;

const CLEAN_UP_WITHIN_MS = 10_000;

/** Runs a cleanup request. Repeats the request once if the server was unavailable, because leftovers of one case may mislead the next. */
async function retryUnavailable(request: () => Promise<ListResult>): Promise<ListResult> {
  const result = await request();
  return isUnavailable(result.decisive?.status) ? request() : result;
}

/** Status codes of a deletion which mean that the passkey no longer exists, because the case itself has deleted it. */
const GONE = [404, 410];

function firstOfEachUser(sessions: readonly SessionState[]): readonly SessionState[] {
  return sessions.filter((session, index) => sessions.findIndex(({ user }) => user.number === session.user.number) === index);
}
