import { randomBytes } from 'node:crypto';
import type { IncomingHttpHeaders, OutgoingHttpHeaders } from 'node:http';
import { isDeepStrictEqual } from 'node:util';
import { type Accounts, createAccounts } from '../../accounts/accounts.js';
import { PasskeyError } from '../../errors.js';
import { DEFAULT_POLICY, type Policy } from '../../relying-party/policy.js';
import { createRelyingParty, type RelyingParty } from '../../relying-party/relying-party.js';
import { buildApp } from '../../server/app.js';
import type { App } from '../../server/options.js';
import { DEFAULT_SETTINGS, type ServerSettings } from '../../server/settings.js';
import { createMemoryStore } from '../../store/memory.js';
import { createHttpTarget, type HttpAnswer, type HttpRequest, type HttpTarget, parseAnswer } from '../http/http.js';

export type MemoryStore = ReturnType<typeof createMemoryStore>;

/** Origin of our own server in this process, and of the application whose ceremonies run there. */
export const IN_PROCESS_ORIGIN = 'http://localhost:7277';

/** Configuration of the server under test. Omitted members have the defaults of `passkey serve`. */
export interface ServerSetup {
  readonly policy?: Partial<Policy>;
  /** Origins from which the server accepts ceremonies, in addition to its own origin. */
  readonly origins?: readonly string[];
  readonly settings?: Partial<ServerSettings>;
  /** Stops the clock at this time, in milliseconds since the epoch. Default: the system clock runs. */
  readonly now?: number;
  /** Wraps the store, e.g. in a store whose writes fail. */
  readonly decorateStore?: (store: MemoryStore) => MemoryStore;
}

/** Server under test for one scenario: an empty store and a new relying party behind a shared listener. */
export interface ServerUnderTest {
  readonly target: HttpTarget;
  /** Target that passes requests to the same application without a network connection, for tests that are not about HTTP itself. */
  readonly injected: HttpTarget;
  readonly store: MemoryStore;
  readonly accounts: Accounts;
  readonly relyingParty: RelyingParty;
  /** Stops the clock of the server, the relying party and the accounts at this time, in milliseconds since the epoch. */
  setTime(now: number): void;
  now(): number;
  /** Sets the challenge of the next ceremony; later ceremonies use random challenges. */
  pinChallenge(challenge: Uint8Array): void;
}

export interface InProcessServer {
  /** Replaces the current server under test with a new one. Only the latest one may be used. */
  open(setup?: ServerSetup): Promise<ServerUnderTest>;
  close(): Promise<void>;
}

interface Clock {
  pinned: number | undefined;
}

interface ServerState {
  readonly store: MemoryStore;
  readonly accounts: Accounts;
  readonly relyingParty: RelyingParty;
  readonly clock: Clock;
  readonly pinnedChallenges: Uint8Array[];
}

interface Listening {
  readonly target: HttpTarget;
  readonly injected: HttpTarget;
  close(): Promise<void>;
}

/**
 * Starts our own server on free ports of the loopback interface. It opens one listener for each different set of server settings, on first
 * use. The store, accounts and relying party behind a listener are replaced for every scenario, which costs little.
 *
 * @param given whether the server offers the event stream of the test page to the first scenario; default false.
 */
