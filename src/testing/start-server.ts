import { randomBytes } from 'node:crypto';
import { createAccounts } from '../accounts/accounts.js';
import type { NewOwner } from '../accounts/owners.js';
import type { Owner } from '../accounts/ports.js';
import { DEFAULT_POLICY, type Policy } from '../relying-party/policy.js';
import { createRelyingParty, type RelyingParty } from '../relying-party/relying-party.js';
import { buildApp } from '../server/app.js';
import { listen, onFreeAddress } from '../server/listen.js';
import { DEFAULT_SETTINGS, type ServerSettings } from '../server/settings.js';
import { createMemoryStore } from '../store/memory.js';
import { CHALLENGE_BYTES } from '../webauthn/limits.js';
import { type OptionNames, refuseUnknown } from './refuse-unknown.js';

const HOST = 'localhost';

/** A user of the test server: an e-mail address, or an object with more members. `name` defaults to the e-mail address. */
export type TestUser<Email extends string = string> = Email | (Partial<NewOwner> & { readonly email: Email });

export interface TestServerOptions<Email extends string = string> {
  /** Users who have an account; default: none. */
  readonly users?: readonly TestUser<Email>[];
  /** Changes to the policy of `passkey serve`. */
  readonly policy?: Partial<Policy>;
  /**
   * Changes to the settings that `passkey serve` has if it is started without flags. There is no rate limit unless you set `rateLimit` and
   * `mode: 'production'`; in development mode, clients on this machine are not limited.
   */
  readonly settings?: Partial<Omit<ServerSettings, 'origin'>>;
  /** Returns the time in milliseconds since the epoch; default: the system clock. */
  readonly now?: () => number;
  /** Makes the challenge of each ceremony, at least 16 bytes long; default: random bytes. */
  readonly newChallenge?: () => Uint8Array;
  /** Port on the loopback interface; default: a free port. */
  readonly port?: number;
}

/** The server of `passkey serve`, running in this process with an in-memory store. */
export interface TestServer<Email extends string = string> extends AsyncDisposable {
  /** Origin of the API, and of the pages whose ceremonies it accepts, e.g. `http://localhost:41234`. */
  readonly url: string;
  /** Bearer token of each user, by e-mail address. */
  readonly tokens: Readonly<Record<Email, string>>;
  /** Record of each user in the API, by e-mail address. */
  readonly owners: Readonly<Record<Email, Owner>>;
  /** The relying party behind the API, for direct access to its passkeys and events. */
  readonly relyingParty: RelyingParty;
  /** Stops the server and closes all its connections. Further calls do nothing. */
  stop(): Promise<void>;
}

/**
 * Starts the server of `passkey serve` in development mode, on a free port of the loopback interface. It has neither the page nor
 * `/dev/answer`: use `createCeremonies` and `tamper` instead.
 *
 * @throws PasskeyError `owner_already_exists` or `validation_failed` if a user cannot be created, `configuration_invalid` if the policy is
 * invalid, `usage` if the port cannot be used; TypeError for an unknown option.
 */
export async function startServer<const Email extends string = never>(options: TestServerOptions<Email> = {}): Promise<TestServer<Email>> {
  checkNames(options);
  const { policy, settings, now = Date.now, newChallenge = () => random(CHALLENGE_BYTES), port = 0 } = options;
  const store = createMemoryStore();
  const { ownerType = DEFAULT_SETTINGS.ownerType, origins = [] } = settings ?? {};
  const relyingParty = createRelyingParty({ store, policy: { ...DEFAULT_POLICY, ...policy }, origins, now, newChallenge });
  const accounts = createAccounts({ store, ownerType, now, randomBytes: random });
  const users = await Promise.all(
    (options.users ?? []).map(async (user) => {
      const given = typeof user === 'string' ? { email: user } : user;
      const owner = await accounts.addOwner({ name: given.email, ...given });
      return { email: given.email, owner, token: (await accounts.createToken({ owner })).token };
    }),
  );
  const { app, url } = await onFreeAddress({ host: HOST, port }, async (address) => {
    const origin = `http://${HOST}:${address.port}`;
    const listening = await buildApp({
      relyingParty,
      accounts,
      settings: { ...DEFAULT_SETTINGS, rateLimit: undefined, ...settings, origin },
      logger: false,
      now,
      checkStore: () => store.check(),
    });
    try {
      await listen(listening, address);
    } catch (error) {
      await listening.close();
      throw error;
    }
    return { app: listening, url: origin };
  });
  let stopping: Promise<void> | undefined;
  const stop = (): Promise<void> => {
    stopping ??= app.close().then(() => store.close());
    return stopping;
  };
  return {
    url,
    tokens: byEmail(users.map(({ email, token }) => [email, token])),
    owners: byEmail(users.map(({ email, owner }) => [email, owner])),
    relyingParty,
    stop,
    [Symbol.asyncDispose]: stop,
  };
}

/** Checks the names of options, including nested ones. */
function checkNames(options: TestServerOptions): void {
  refuseUnknown('startServer()', options, { users: true, policy: true, settings: true, now: true, newChallenge: true, port: true });
  refuseUnknown('policy of startServer()', options.policy ?? {}, POLICY);
  refuseUnknown('settings of startServer()', options.settings ?? {}, SETTINGS);
  for (const user of options.users ?? []) {
    if (typeof user === 'string') continue;
    refuseUnknown('a user of startServer()', user, { email: true, name: true, type: true, id: true, userHandle: true });
  }
}

const POLICY: OptionNames<Policy> = { ...DEFAULT_POLICY, metadata: true };
const SETTINGS: OptionNames<Omit<ServerSettings, 'origin'>> = { ...DEFAULT_SETTINGS, frontEnd: true, wellKnown: true };

const random = (length: number): Uint8Array => new Uint8Array(randomBytes(length));

function byEmail<Email extends string, T>(entries: readonly (readonly [Email, T])[]): Readonly<Record<Email, T>> {
  const found: Partial<Record<Email, T>> = {};
  for (const [email, value] of entries) found[email] = value;
  return found as Record<Email, T>;
}
