/**
 * `npm run build && node --import tsx bench/store.ts [SIZE…]`: what the JSON file costs with 100, 1,000, 10,000 and 100,000 stored
 * passkeys, beside the memory store. Ratios are of one run. Each figure is taken in a process of its own.
 */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { appendFileSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { createAccounts } from '../src/accounts/accounts.js';
import { createAuthenticator } from '../src/authenticator/authenticator.js';
import { createClient } from '../src/client/client.js';
import type { NewPasskey } from '../src/relying-party/credential-record.js';
import { DEFAULT_POLICY } from '../src/relying-party/policy.js';
import { createRelyingParty } from '../src/relying-party/relying-party.js';
import { buildApp } from '../src/server/app.js';
import { DEFAULT_SETTINGS } from '../src/server/settings.js';
import { openJsonFileStore } from '../src/store/json-file.js';
import { createMemoryStore } from '../src/store/memory.js';
import type { Store } from '../src/store/store.js';

const ORIGIN = 'http://localhost:7277';
const LOGINS = 400;
const IN_FLIGHT = 16;
const PASSKEYS = 16;
const BIN = join(import.meta.dirname, '../bin/passkey.js');
const [mode = '', ...rest] = process.argv.slice(2);

const randomBytes = (length: number): Uint8Array => crypto.getRandomValues(new Uint8Array(length));
const quantile = (times: number[], part: number): number => times.toSorted((a, b) => a - b)[Math.floor(part * times.length)] ?? Number.NaN;

async function compare(given: readonly number[]): Promise<void> {
  const sizes = given.length > 0 ? given : [100, 1_000, 10_000, 100_000];
  const folder = mkdtempSync(join(tmpdir(), 'passkey-bench-'));
  const writes: number[] = [];
  try {
    const none = await residentOf('memory:');
    for (const size of sizes) {
      const file = join(folder, `${size}.json`);
      const memory = child('serve-logins', 'memory', file, String(size));
      const json = child('serve-logins', 'json', file, String(size));
      writes.push(json.write);
      const opened = child('open', file);
      const [list, bare] = [
        timeOf([BIN, 'list', '--limit', '50', '--store', file]),
        timeOf(['-e', `JSON.parse(require("fs").readFileSync(${JSON.stringify(file)}))`]),
      ];
      const bytes = statSync(file).size;
      const resident = (await residentOf(file)) - none;
      console.log(`${size} passkeys, ${(bytes / 1e6).toFixed(1)} MB`);
      for (const [name, figures] of Object.entries({ memory, json })) {
        console.log(
          `  ${name.padEnd(6)}  ${figures.rate.toFixed(0)} logins/s with ${IN_FLIGHT} in flight; alone: login p50 ${ms(figures.write)}, p99 ${ms(figures.slow)}; registration p50 ${ms(figures.register)}; login p99 while a snapshot is written ${ms(figures.during)}`,
        );
      }
      console.log(`  logins/s, of memory's: ${(json.rate / memory.rate).toFixed(2)} (target: 0.7)`);
      console.log(`  open / read and parse: ${(opened.open / opened.parse).toFixed(2)} (3)`);
      console.log(`  list --limit 50 / node that reads and parses: ${(list / bare).toFixed(2)} (2.5)`);
      console.log(`  resident, less that of an empty server / file: ${(resident / bytes).toFixed(2)} (4, at 100,000)`);
    }
    console.log(
      `json: p50 of a login alone with ${sizes.at(-1)} / with ${sizes[0]}: ${((writes.at(-1) ?? 0) / (writes[0] ?? 0)).toFixed(2)} (2)`,
    );
  } finally {
    rmSync(folder, { recursive: true });
  }
}

const ms = (time: number): string => `${time.toFixed(1)} ms`;

function child(...args: string[]): Record<'rate' | 'write' | 'slow' | 'register' | 'during' | 'open' | 'parse', number> {
  const { stdout, stderr, status } = spawnSync(process.execPath, ['--import', 'tsx', import.meta.filename, ...args], { encoding: 'utf8' });
  if (status !== 0) throw new Error(stderr);
  return JSON.parse(stdout);
}

function timeOf(args: readonly string[]): number {
  const times = Array.from({ length: 3 }, () => {
    const started = performance.now();
    const { status, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8', maxBuffer: 2 ** 28 });
    if (status !== 0) throw new Error(stderr);
    return performance.now() - started;
  });
  return Math.min(...times);
}

/** Bytes that a server has resident some time after its start. Linux only. */
async function residentOf(store: string): Promise<number> {
  const server = spawn(process.execPath, [BIN, 'serve', '--store', store, '--port', '0', '--no-open', '--json', '--log-level', 'silent']);
  try {
    await once(createInterface({ input: server.stdout }), 'line');
    await new Promise((resolve) => setTimeout(resolve, 3_000));
    return 1024 * Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${server.pid}/status`, 'utf8'))?.[1]);
  } finally {
    server.kill();
    await once(server, 'close');
  }
}

/** How long a store takes to open, and as long as it takes to read and parse the same bytes; the shorter of two each. */
async function openAndParse(file: string): Promise<void> {
  let [open, parse] = [Infinity, Infinity];
  for (let round = 0; round < 2; round += 1) {
    let started = performance.now();
    JSON.parse(readFileSync(file, 'utf8'));
    parse = Math.min(parse, performance.now() - started);
    started = performance.now();
    const store = await openJsonFileStore(file);
    open = Math.min(open, performance.now() - started);
    await store.close();
  }
  console.log(JSON.stringify({ open, parse }));
}

async function serveLogins(kind: string, file: string, size: number): Promise<void> {
  const seed = createMemoryStore();
  const maker = await serviceOn(seed);
  for (let count = 0; count < PASSKEYS; count += 1) await maker.register();
  const made = await seed.listPasskeys();
  let store: Store;
  if (kind === 'memory') {
    store = createMemoryStore();
    await fill(store, made, size);
  } else {
    const small = await openJsonFileStore(file, { create: true });
    await fill(small, made, PASSKEYS);
    await small.close();
    multiply(file, size);
    // The file is written at the end only; what that costs meanwhile is a figure of its own.
    store = await openJsonFileStore(file, { maxBytes: Number.MAX_SAFE_INTEGER, quiet: 3_600_000 });
  }
  let service = await serviceOn(store, maker.client);
  await atOnce(await service.logins(64));
  const rate = LOGINS / ((await atOnce(await service.logins(LOGINS))).total / 1_000);
  const alone = await oneByOne(await service.logins(LOGINS));
  const registrations: number[] = [];
  for (let count = 0; count < 50; count += 1) registrations.push(await service.register());
  await store.close();
  if (kind === 'json') {
    // The file is written again after every login.
    store = await openJsonFileStore(file, { maxBytes: Number.MAX_SAFE_INTEGER, quiet: 0 });
    service = await serviceOn(store, maker.client);
    await oneByOne(await service.logins(20));
  }
  const during = await oneByOne(await service.logins(LOGINS));
  await store.close();
  const figures = {
    rate,
    write: quantile(alone, 0.5),
    slow: quantile(alone, 0.99),
    register: quantile(registrations, 0.5),
    during: quantile(during, 0.99),
  };
  console.log(JSON.stringify(figures));
  process.exit(0);
}

type Post = (path: string, body: unknown) => Promise<{ readonly statusCode: number; json(): never }>;

async function serviceOn(store: Store, known?: ReturnType<typeof createClient>) {
  const now = Date.now;
  const relyingParty = createRelyingParty({ store, policy: DEFAULT_POLICY, origins: [], now, newChallenge: () => randomBytes(32) });
  const accounts = createAccounts({ store, ownerType: 'User', now, randomBytes });
  const settings = { ...DEFAULT_SETTINGS, origin: ORIGIN };
  const app = await buildApp({ relyingParty, accounts, settings, logger: false, now, checkStore: () => store.check() });
  const client = known ?? createClient({ authenticator: createAuthenticator(), origin: ORIGIN });
  const post: Post = async (path, body) => {
    const headers = { authorization: `Bearer ${token}`, host: 'localhost:7277' };
    const reply = await app.inject({ method: 'POST', url: `/api/passkeys/${path}`, headers, payload: body as object });
    if (reply.statusCode !== 200) throw new Error(reply.body);
    return reply;
  };
  let token = '';
  const ids = (await store.listPasskeys({ limit: PASSKEYS })).map(({ credential }) => Buffer.from(credential.id).toString('base64url'));
  return {
    client,
    /** Answers how long the store's own endpoint took. */
    async register(): Promise<number> {
      // A passkey of the same user would replace the one before.
      const owner = await accounts.addOwner({ email: `${Buffer.from(randomBytes(9)).toString('hex')}@example.com`, name: 'Ada' });
      ({ token } = await accounts.createToken({ owner }));
      const publicKey = (await post('register/options', { app_name: 'Bench', app_url: ORIGIN })).json();
      const response = await (known ? createClient({ authenticator: createAuthenticator(), origin: ORIGIN }) : client).create({
        publicKey: { ...(publicKey as object), excludeCredentials: [] } as never,
      });
      const started = performance.now();
      await post('register', response);
      return performance.now() - started;
    },
    /** Logins that only have to be sent: each is signed already. */
    async logins(count: number): Promise<(() => Promise<unknown>)[]> {
      const logins: (() => Promise<unknown>)[] = [];
      for (let index = 0; index < count; index += 1) {
        const publicKey = (await post('verify/options', { credential_id: ids[index % ids.length] })).json();
        const response = await client.get({ publicKey });
        logins.push(() => post('login', response));
      }
      return logins;
    },
  };
}

async function fill(store: Store, made: readonly NewPasskey[], size: number): Promise<void> {
  for (const { owner } of made) {
    await store.insertOwner({ ...owner, email: `u${owner.id}@example.com`, name: 'Ada', createdAt: Date.now() });
  }
  for (let index = 0; index < size; index += 1) {
    const passkey = made[index % made.length] as NewPasskey;
    const credential = index < made.length ? passkey.credential : { ...passkey.credential, id: randomBytes(32) };
    const owner = index < made.length ? passkey.owner : { type: 'User', id: 1 + index };
    await store.insertPasskey({ ...passkey, owner, credential });
  }
}

/** Makes a file of many rows out of one of few, with ids of their own. */
function multiply(file: string, size: number): void {
  const text = readFileSync(file, 'utf8');
  const rows = text.split('\n').filter((line) => line.startsWith('    {"id":'));
  const row: Record<string, unknown> = JSON.parse((rows.at(-1) ?? '').trim());
  const [head = '', tail = ''] = text.split(rows.at(-1) ?? '');
  writeFileSync(file, head.replace(/"next_passkey_id": \d+/, `"next_passkey_id": ${size + 1}`) + rows.at(-1));
  let lines = '';
  for (let id = rows.length + 1; id <= size; id += 1) {
    const changed = {
      ...row,
      id,
      owner_id: id,
      credential_id: Buffer.from(randomBytes(32)).toString('base64url'),
    };
    lines += `,\n    ${JSON.stringify(changed)}`;
    if (lines.length < 1e6) continue;
    appendFileSync(file, lines);
    lines = '';
  }
  appendFileSync(file, lines + tail);
}

async function oneByOne(logins: readonly (() => Promise<unknown>)[]): Promise<number[]> {
  const times: number[] = [];
  for (const login of logins) {
    const started = performance.now();
    await login();
    times.push(performance.now() - started);
  }
  return times;
}

async function atOnce(logins: readonly (() => Promise<unknown>)[]): Promise<{ readonly total: number }> {
  const waiting = [...logins];
  const started = performance.now();
  await Promise.all(
    Array.from({ length: IN_FLIGHT }, async () => {
      for (let login = waiting.pop(); login; login = waiting.pop()) await login();
    }),
  );
  return { total: performance.now() - started };
}

if (mode === 'serve-logins') await serveLogins(rest[0] ?? '', rest[1] ?? '', Number(rest[2]));
else if (mode === 'open') await openAndParse(rest[0] ?? '');
else await compare([mode, ...rest].map(Number).filter((size) => size > 0));
