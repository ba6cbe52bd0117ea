import { randomBytes, randomInt } from 'node:crypto';
import { asObject, type JsonObject } from '../../kernel/json-value.js';
import { encodeBase64url } from '../../webauthn/base64url.js';
import { readStep } from '../report/problem-texts.js';
import type { CompiledProfile } from './compile-profile.js';
import { type CookieJar, createCookieJar } from './cookie-jar.js';
import type { ActionInputs, Answer, Asks, BegunCeremony, GivenChallenge, RegisteredPasskey } from './driver.js';
import { redacting, shorten } from './exchange.js';
import type { GateList, Phase, TargetCapabilities } from './profile-schema.js';
import { type ListResult, type Reach, runList } from './requests.js';
import { type GivenVariable, SPECIAL_TAKES, type TestUser } from './variables.js';

/**
 * Domain for e-mail addresses of test users. It is reserved for examples (RFC 2606 §3), so that mail to it reaches no person. Unlike
 * `.test` and `.invalid`, servers accept it as a real domain.
 */
const MAIL_DOMAIN = 'example.com';

/** Makes a random string that distinguishes the users of this run from those of other runs: 8 lower-case letters and digits. */
export function newRun(): string {
  const alphabet = 'abcdefghijklmnopqrstuvwxyz0123456789';
  return Array.from({ length: 8 }, () => alphabet.charAt(randomInt(alphabet.length))).join('');
}

/** Makes a user with a new password of 27 characters, which include lower-case and upper-case letters, digits and symbols. */
export function newUser({ number, name, token }: Pick<TestUser, 'number' | 'name' | 'token'>): TestUser {
  const password = `${encodeBase64url(randomBytes(16)).slice(0, 22)}-aZ9!`;
  return {
    number,
    name,
    email: name.includes('@') ? name : `${name}@${MAIL_DOMAIN}`,
    displayName: `Passkey Simulate ${number}`,
    password,
    token,
  };
}

/** State that all sessions of a driver share. */
export interface OpenTarget extends Reach {
  readonly profile: CompiledProfile;
  readonly has: TargetCapabilities;
  readonly origin: string;
  readonly run: string;
  /** Variables of the profile with their values, after `--set` has replaced some of them. */
  readonly variables: Readonly<Record<string, string>>;
  /** Challenges that the target has sent in this run, the latest last. */
  readonly challenges: GivenChallenge[];
  now(): number;
}

/**
 * State that a session shares with its forks. They have the same cookies, so that a login in one of them may sign in the user in all of
 * them.
 */
interface Visit {
  /** Whether a user may already be signed in. If so, `whoami` proves nothing about a refused login. */
  signedIn: boolean;
  /** Number of logins that were sent and not yet answered. */
  pending: number;
}

/** State of one browser session. */
export interface SessionState {
  readonly user: TestUser;
  readonly jar: CookieJar;
  /** Values that the requests of `account` took from responses. They are available in every session of the user. */
  readonly account: JsonObject;
  /** Values that all lists of requests in this session took from responses, except the lists that request options. */
  taken: JsonObject;
  page: URL;
  readonly visit: Visit;
  ceremony: BegunCeremony | undefined;
  /** Number of passkeys that the target has accepted in this session. */
  passkeys: number;
  /** Values with which requests name another user instead of the session's own user, by variable. */
  readonly claims?: JsonObject;
}

/** Makes the state of a session with an empty cookie jar. */
export function freshState(user: TestUser, account: JsonObject, page: URL): SessionState {
  const visit = { signedIn: false, pending: 0 };
  return { user, jar: createCookieJar(), account, taken: account, page, visit, ceremony: undefined, passkeys: 0 };
}

export function copyState(state: SessionState): SessionState {
  return { ...state, jar: state.jar.copy(), visit: { ...state.visit } };
}

/** Inputs of a list of requests in addition to the state of its session. */
interface Given {
  readonly ceremony?: BegunCeremony | undefined;
  readonly credential?: unknown;
  readonly registered?: RegisteredPasskey | undefined;
  readonly cleanUpWithin?: number;
  readonly inputs?: ActionInputs | undefined;
  /**
   * Part of the list to run. `beginning`: up to and including the request that takes the value named in {@link CUT_AT}. `end`: the requests
   * after it. Default: the whole list.
   */
  readonly part?: 'beginning' | 'end' | undefined;
}

/** Name under which a profile takes the code or token that finishes a recovery. */
export const RECOVERY_TOKEN = 'recoveryToken';

/** Where to divide the lists that run in two parts: the first part ends with the request that takes a value with this name. */
const CUT_AT: Readonly<Partial<Record<Phase | GateList, string>>> = { recover: RECOVERY_TOKEN, stepUp: 'options' };

