/**
 * `node --import tsx bench/stream.ts [ROUNDS] [LOGINS]`: what the stream of the test page costs a login, in processor time: a development
 * server against one in production mode, which has none. Both on JSON files, in one process, by turns; a ratio for each round, and the
 * median of them.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { createAccounts } from '../src/accounts/accounts.js';
import { createAuthenticator } from '../src/authenticator/authenticator.js';
import { followCommands } from '../src/cli/serve/foreign-changes.js';
import { createClient } from '../src/client/client.js';
import { DEFAULT_POLICY } from '../src/relying-party/policy.js';
import { createRelyingParty } from '../src/relying-party/relying-party.js';
import { buildApp } from '../src/server/app.js';
import { DEFAULT_SETTINGS } from '../src/server/settings.js';
import { recordAudit } from '../src/store/audit/record-audit.js';
import { openJsonFileStore } from '../src/store/json-file.js';
import { randomBytes } from './store-fill.js';

const ORIGIN = 'http://localhost:7277';
/** Milliseconds after which what happened has been written. */
const WRITTEN = 250;

const [rounds = 15, logins = 200] = process.argv.slice(2).map(Number);
const folder = mkdtempSync(join(tmpdir(), 'passkey-bench-'));
type Client = ReturnType<typeof createClient>;
type CreationOptions = Parameters<Client['create']>[0]['publicKey'];
type RequestOptions = Parameters<Client['get']>[0]['publicKey'];

async function serviceWith(name: string, { mode }: { mode: 'production' | 'development' }) {
  const now = Date.now;
  const client = createClient({ authenticator: createAuthenticator(), origin: ORIGIN });
  const store = await openJsonFileStore(join(folder, `${name}.json`), { create: true });
  const relyingParty = createRelyingParty({ store, policy: DEFAULT_POLICY, origins: [], now, newChallenge: () => randomBytes(32) });
  const accounts = createAccounts({ store, ownerType: 'User', now, randomBytes });
  if (store.audit !== undefined) recordAudit(store.audit, { relyingParty, accounts, systemUser: () => undefined });
  const settings = { ...DEFAULT_SETTINGS, mode, origin: ORIGIN, devSignIn: 'off' as const, rateLimit: 1_000_000_000 };
  const others = mode === 'production' || store.audit === undefined ? undefined : { changes: followCommands(store.audit) };
  const app = await buildApp({
    relyingParty,
    accounts,
    settings,
    logger: false,
    now,
    checkStore: () => store.check(),
    others,
  });
  const owner = await accounts.addOwner({ email: 'ada@example.com', name: 'Ada' });
  const { token } = await accounts.createToken({ owner });
  const post = async <Answer>(path: string, body: object, headers: Record<string, string> = {}): Promise<Answer> => {
    const reply = await app.inject({
      method: 'POST',
      url: `/api/passkeys/${path}`,
      headers: { host: 'localhost:7277', 'user-agent': 'bench/1.0', ...headers },
      payload: body,
    });
    if (reply.statusCode !== 200) throw new Error(reply.body);
    return reply.json<Answer>();
  };
  const authorization = { authorization: `Bearer ${token}` };
  const created = await client.create({
    publicKey: await post<CreationOptions>('register/options', { app_name: 'Bench', app_url: ORIGIN }, authorization),
  });
  await post('register', created, authorization);

  /** Microseconds of processor time that a login takes, signing left out. */
  return async (count: number): Promise<number> => {
    let spent = 0;
    const counted = async (work: () => Promise<unknown>) => {
      await store.audit?.settled();
      const before = process.cpuUsage();
      await work();
      await sleep(WRITTEN);
      const { user, system } = process.cpuUsage(before);
      spent += user + system;
    };
    const begun: RequestOptions[] = [];
    await counted(async () => {
      for (let n = 0; n < count; n += 1) begun.push(await post<RequestOptions>('verify/options', { credential_id: created.id }));
    });
    const responses = await Promise.all(begun.map((publicKey) => client.get({ publicKey })));
    await counted(async () => {
      for (const response of responses) await post('login', response);
    });
    return spent / count;
  };
}

const services = {
  none: await serviceWith('none', { mode: 'production' }),
  memory: await serviceWith('memory', { mode: 'development' }),
};
type Name = keyof typeof services;
const names: readonly Name[] = (process.env.ONLY?.split(',') ?? ['none', 'memory']) as Name[];
const median = (values: readonly number[]) => [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
const ratios: number[] = [];
for (const name of names) await services[name](logins);
for (let round = 0; round < rounds; round += 1) {
  const took: Partial<Record<Name, number>> = {};
  for (let turn = 0; turn < names.length; turn += 1) {
    const name = names[(round + turn) % names.length] ?? 'none';
    took[name] = await services[name](logins);
  }
  const { none = Number.NaN, memory = Number.NaN } = took;
  ratios.push(memory / none);
  console.log(`${none.toFixed(0)} µs without, ${(memory / none).toFixed(3)} with the stream`);
}
console.log(`median: ${median(ratios).toFixed(3)} (target: 1.03)`);
rmSync(folder, { recursive: true, force: true });
process.exit(0);
