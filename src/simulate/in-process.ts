import { randomBytes } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { type Accounts, createAccounts } from '../accounts/accounts.js';
import { DEFAULT_POLICY, type Policy } from '../relying-party/policy.js';
import { createRelyingParty, type RelyingParty } from '../relying-party/relying-party.js';
import { buildApp } from '../server/app.js';
import type { AppOptions } from '../server/app-options.js';
import { DEFAULT_SETTINGS, type ServerSettings } from '../server/settings.js';
import { createMemoryStore } from '../store/memory.js';
import { createHttpTarget, type HttpTarget } from './http.js';

export type MemoryStore = ReturnType<typeof createMemoryStore>;

export interface RoomOptions {
  readonly policy?: Partial<Policy>;
  /** Origins accepted besides a passkey's own. */
  readonly origins?: readonly string[];
  readonly settings?: Partial<ServerSettings>;
  /** Milliseconds since the epoch at which the clock stands; without it the clock is the machine's. */
  readonly now?: number;
  /** Puts something between the service and its store, e.g. one whose writes fail. */
  readonly decorateStore?: (store: MemoryStore) => MemoryStore;
}

/** The server under test for one case: an empty store and a relying party of its own behind the shared listener. */
export interface Room {
  readonly target: HttpTarget;
  readonly store: MemoryStore;
  readonly accounts: Accounts;
  readonly relyingParty: RelyingParty;
  /** Pins the clock of server, relying party and accounts. */
  setTime(now: number): void;
  now(): number;
  /** The next ceremony is begun with this challenge; the ones after it with random ones. */
  pinChallenge(challenge: Uint8Array): void;
}

export interface InProcess {
  /** Closes the room that was open: there is one at a time. */
  open(options?: RoomOptions): Promise<Room>;
  close(): Promise<void>;
}

interface Contents {
  readonly store: MemoryStore;
  readonly accounts: Accounts;
  readonly relyingParty: RelyingParty;
  readonly clock: Clock;
  readonly pinnedChallenges: Uint8Array[];
}

interface Listening {
  readonly target: HttpTarget;
  close(): Promise<void>;
}

interface Listener {
  readonly settings: ServerSettings;
  readonly listening: Promise<Listening>;
}

interface Clock {
  pinned: number | undefined;
}

/**
 * The real server on free ports of the loopback interface: one listener for each kind of server settings, made when it is
 * first needed. Store, accounts and relying party behind it are changed with every room, which costs next to nothing.
 */
export function startInProcess(): InProcess {
  const listeners: Listener[] = [];
  let contents = furnish({});
  /** Of the first listener: compiling the schemas is half of the time that one takes. */
  let validatorCompiler: AppOptions['validatorCompiler'];

  async function listen(settings: ServerSettings): Promise<Listening> {
    const current = () => contents;
    const app = await buildApp({
      relyingParty: standIn(contents.relyingParty, () => current().relyingParty),
      accounts: standIn(contents.accounts, () => current().accounts),
      settings,
      logger: false,
      now: () => timeOf(current().clock),
      checkStore: () => current().store.check(),
      validatorCompiler,
    });
    const target = createHttpTarget(new URL(await app.listen({ host: '127.0.0.1', port: 0 })));
    validatorCompiler = app.validatorCompiler;
    const close = async () => {
      target.close();
      await app.close();
    };
    return { target, close };
  }

  function listenerFor(settings: ServerSettings): Promise<Listening> {
    // Auth action modules of the same name are told apart by their function.
    const known = listeners.find((listener) => isDeepStrictEqual(listener.settings, settings));
    if (known !== undefined) return known.listening;
    const listening = listen(settings);
    listeners.push({ settings, listening });
    return listening;
  }

  return {
    async open(options = {}) {
      contents = furnish(options);
      const { store, accounts, relyingParty, clock, pinnedChallenges } = contents;
      const settings: ServerSettings = { ...DEFAULT_SETTINGS, origin: 'http://localhost:7277', ...options.settings };
      const { target } = await listenerFor(settings);
      return {
        target,
        store,
        accounts,
        relyingParty,
        setTime(now) {
          clock.pinned = now;
        },
        now: () => timeOf(clock),
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

function furnish({ policy, origins = [], settings, now: pinned, decorateStore }: RoomOptions): Contents {
  const pinnedChallenges: Uint8Array[] = [];
  const clock: Clock = { pinned };
  const now = () => timeOf(clock);
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

function timeOf({ pinned }: Clock): number {
  return pinned ?? Date.now();
}

/** The object that is current when a member is read. The interfaces have no state of their own, so nothing else is needed. */
function standIn<T extends object>(first: T, current: () => T): T {
  return new Proxy(first, { get: (_, member) => Reflect.get(current(), member) });
}
