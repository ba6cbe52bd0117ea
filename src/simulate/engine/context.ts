import { setTimeout } from 'node:timers/promises';
import type { KeyPairSource } from '../../authenticator/key-pair.js';
import { PasskeyError } from '../../errors.js';
import type { Driver, Exchange, Scope, Session, User } from '../target/driver.js';
import { TOP_ORIGIN, whyNoUser } from './demands.js';
import { IN_PROCESS_ORIGIN, type InProcessServer, type ServerSetup, type ServerUnderTest } from './in-process.js';
import { notPrepared } from './outcome.js';
import type { Api, Recovery, RemoteTarget } from './remote-target.js';
import { describeEnd, type Ended, notApplicable, ScenarioEnded, toVerdict, type Verdict } from './scenario.js';
import { type Attempted, concludeAttempts, describeRepeat, mayEndOtherwise } from './unsteady.js';
import { findAnswered, newWatch, note, reported, type Watch, watched, withNotes } from './watch.js';

interface Latest {
  readonly key: string;
  readonly exchange: Exchange;
}

/** Our own API, with the capabilities that its profile describes. */
export interface OwnApi extends Pick<Driver, 'has' | 'gates' | 'opensAccounts' | 'offers' | 'reads'> {
  /** Opens our own API on a server in this process, for an application on this origin. */
  open(server: ServerUnderTest, users: { readonly origin: string; readonly tokens: readonly string[] }): Driver;
}

/** State that all scenarios of a run share. */
export interface RunContext {
  /** Borrows a server in this process. No other scenario uses the server until it is given back. */
  borrowServer(): InProcessServer;
  giveBack(server: InProcessServer): void;
  /** The last request that the target answered, with the key of the scenario that sent it. */
  latest: Latest | undefined;
  /** The running target; undefined if the run starts its own server in this process. */
  readonly remote: RemoteTarget | undefined;
  readonly ownApi: OwnApi;
  readonly newPrivateKey: KeyPairSource;
  /** Signal that ends the run when it is aborted. */
  readonly signal: AbortSignal | undefined;
  close(): Promise<void>;
}

/** Environment of one running scenario: the relying party that it tests, and up to two users. */
export interface CaseContext {
  readonly driver: Driver;
  /** Origin of the application that runs the ceremonies. */
  readonly origin: string;
  /** A top-level origin that the target accepts; undefined if none is known. */
  readonly topOrigin: string | undefined;
  /**
   * Returns the session in which a user is signed in. Every call for the same user returns the same session. If the target has no such
   * user, the case ends as not applicable.
   */
  session(user: User): Promise<Session>;
  /** Returns the same context with new sessions. The users are new too if the target has an unlimited number of users. */
  inNewSessions(): CaseContext;
  /** Deletes everything that the case registered. Returns the passkeys that could not be deleted. */
  cleanUp(): Promise<readonly string[]>;
  /** Direct access to our own API; undefined when the target is another server. */
  readonly api: Api | undefined;
  /** Store and clock of the server under test; undefined unless that server runs in this process. */
  readonly server: ServerUnderTest | undefined;
  /** Moves the clock of a target that has its own clock; undefined for other targets. */
  readonly passTime: RemoteTarget['passTime'];
  readonly newPrivateKey: KeyPairSource;
  /** Signal that ends the run when it is aborted. */
  readonly signal: AbortSignal | undefined;
  /** Adds a remark to the result of the case. */
  remark(text: string): void;
}

export interface ContextOptions {
  /** Key of the scenario, made by `caseKey`. */
  readonly key: string;
  readonly setup: ServerSetup;
  /** Origin of the application that uses the server in this process. A remote target has its own origin instead. */
  readonly origin?: string;
}

/** Opens a context, runs a scenario in it, and cleans up. */
export async function inContext(
  run: RunContext,
  options: ContextOptions,
  scenario: (context: CaseContext) => Promise<Verdict>,
): Promise<Verdict> {
  const { remote } = run;
  const watch = newWatch();
  if (remote === undefined) return withNotes(await inProcess(run, options, watch, scenario), watch);
  const attempts: Attempt[] = [];
  let again: boolean | undefined;
  do {
    if (again === true) remote.driver.forgetAccounts();
    // From its beginning: the challenge may be spent.
    const attempt = await onTarget(remote, options.key, run, scenario);
    attempts.push(attempt);
    again = attempt.broken ? attempt.again === true && attempts.length === 1 : mayEndOtherwise(attempts);
  } while (again);
  return joinAttempts(attempts);
}

