import { randomBytes } from 'node:crypto';
import type { InjectOptions, LightMyRequestResponse } from 'fastify';
import { type Logger, pino } from 'pino';
import { type Accounts, createAccounts } from '../../src/accounts/accounts.js';
import type { Owner } from '../../src/accounts/ports.js';
import { createAuthenticator, type SoftwareAuthenticator } from '../../src/authenticator/authenticator.js';
import { keptInMemory } from '../../src/cli/answer/keeper.js';
import { serializers, withoutSecrets } from '../../src/cli/serve/logger.js';
import { catalogue, softwareAnswers } from '../../src/cli/serve/software.js';
import { type Client, createClient } from '../../src/client/client.js';
import { DEFAULT_POLICY, type Policy } from '../../src/relying-party/policy.js';
import { createRelyingParty, type RelyingParty } from '../../src/relying-party/relying-party.js';
import { buildApp } from '../../src/server/app.js';
import type { App } from '../../src/server/options.js';
import { DEFAULT_SETTINGS, type ServerSettings } from '../../src/server/settings.js';
import type { OtherProcesses } from '../../src/server/stream/port.js';
import { createMemoryStore } from '../../src/store/memory.js';
import type { Store } from '../../src/store/store.js';
import type { AuthenticationResponseJSON, RegistrationResponseJSON } from '../../src/webauthn/json.js';

export const OWN_ORIGIN = 'http://localhost:7277';
export const APP_URL = 'https://app.example.com/start?from=test';
export const APP_ORIGIN = 'https://app.example.com';
export const RP_ID = 'app.example.com';
/** 2026-01-15T10:30:00Z */
export const START = Date.UTC(2026, 0, 15, 10, 30);

export interface ServiceOptions {
  /** What an embedding application does before the application is ready. */
  readonly embed?: (app: App) => void;
  readonly settings?: Partial<ServerSettings>;
  readonly policy?: Partial<Policy>;
  readonly logger?: Logger;
  readonly maxPasskeys?: number;
  /** What others do on the same store. */
  readonly others?: OtherProcesses;
  /** Replaces members of the memory store, for what a memory store never does. */
  readonly store?: (store: Store) => Store;
}

/** A store whose first `count` lists of owners are answered together: whoever looks before adding, looks too early. */
export function lookTogether(count: number): (store: Store) => Store {
  const waiting: (() => void)[] = [];
  let asked = 0;
  return (store) => ({
    ...store,
    listOwners: async (filter) => {
      asked += 1;
      const owners = await store.listOwners(filter);
      if (asked < count) {
        await new Promise<void>((resolve) => {
          waiting.push(resolve);
        });
      }
      for (const resolve of waiting.splice(0)) resolve();
      return owners;
    },
  });
}

/** The whole service on a memory store, with a clock that stands until it is moved, and a user who has a bearer token. */
export class Service {
  /** `now` moves the clock of everything in the service. */
  readonly clock: { now: number };
  readonly app: App;
  readonly store: Store;
  readonly accounts: Accounts;
  readonly relyingParty: RelyingParty;
  readonly owner: Owner;
  readonly token: string;
  readonly authenticator: SoftwareAuthenticator = createAuthenticator();
  readonly client: Client = createClient({ authenticator: this.authenticator, origin: APP_ORIGIN });

  private constructor(parts: {
    clock: { now: number };
    app: App;
    store: Store;
    accounts: Accounts;
    relyingParty: RelyingParty;
    owner: Owner;
    token: string;
  }) {
    this.clock = parts.clock;
    this.app = parts.app;
    this.store = parts.store;
    this.accounts = parts.accounts;
    this.relyingParty = parts.relyingParty;
    this.owner = parts.owner;
    this.token = parts.token;
  }