/** Runs a list of the profile's requests in a session. */
export async function runPhase(target: OpenTarget, state: SessionState, phase: Phase | GateList, given: Given = {}): Promise<ListResult> {
  const requests = target.profile.lists[phase] ?? [];
  const begun = requests.findLastIndex(({ takes }) => takes.some(({ name }) => name === CUT_AT[phase])) + 1;
  const parts = { beginning: requests.slice(0, begun), end: requests.slice(begun) };
  const result = await runList(
    {
      requests: given.part === undefined ? requests : parts[given.part],
      scope: buildScope(target, state, given),
      special: SPECIAL_TAKES[phase] ?? [],
      jar: state.jar,
      page: state.page,
      redact: () => redacting([...collectSecrets(target, state), given.inputs?.recoveryToken]),
      cleanUpWithin: given.cleanUpWithin,
    },
    target,
  );
  // A witness looks on.
  if (phase !== 'whoami') state.page = result.page;
  return result;
}

function buildScope(
  target: OpenTarget,
  { user, taken, jar, page, claims = {} }: SessionState,
  { ceremony, credential, registered, inputs = {} }: Given,
): Record<string, unknown> {
  const scope: Record<string, unknown> & Record<Exclude<GivenVariable, 'cookie'>, unknown> = {
    ...target.variables,
    ...taken,
    ...ceremony?.taken,
    ...(inputs.recoveryToken !== undefined && { [RECOVERY_TOKEN]: inputs.recoveryToken }),
    url: target.url.href.replace(/\/$/, ''),
    origin: target.origin,
    rpId: ceremony?.rpId,
    run: target.run,
    ...claims,
    user: {
      ...user,
      handle: ceremony?.userHandle,
      ...listClaimed(claims),
      ...(inputs.password !== undefined && { password: inputs.password }),
    },
    env: target.env,
    credential,
    registered: registered && { ...registered.taken, credentialId: registered.credentialId, newLabel: inputs.label },
    named: ceremony?.login === 'named',
    discoverable: ceremony?.login === 'discoverable',
    ask: ceremony === undefined ? {} : selectAsks({ origin: target.origin, ...ceremony.ask }, target.has),
    time: target.now(),
  };
  // Cookies change from request to request.
  return target.profile.uses('cookie') ? Object.defineProperty(scope, 'cookie', { get: () => jar.sent(page.href) }) : scope;
}

const USER = 'user.';

/** Selects the members of a test user that are names, as variables. */
export const listNames = ({ name, email, displayName }: TestUser): JsonObject =>
  Object.fromEntries(Object.entries({ name, email, displayName }).map(([member, value]) => [`${USER}${member}`, value]));

/** Selects those claimed values that replace members of the variable `user`. */
function listClaimed(claims: JsonObject): JsonObject {
  const members = Object.entries(claims).filter(([name]) => name.startsWith(USER));
  return Object.fromEntries(members.map(([name, value]) => [name.slice(USER.length), value]));
}

/** Judges by a variable's name whether its value is secret. */
export const isSecret = (name: string): boolean => SECRET_VARIABLE.test(name);

/** Selects those wishes of a case that the profile can pass on to the target. */
function selectAsks(ask: Asks, { asks = [] }: TargetCapabilities): JsonObject {
  return Object.fromEntries(asks.filter((name) => ask[name] !== undefined).map((name) => [name, ask[name]]));
}

const SECRET_VARIABLE = /token|jwt|secret|passw|csrf/i;

function collectSecrets({ profile, env }: OpenTarget, { user, jar, taken }: SessionState): (string | undefined)[] {
  const read = profile.environment.map(({ name }) => env[name]);
  const variables = Object.entries(taken).flatMap(([name, value]) =>
    SECRET_VARIABLE.test(name) && typeof value === 'string' ? [value] : [],
  );
  return [user.password, user.token, ...read, ...variables, ...jar.values()];
}

/** Maximum length, in characters, of the target's name for a failed check. Real names are far shorter. */
const MAX_CODE = 200;

/** Converts the result of a list of requests to the form that cases read. */
export function readAnswer(result: ListResult, remarks: readonly string[] = []): Answer {
  const { outcome, said, exchanges, decisive, taken, special, json, at, absent, lost } = result;
  const { code, step } = special;
  return {
    outcome,
    said,
    exchanges,
    decisive,
    code: typeof code === 'string' ? shorten(code, MAX_CODE) : undefined,
    step: readStep(asObject(step)),
    remarks,
    taken,
    json,
    at,
    absent,
    lost,
  };
}
