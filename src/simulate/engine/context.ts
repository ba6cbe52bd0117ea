import { randomBytes } from 'node:crypto';
import { type KeyPairSource, keyPairsFrom, reusingRsaKey } from '../../authenticator/key-pair.js';
import { bearer, type HttpTarget, PATHS, type RetryOptions } from './http.js';
import { IN_PROCESS_ORIGIN, type InProcessServer, type ServerSetup, type ServerUnderTest, startInProcess } from './in-process.js';
import { type RemoteOptions, type RemoteServer, remoteServer } from './remote.js';
import { ScenarioEnded, type Verdict } from './scenario.js';

/** What all scenarios of a run share. */
export interface RunContext {
  readonly server: InProcessServer;
  /** When given, every scenario that can runs against this server, and nothing runs in process. */
  readonly remote: RemoteServer | undefined;
  readonly newPrivateKey: KeyPairSource;
  close(): Promise<void>;
}

/** @throws PasskeyError `usage` for a target that is not the URL of a server. */
export function openRun({ target, ...retry }: RetryOptions & { readonly target?: RemoteOptions } = {}): RunContext {
  const remote = target && remoteServer(target, retry);
  const server = startInProcess();
  return {
    server,
    remote,
    // One RSA key serves a whole run: generating one takes longer than many cases together.
    newPrivateKey: reusingRsaKey(keyPairsFrom((length) => new Uint8Array(randomBytes(length)))),
    async close() {
      remote?.target.close();
      await server.close();
    },
  };
}

/** The users a case can act as. */
export type User = 1 | 2;

/** What one scenario runs against: a server under test and two of its users. */
export interface CaseContext {
  readonly target: HttpTarget;
  /** Of the application whose ceremonies run. */
  readonly origin: string;
  readonly rpId: string;
  /** Bearer token; undefined when the run has none for this user. */
  token(user: User): Promise<string | undefined>;
  /** Only in process: store and clock of the server under test. */
  readonly server: ServerUnderTest | undefined;
  readonly newPrivateKey: KeyPairSource;
  /** Reports a passkey that the scenario registered, so that it is removed from a remote server. */
  registered(id: number, user: User): void;
}

interface Opened {
  readonly context: CaseContext;
  close(): Promise<void>;
}

export interface ContextOptions {
  readonly setup: ServerSetup;
  /** Origin of the application, in process; a remote server has its own. */
  readonly origin?: string;
}

/** Opens a context, runs a scenario in it and cleans up. */
export async function inContext(
  run: RunContext,
  { setup, origin = IN_PROCESS_ORIGIN }: ContextOptions,
  scenario: (context: CaseContext) => Promise<Verdict>,
): Promise<Verdict> {
  const { remote, server, newPrivateKey } = run;
  const { context, close } =
    remote === undefined ? inProcessContext(await server.open(setup), newPrivateKey, origin) : remoteContext(remote, newPrivateKey);
  try {
    return await scenario(context);
  } catch (error) {
    if (error instanceof ScenarioEnded) return error.verdict;
    throw error;
  } finally {
    await close();
  }
}

function inProcessContext(server: ServerUnderTest, newPrivateKey: KeyPairSource, origin: string): Opened {
  const tokens = new Map<User, Promise<string>>();
  async function newToken(user: User): Promise<string> {
    const owner = await server.accounts.addOwner({ email: `user${user}@example.org`, name: `User ${user}` });
    return (await server.accounts.createToken({ owner })).token;
  }
  const context: CaseContext = {
    target: server.target,
    origin,
    rpId: new URL(origin).hostname,
    token(user) {
      const token = tokens.get(user) ?? newToken(user);
      tokens.set(user, token);
      return token;
    },
    server,
    newPrivateKey,
    // The store is thrown away with the server.
    registered() {},
  };
  return { context, async close() {} };
}

const CLEAN_UP_WITHIN_MS = 10_000;

function remoteContext({ target, tokens, application }: RemoteServer, newPrivateKey: KeyPairSource): Opened {
  const registered: { readonly id: number; readonly user: User }[] = [];
  const context: CaseContext = {
    target,
    origin: application.origin,
    rpId: application.hostname,
    async token(user) {
      return tokens[user - 1];
    },
    server: undefined,
    newPrivateKey,
    registered(id, user) {
      registered.push({ id, user });
    },
  };
  async function close(): Promise<void> {
    for (const { id, user } of registered) {
      const headers = bearer(tokens[user - 1] ?? '');
      await target.send({ method: 'DELETE', path: `${PATHS.passkeys}/${id}`, headers, cleanUpWithin: CLEAN_UP_WITHIN_MS });
    }
  }
  return { context, close };
}

/** Moves the clock of the server under test forward. For cases that need the clock, which run in process only. */
export function advanceClock({ server }: CaseContext, milliseconds: number): void {
  server?.setTime(server.now() + milliseconds);
}
