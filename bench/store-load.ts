/** A process of `bench/store.ts`: `load ADAPTER FILE-OR-URL SIZE`, `open FILE` or `wait LOCK`. Prints its figures as JSON. */
import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { createAccounts } from '../src/accounts/accounts.js';
import { createAuthenticator } from '../src/authenticator/authenticator.js';
import { type Client, createClient } from '../src/client/client.js';
import { DEFAULT_POLICY } from '../src/relying-party/policy.js';
import { createRelyingParty } from '../src/relying-party/relying-party.js';
import { buildApp } from '../src/server/app.js';
import { DEFAULT_SETTINGS } from '../src/server/settings.js';
import { recordAudit } from '../src/store/audit/record-audit.js';
import { acquireFileLock } from '../src/store/file-lock.js';
import { openJsonFileStore } from '../src/store/json-file.js';
import { createMemoryStore } from '../src/store/memory.js';
import { openPostgresStore } from '../src/store/postgres/open.js';
import type { Store } from '../src/store/store.js';
import { fill, multiplyFile, multiplyRows, randomBytes } from './store-fill.js';

export const ADAPTERS = ['memory', 'json', 'postgres'] as const;
export type Adapter = (typeof ADAPTERS)[number];

/** In milliseconds. */
export interface Latency {
  readonly p50: number;
  readonly p99: number;
}

export interface Figures {
  /** A second, with {@link IN_FLIGHT} in flight. */
  readonly logins: number;
  readonly registrations: number;
  /** One after the other. */
  readonly login: Latency;
  readonly registration: Latency;
}

const ORIGIN = 'http://localhost:7277';
export const IN_FLIGHT = 16;
const LOGINS = 400;
const REGISTRATIONS = 200;
/** Passkeys that are logged in with; the others only fill the store. */
const PASSKEYS = 16;

async function load(adapter: Adapter, where: string, size: number): Promise<Figures> {
  const seed = createMemoryStore();
  const maker = await serviceOn(seed, createClient({ authenticator: createAuthenticator(), origin: ORIGIN }));
  for (const send of await maker.registrations(PASSKEYS)) await send();
  const made = await seed.listPasskeys();
  let store: Store;
  if (adapter === 'memory') {
    store = createMemoryStore();
    await fill(store, made, size);
  } else if (adapter === 'json') {
    const small = await openJsonFileStore(where, { create: true });
    await fill(small, made, PASSKEYS);
    await small.close();
    multiplyFile(where, size);
    store = await openJsonFileStore(where, { maxBytes: Number.MAX_SAFE_INTEGER });
  } else {
    store = await openPostgresStore(where, { create: true });
    await fill(store, made, PASSKEYS);
    await multiplyRows(where, size);
  }
  const service = await serviceOn(store, maker.client);
  await atOnce(await service.logins(64));
  const logins = LOGINS / ((await atOnce(await service.logins(LOGINS))) / 1_000);
  const login = await oneByOne(await service.logins(LOGINS));
  const registration = await oneByOne(await service.registrations(REGISTRATIONS));
  const registrations = REGISTRATIONS / ((await atOnce(await service.registrations(REGISTRATIONS))) / 1_000);
  await store.close();
  return { logins, registrations, login, registration };
}

type Send = () => Promise<unknown>;