  static async start(options: ServiceOptions = {}): Promise<Service> {
    const clock = { now: START };
    const now = () => clock.now;
    const settings = { ...DEFAULT_SETTINGS, origin: OWN_ORIGIN, ...options.settings };
    const store = (options.store ?? ((same) => same))(createMemoryStore());
    const relyingParty = createRelyingParty({
      store,
      policy: { ...DEFAULT_POLICY, ...options.policy },
      origins: settings.origins,
      ...(options.maxPasskeys !== undefined && { maxPasskeys: options.maxPasskeys }),
      now,
      newChallenge: () => new Uint8Array(randomBytes(32)),
    });
    const accounts = createAccounts({ store, ownerType: settings.ownerType, now, randomBytes: (n) => new Uint8Array(randomBytes(n)) });
    const app = await buildApp({
      relyingParty,
      accounts,
      settings,
      logger: options.logger ?? false,
      now,
      checkStore: () => store.check(),
      version: '1.2.3',
      software: softwareAnswers(keptInMemory()),
      mutations: catalogue,
      page: () => import('../../generated/page.js'),
      docs: () => import('../../generated/docs.js'),
      others: options.others,
    });
    options.embed?.(app);
    await app.ready();
    const owner = await accounts.addOwner({ email: 'ada@example.com', name: 'Ada Lovelace' });
    const { token } = await accounts.createToken({ owner });
    return new Service({ clock, app, store, accounts, relyingParty, owner, token });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.app.close();
  }

  async inject(options: InjectOptions): Promise<LightMyRequestResponse> {
    return await this.app.inject(options);
  }

  /** A POST with a JSON body; `token: null` sends none. */
  async post(
    url: string,
    body?: unknown,
    { token = this.token, headers = {} }: { token?: string | null; headers?: Record<string, string> } = {},
  ) {
    return await this.app.inject({
      method: 'POST',
      url,
      headers: {
        ...(token === null ? {} : { authorization: `Bearer ${token}` }),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body === undefined ? {} : { payload: JSON.stringify(body) }),
    });
  }

  /** Begins a registration and lets the software authenticator answer. */
  async attest(token = this.token): Promise<RegistrationResponseJSON> {
    const options = await this.post('/api/passkeys/register/options', { app_name: 'App', app_url: APP_URL }, { token });
    return await this.client.create({ publicKey: options.json() });
  }

  /** Registers a passkey, discoverable like those of today's platforms. */
  async register(more: Record<string, unknown> = {}, token = this.token) {
    const response = await this.attest(token);
    const reply = await this.post('/api/passkeys/register', { ...more, ...response }, { token });
    if (reply.statusCode !== 200) {
      throw new Error(`registration: ${reply.body}`);
    }
    return {
      credentialId: response.id,
      passkey: reply.json().passkey as { id: number; label: string; credential_id: string; created_at: string },
    };
  }

  /** Asks for a challenge for one passkey and lets the software authenticator answer. */
  async assert(credentialId: string): Promise<AuthenticationResponseJSON> {
    const options = await this.post('/api/passkeys/verify/options', { credential_id: credentialId }, { token: null });
    return await this.client.get({ publicKey: { rpId: RP_ID, ...options.json() } });
  }

  async login(credentialId: string) {
    return await this.post('/api/passkeys/login', await this.assert(credentialId), { token: null });
  }

  /** `name=value` of the session cookie of an answer. */
  static cookieOf(reply: LightMyRequestResponse): string {
    const cookie = reply.cookies.find(({ name }) => /^(__Host-)?passkey_session/.test(name));
    return `${cookie?.name}=${cookie?.value}`;
  }
}

/** A logger as `passkey serve` makes it, whose lines stay here. */
export function collectLog(level = 'debug'): {
  readonly logger: Logger;
  readonly lines: Record<string, unknown>[];
  readonly text: () => string;
} {
  const lines: Record<string, unknown>[] = [];
  const destination = { write: (line: string) => void lines.push(JSON.parse(line)) };
  const logger = pino({ level, serializers, hooks: { streamWrite: withoutSecrets } }, destination);
  return { logger, lines, text: () => JSON.stringify(lines) };
}