export function startInProcess({ stream = false }: { readonly stream?: boolean } = {}): InProcessServer {
  const listeners: { readonly settings: ServerSettings; readonly listening: Promise<Listening> }[] = [];
  let state = createServerState({});

  async function listen(settings: ServerSettings): Promise<Listening> {
    const app = await buildApp({
      relyingParty: forwardingTo(state.relyingParty, () => state.relyingParty),
      accounts: forwardingTo(state.accounts, () => state.accounts),
      settings,
      logger: false,
      now: () => readClock(state.clock),
      checkStore: () => state.store.check(),
      stream,
    });
    const target = createHttpTarget(new URL(await app.listen({ host: '127.0.0.1', port: 0 })));
    const close = async () => {
      target.close();
      await app.close();
    };
    return { target, injected: createInjectedTarget(app, target), close };
  }

  function listenerFor(settings: ServerSettings): Promise<Listening> {
    // Auth action modules with the same name differ by their function.
    const known = listeners.find((listener) => isDeepStrictEqual(listener.settings, settings));
    if (known !== undefined) return known.listening;
    const listening = listen(settings);
    listeners.push({ settings, listening });
    return listening;
  }

  return {
    async open(setup = {}) {
      state = createServerState(setup);
      const { store, accounts, relyingParty, clock, pinnedChallenges } = state;
      const { target, injected } = await listenerFor({ ...DEFAULT_SETTINGS, origin: IN_PROCESS_ORIGIN, ...setup.settings });
      return {
        target,
        injected,
        store,
        accounts,
        relyingParty,
        setTime(now) {
          clock.pinned = now;
        },
        now: () => readClock(clock),
        pinChallenge(challenge) {
          pinnedChallenges.push(challenge);
        },
      };
    },
    async close() {
      await Promise.all(listeners.map(async ({ listening }) => (await listening).close()));
    },
  };
}

function createServerState({ policy, origins = [], settings, now: pinned, decorateStore }: ServerSetup): ServerState {
  const pinnedChallenges: Uint8Array[] = [];
  const clock: Clock = { pinned };
  const now = () => readClock(clock);
  const memory = createMemoryStore();
  const store = decorateStore?.(memory) ?? memory;
  const relyingParty = createRelyingParty({
    store,
    policy: { ...DEFAULT_POLICY, ...policy },
    origins,
    now,
    newChallenge: () => pinnedChallenges.shift() ?? new Uint8Array(randomBytes(32)),
  });
  const ownerType = settings?.ownerType ?? DEFAULT_SETTINGS.ownerType;
  const accounts = createAccounts({ store, ownerType, now, randomBytes: (n) => new Uint8Array(randomBytes(n)) });
  return { store, accounts, relyingParty, clock, pinnedChallenges };
}

function readClock({ pinned }: Clock): number {
  return pinned ?? Date.now();
}

/**
 * Makes an object that forwards each call to the same member of the current object. Works for interfaces of functions that do not use
 * `this`.
 */
function forwardingTo<T extends object>(first: T, current: () => T): T {
  return new Proxy(first, { get: (_, member) => Reflect.get(current(), member) });
}

/** HTTP methods of requests that can be passed to the application without a connection. */
const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'] as const;

/**
 * Makes a target that passes requests to an application in this process as its server would, but without a connection, because connecting
 * takes most of the time of a request. Requests that need a connection go to `server`.
 */
function createInjectedTarget(app: App, server: HttpTarget): HttpTarget {
  const { origin } = server.url;

  async function send(request: HttpRequest): Promise<HttpAnswer> {
    const { path, headers, body } = request;
    const method = METHODS.find((known) => known === request.method);
    const url = path.startsWith('/') ? `${origin}${path}` : path;
    if (method === undefined || !url.startsWith(`${origin}/`)) return server.send(request);
    const sent = { accept: 'application/json', ...headers };
    try {
      // Its check of what it is given takes longer than some requests.
      const answer = await app.inject({
        method,
        url,
        headers: sent,
        ...(body !== undefined && { payload: body }),
        validate: false,
      });
      return parseAnswer({ status: answer.statusCode, headers: asReceived(answer.headers), text: answer.payload });
    } catch (cause) {
      const message = `Expected an answer from ${origin}, got none. Please report it.`;
      throw new PasskeyError('target_unreachable', message, { cause });
    }
  }

  return { url: server.url, send, close() {} };
}

/** Converts header fields to the form in which Node hands received headers to an application: strings, except for a list of cookies. */
function asReceived(fields: OutgoingHttpHeaders): IncomingHttpHeaders {
  const texts = Object.entries(fields).flatMap(([name, value]) => {
    if (value === undefined) return [];
    const values = [value].flat().map(String);
    return [[name, name === 'set-cookie' ? values : values.join(', ')] as const];
  });
  return Object.fromEntries(texts);
}