function joinAttempts(attempts: readonly Attempt[]): Verdict {
  const verdict = concludeAttempts(attempts);
  if (verdict === undefined) throw new TypeError('Expected a scenario to run at least once.');
  if (attempts.length === 1) return verdict;
  const disturbed = verdict.status === 'not_run' ? undefined : describeRepeat(attempts);
  const remarks = new Set([
    ...attempts.flatMap((attempt) => attempt.verdict.remarks ?? []),
    ...(disturbed === undefined ? [] : [disturbed]),
  ]);
  const ended = attempts.find((attempt) => attempt.verdict.ended !== undefined)?.verdict.ended;
  return { ...verdict, remarks: [...remarks], ...(ended && { ended }) };
}

async function endsEarly(pending: Promise<Verdict>): Promise<Verdict> {
  try {
    return await pending;
  } catch (error) {
    if (error instanceof ScenarioEnded) return error.verdict;
    throw error;
  }
}

async function inProcess(
  run: RunContext,
  { setup, origin = IN_PROCESS_ORIGIN }: ContextOptions,
  watch: Watch,
  scenario: (context: CaseContext) => Promise<Verdict>,
): Promise<Verdict> {
  return withServer(run, async (inProcessServer) => {
    const server = await inProcessServer.open(setup);
    const tokens = await Promise.all([1, 2].map((user) => newToken(server, user)));
    const driver = run.ownApi.open(server, { origin, tokens });
    const api: Api = { target: server.target, token: (user) => tokens[user - 1] };
    const context = createContext({ driver, scope: driver, api, topOrigin: TOP_ORIGIN, passTime: undefined }, run, watch, server);
    return endsEarly(scenario(context));
  });
}

/** Runs a scenario with a server in this process that no other scenario uses at the same time. */
export async function withServer(run: RunContext, scenario: (server: InProcessServer) => Promise<Verdict>): Promise<Verdict> {
  const server = run.borrowServer();
  try {
    return await scenario(server);
  } finally {
    run.giveBack(server);
  }
}

async function newToken({ accounts }: ServerUnderTest, user: number): Promise<string> {
  const owner = await accounts.addOwner({ email: `user${user}@example.org`, name: `User ${user}` });
  return (await accounts.createToken({ owner })).token;
}

interface Attempt extends Attempted {
  /** Whether the connection to the target broke during this attempt. */
  readonly broken: boolean;
  /** True if the verdict says nothing about the scenario, so that the scenario must run again. */
  readonly again?: boolean;
}

async function onTarget(
  remote: RemoteTarget,
  key: string,
  run: RunContext,
  scenario: (context: CaseContext) => Promise<Verdict>,
): Promise<Attempt> {
  const { driver } = remote;
  const [watch, cleaning] = [newWatch(), newWatch()];
  const scope = driver.newScope();
  const before = run.latest;
  let attempt: Pick<Attempt, 'verdict' | 'again'>;
  try {
    const verdict = await endsEarly(scenario(createContext({ ...remote, scope }, run, watch)));
    attempt = watch.broken ? await judgeBroken(verdict, { remote, key, watch, before }) : { verdict };
  } finally {
    const exchange = findAnswered(watch);
    if (exchange !== undefined) run.latest = { key, exchange };
    for (const left of await scope.cleanUp({ onAnswer: (answer) => note(cleaning, answer) })) watch.remarks.add(left);
  }
  if (cleaning.lost === 'refused' && !watch.broken) {
    watch.lost = 'refused';
    attempt = await judgeBroken(attempt.verdict, { remote, key, watch, before });
  }
  const { exchanges, refusal } = watch;
  const verdict = withNotes(attempt.verdict, watch);
  const named = verdict.status === 'passed' && refusal !== undefined && remote.driver.has.codes !== true;
  return { ...attempt, verdict: named ? { ...verdict, refusal } : verdict, exchanges, broken: watch.broken || watch.lost !== undefined };
}