async function serviceOn(store: Store, client: Client) {
  const now = Date.now;
  const relyingParty = createRelyingParty({ store, policy: DEFAULT_POLICY, origins: [], now, newChallenge: () => randomBytes(32) });
  const accounts = createAccounts({ store, ownerType: 'User', now, randomBytes });
  if (store.audit !== undefined) recordAudit(store.audit, { relyingParty, accounts, systemUser: () => undefined });
  const settings = { ...DEFAULT_SETTINGS, origin: ORIGIN };
  const app = await buildApp({ relyingParty, accounts, settings, logger: false, now, checkStore: () => store.check() });
  const post = async <Answer>(path: string, body: object, token?: string): Promise<Answer> => {
    const headers = { host: 'localhost:7277', ...(token !== undefined && { authorization: `Bearer ${token}` }) };
    const reply = await app.inject({ method: 'POST', url: `/api/passkeys/${path}`, headers, payload: body });
    if (reply.statusCode !== 200) throw new Error(reply.body);
    return reply.json<Answer>();
  };
  type CreationOptions = Parameters<Client['create']>[0]['publicKey'];
  type RequestOptions = Parameters<Client['get']>[0]['publicKey'];
  const ids = (await store.listPasskeys({ limit: PASSKEYS })).map(({ credential }) => Buffer.from(credential.id).toString('base64url'));
  return {
    client,
    /** Registrations that only have to be sent: each is made already, for a user of its own. */
    async registrations(count: number): Promise<Send[]> {
      const sends: Send[] = [];
      for (let index = 0; index < count; index += 1) {
        // A passkey of the same user would replace the one before.
        const owner = await accounts.addOwner({ email: `${Buffer.from(randomBytes(9)).toString('hex')}@example.com`, name: 'Ada' });
        const { token } = await accounts.createToken({ owner });
        const publicKey = await post<CreationOptions>('register/options', { app_name: 'Bench', app_url: ORIGIN }, token);
        const response = await client.create({ publicKey });
        sends.push(() => post('register', response, token));
      }
      return sends;
    },
    /** Logins that only have to be sent: each is signed already. */
    async logins(count: number): Promise<Send[]> {
      const sends: Send[] = [];
      for (let index = 0; index < count; index += 1) {
        const publicKey = await post<RequestOptions>('verify/options', { credential_id: ids[index % ids.length] });
        const response = await client.get({ publicKey });
        sends.push(() => post('login', response));
      }
      return sends;
    },
  };
}

async function oneByOne(sends: readonly Send[]): Promise<Latency> {
  const times: number[] = [];
  for (const send of sends) {
    const started = performance.now();
    await send();
    times.push(performance.now() - started);
  }
  return latencyOf(times);
}

export function latencyOf(times: readonly number[]): Latency {
  const sorted = times.toSorted((a, b) => a - b);
  const quantile = (part: number): number => sorted[Math.floor(part * sorted.length)] ?? Number.NaN;
  return { p50: quantile(0.5), p99: quantile(0.99) };
}

/** Milliseconds until all are done. */
async function atOnce(sends: readonly Send[]): Promise<number> {
  const waiting = [...sends];
  const started = performance.now();
  await Promise.all(
    Array.from({ length: IN_FLIGHT }, async () => {
      for (let send = waiting.pop(); send; send = waiting.pop()) await send();
    }),
  );
  return performance.now() - started;
}

const TURNS = 500;
/** Milliseconds that each holds it, as long as a change takes to be flushed. */
const HELD = 1;

/** Milliseconds that this process waited for each turn of a lock that it wants all the time. */
async function waitForLock(path: string): Promise<number[]> {
  const waits: number[] = [];
  for (let turn = 0; turn < TURNS; turn += 1) {
    const asked = performance.now();
    const lock = await acquireFileLock(path);
    waits.push(performance.now() - asked);
    await sleep(HELD);
    await lock.release();
  }
  return waits;
}

/** How long a store takes to open, and how long it takes to read and parse the same bytes; the shorter of two each. */
async function openAndParse(file: string) {
  let [open, parse] = [Infinity, Infinity];
  for (let round = 0; round < 2; round += 1) {
    let started = performance.now();
    for (const line of readFileSync(file, 'utf8').split('\n')) if (line !== '') JSON.parse(line);
    parse = Math.min(parse, performance.now() - started);
    started = performance.now();
    const store = await openJsonFileStore(file);
    open = Math.min(open, performance.now() - started);
    await store.close();
  }
  return { open, parse };
}

if (process.argv[1] === import.meta.filename) {
  const [work, ...args] = process.argv.slice(2);
  const [name, where = '', size] = args;
  const adapter = ADAPTERS.find((each) => each === name);
  if (work === 'open') console.log(JSON.stringify(await openAndParse(name ?? '')));
  else if (work === 'wait') console.log(JSON.stringify(await waitForLock(name ?? '')));
  else if (adapter !== undefined) console.log(JSON.stringify(await load(adapter, where, Number(size))));
  process.exit(0);
}