interface Broken {
  readonly remote: RemoteTarget;
  readonly key: string;
  readonly watch: Watch;
  /** The last answered request before this scenario began. */
  readonly before: Latest | undefined;
}

/** Decides, when a request of a scenario got no response, whether this scenario or an earlier one is to blame. */
async function judgeBroken(verdict: Verdict, { remote, key, watch, before }: Broken): Promise<Pick<Attempt, 'verdict' | 'again'>> {
  const { remark, alive, restarted } = await remote.recover();
  watch.remarks.add(remark);
  // It refuses connections only while nothing listens: one that is back at once has ended all the same.
  if (restarted || watch.lost === 'refused') remote.driver.forgetAccounts();
  const gone = alive ? {} : ({ gone: true } as const);
  const own = findAnswered(watch);
  const last = own === undefined ? before : { key, exchange: own };
  if (watch.lost !== 'refused' || last === undefined) {
    return { verdict: { ...verdict, ...gone }, again: watch.lost === 'closed' && !restarted && verdict.status === 'failed' };
  }
  const exchange = reported(last.exchange);
  if (own !== undefined) return { verdict: { ...toVerdict([describeEnd(exchange)]), ...gone } };
  return { verdict: { ...verdict, ...gone, ended: { key: last.key, exchange } }, again: alive };
}

/** Finds, after the last scenario, the request that ended the target; undefined if the target still runs. */
export async function findEnded({ remote, latest }: RunContext): Promise<Ended | undefined> {
  if (remote === undefined || latest === undefined || !(await remote.hasEnded())) return undefined;
  return { key: latest.key, exchange: reported(latest.exchange) };
}

/** Waits until the target answers. From then on, no request sent before can be blamed for ending the target. */
export async function settle(run: RunContext, { driver, recover }: RemoteTarget): Promise<Omit<Recovery, 'remark'>> {
  const { alive, restarted } = await recover();
  if (restarted) driver.forgetAccounts();
  if (alive) run.latest = undefined;
  return { alive, restarted };
}

type Parties = Pick<RemoteTarget, 'driver' | 'api' | 'topOrigin' | 'passTime'> & { readonly scope: Scope };

function createContext(
  { driver, scope, api, topOrigin, passTime: pass }: Parties,
  { newPrivateKey, signal }: RunContext,
  watch: Watch,
  server?: ServerUnderTest,
): CaseContext {
  async function open(user: User): Promise<Session> {
    const opened = await scope.openUser(user);
    if (opened === undefined) throw notApplicable(whyNoUser(driver.has, user));
    if (!('outcome' in opened)) return watched(opened, watch);
    note(watch, opened);
    throw notPrepared('the account of the user', opened);
  }
  const common = {
    driver,
    origin: driver.origin,
    topOrigin,
    cleanUp: () => scope.cleanUp(),
    api,
    server,
    passTime: pass,
    newPrivateKey,
    signal,
    remark: (text: string) => watch.remarks.add(text),
  };
  function inNewSessions(): CaseContext {
    const sessions = new Map<User, Promise<Session>>();
    return {
      ...common,
      inNewSessions,
      session(user) {
        const session = sessions.get(user) ?? open(user);
        sessions.set(user, session);
        return session;
      },
    };
  }
  return inNewSessions();
}

/** Moves the clock of the server under test forward. Does nothing unless that server runs in this process. */
export function advanceClock({ server }: CaseContext, milliseconds: number): void {
  server?.setTime(server.now() + milliseconds);
}

/**
 * Lets time pass: moves the clock of our own server or of the target if possible, otherwise waits.
 *
 * @throws PasskeyError `interrupted`
 */
export async function passTime({ server, passTime: pass, signal }: CaseContext, milliseconds: number): Promise<void> {
  if (server !== undefined) return server.setTime(server.now() + milliseconds);
  if (pass !== undefined) return pass(milliseconds);
  try {
    await setTimeout(milliseconds, undefined, { ...(signal && { signal }) });
  } catch (cause) {
    throw new PasskeyError('interrupted', 'The run was interrupted.', { cause });
  }
}
