import { describe, expect, onTestFinished, test } from 'vitest';
import { recordAudit } from '../../src/store/audit/record-audit.js';
import { type Database, openDatabase } from '../../src/store/postgres/database.js';
import { openPostgresStore } from '../../src/store/postgres/open.js';
import type { StoredRow } from '../../src/store/transfer-port.js';
import { newAccess, newLogin, newOwner, newPasskey, START } from '../contract/samples.js';
import { APP_URL, RP_ID, Service } from '../server/app.js';
import { until } from '../until.js';
import { HAS_POSTGRES, postgresServer } from './postgres-server.js';
import { proxyTo } from './scripted-postgres.js';

async function newStore(url: string) {
  const store = await openPostgresStore(url, { create: true });
  onTestFinished(() => store.close());
  return store;
}

/** The service on a database, and what it sends there. */
async function recorded() {
  const url = await (await postgresServer()).newDatabase();
  const proxy = await proxyTo(url);
  const store = await newStore(proxy.url);
  const service = await Service.start({ store: () => store });
  onTestFinished(() => service.app.close());
  if (store.audit !== undefined) recordAudit(store.audit, { ...service, systemUser: () => undefined });
  return {
    url,
    store,
    service,
    /** The statements of some work, up to its entry in the audit log. */
    async statementsOf(work: () => Promise<unknown>): Promise<readonly string[]> {
      await store.audit?.settled();
      proxy.takeStatements();
      await work();
      await store.audit?.settled();
      return proxy.takeStatements();
    },
    async logIn() {
      const options = await service.post('/api/passkeys/login/options', { app_url: APP_URL }, { token: null });
      const response = await service.client.get({ publicKey: { rpId: RP_ID, ...options.json() } });
      const login = await service.post('/api/passkeys/login', response, { token: null });
      const session = await service.inject({ method: 'GET', url: '/api/session', headers: { cookie: Service.cookieOf(login) } });
      expect([login.statusCode, session.statusCode]).toEqual([200, 200]);
    },
  };
}

test.skipIf(!HAS_POSTGRES)('options, login and the session that it opened take six statements, and the audit log one', async () => {
  const { service, logIn, statementsOf } = await recorded();
  await service.register();
  const statements = await statementsOf(logIn);
  const audit = statements.filter((text) => text.includes('passkey_audit'));
  expect([statements.length - audit.length, audit.length]).toEqual([6, 1]);
});

/** The plan of a statement, and those below it. */
interface Plan {
  readonly 'Node Type': string;
  readonly 'Relation Name'?: string;
  readonly Plans?: readonly Plan[];
}

const plansIn = (plan: Plan): readonly Plan[] => [plan, ...(plan.Plans ?? []).flatMap(plansIn)];

test.skipIf(!HAS_POSTGRES)('no registration, login, list of a user, removal of old sessions or import reads a whole table', async () => {
  const { url, store, service, logIn, statementsOf } = await recorded();
  await service.register();
  await logIn();
  const database = await openDatabase(url);
  onTestFinished(() => database.close());
  await database.change(`INSERT INTO passkey_owner_refs SELECT 'User', id FROM generate_series(2, ${ROWS}) AS id`);
  await multiply(database, 'passkey_owners', { id: 'number', email_key: "'e' || number", user_handle: 'int4send(number::int)' });
  await multiply(database, 'passkeys', { id: 'number + 1000', owner_id: 'number', credential_id: 'sha256(int4send(number::int))' });
  await multiply(database, 'passkey_accesses', { id: 'number + 1000', passkey_id: 'number', hash: 'sha256(int4send(number::int))' });
  await multiply(database, 'passkey_ceremonies', { challenge: 'sha256(int4send(number::int))', sequence: 'number' });
  await database.change('ANALYZE');
  const statements = await statementsOf(async () => {
    const owner = await service.accounts.addOwner({ email: 'bob@example.com', name: 'Bob' });
    const { token } = await service.accounts.createToken({ owner });
    const { credentialId, passkey } = await service.register({}, token);
    expect(await service.login(credentialId)).toMatchObject({ statusCode: 200 });
    const headers = { authorization: `Bearer ${token}` };
    expect(await service.inject({ method: 'GET', url: '/api/passkeys', headers })).toMatchObject({ statusCode: 200 });
    await Promise.all(Array.from({ length: 128 }, () => store.insertAccess(newAccess({ owner, passkeyId: passkey.id }))));
    const [record] = await store.listPasskeys({ owner });
    const [access] = await store.listAccess({ owner });
    if (access === undefined || record === undefined) throw new TypeError('Expected an access and a passkey.');
    // As an import does before it adds rows.
    const rows: StoredRow[] = [
      { kind: 'owner', record: owner },
      { kind: 'passkey', record },
      { kind: 'access', record: access },
    ];
    await store.transfer.look(rows, () => undefined);
  });
  const { query, close } = await database.snapshot();
  onTestFinished(close);
  const scans = [];
  for (const text of new Set(statements.filter((each) => !/^(BEGIN|COMMIT)$/.test(each)))) {
    const [row] = await query<{ 'QUERY PLAN': readonly { readonly Plan: Plan }[] }>(`EXPLAIN (GENERIC_PLAN, FORMAT JSON) ${text}`);
    for (const { Plan: whole } of row?.['QUERY PLAN'] ?? []) {
      if (plansIn(whole).some((plan) => plan['Node Type'] === 'Seq Scan' && LARGE.has(plan['Relation Name']))) scans.push(text);
    }
  }
  expect(scans).toEqual([]);
});

const ROWS = 20_000;
const LARGE = new Set<unknown>(['passkey_owners', 'passkey_owner_refs', 'passkeys', 'passkey_accesses', 'passkey_ceremonies']);

/** Makes many rows out of the one of a table, with some columns of their own. */
async function multiply(database: Database, table: string, own: Readonly<Record<string, string>>): Promise<void> {
  const sql = 'SELECT column_name AS name FROM information_schema.columns WHERE table_name = $1';
  const names = (await database.read<{ name: string }>(sql, [table])).map(({ name }) => name);
  await database.change(`INSERT INTO ${table} (${names.join(', ')}) OVERRIDING SYSTEM VALUE
    SELECT ${names.map((name) => own[name] ?? name).join(', ')}
    FROM (SELECT * FROM ${table} LIMIT 1) AS first, generate_series(2, ${ROWS}) AS number`);
}

/** A store with two passkeys of one owner, and a database that keeps changes waiting until they may go on. */
async function world() {
  const url = await (await postgresServer()).newDatabase();
  const store = await newStore(url);
  const owner = await store.insertOwner(newOwner());
  await store.insertPasskey(newPasskey({ owner }));
  await store.insertPasskey(newPasskey({ owner }));
  const database = await openDatabase(url);
  onTestFinished(() => database.close());
  const waiting = async (count: number) =>
    until(async () => {
      const sql = "SELECT 1 FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()";
      return (await database.read(sql)).length === count;
    });
  return {
    store,
    owner,
    logIn: (passkeyId: number) =>
      store.recordLogin({
        passkeyId,
        use: { expectedSignCount: 0, signCount: 1, backupState: false, uvInitialized: true, lastUsedAt: START },
        opens: newLogin(),
      }),
    revoke: () => store.revokePasskeys([1], { at: START, reason: undefined }),
    remove: () => store.removeOwner(owner, { at: START, reason: 'left' }),
    waiting,
    /** Holds rows of a table that come to be inserted or changed, such as `INSERT ON passkeys`, until `release` is called. */
    async hold(rows: string, condition = 'true'): Promise<() => Promise<void>> {
      await database.change(`CREATE FUNCTION wait() RETURNS trigger LANGUAGE plpgsql AS
        'BEGIN PERFORM pg_advisory_xact_lock_shared(1); RETURN NEW; END'`);
      await database.change(`CREATE TRIGGER wait BEFORE ${rows} FOR EACH ROW WHEN (${condition}) EXECUTE FUNCTION wait()`);
      const { query, close } = await database.snapshot();
      await query('SELECT pg_advisory_xact_lock(1)');
      return close;
    },
  };
}

describe.skipIf(!HAS_POSTGRES)('of changes at the same moment', () => {
  test('a login waits for none with another passkey of its owner', async () => {
    const { logIn, hold, waiting } = await world();
    const release = await hold('INSERT ON passkey_accesses', 'NEW.passkey_id = 1');
    const first = logIn(1);
    await waiting(1);
    expect(await logIn(2)).toMatchObject({ opened: { passkeyId: 2 } });
    await release();
    expect(await first).toMatchObject({ opened: { passkeyId: 1 } });
  });

  test.each(['revoke', 'remove'] as const)('%s: ends what a login opens that was first', async (name) => {
    const { store, logIn, hold, waiting, [name]: end } = await world();
    const release = await hold('INSERT ON passkey_accesses');
    const login = logIn(1);
    await waiting(1);
    const ended = end();
    await waiting(2);
    await release();
    await ended;
    const recorded = await login;
    expect(recorded).toMatchObject({ status: 'recorded', opened: { passkeyId: 1, revokedAt: undefined } });
    expect(await store.listAccess()).toEqual([{ ...(recorded.status === 'recorded' && recorded.opened), revokedAt: START }]);
  });

  test.each(['revoke', 'remove'] as const)('%s: a login that is second opens nothing', async (name) => {
    const { store, logIn, hold, waiting, [name]: end } = await world();
    const release = await hold('UPDATE ON passkeys');
    const ended = end();
    await waiting(1);
    const login = logIn(1);
    await waiting(2);
    await release();
    await ended;
    expect(await login).toMatchObject({ status: 'changed', passkey: { revokedAt: START } });
    expect(await store.listAccess()).toEqual([]);
  });

  test('a removal leaves no passkey live that is restored meanwhile', async () => {
    const { store, revoke, remove, hold, waiting } = await world();
    await revoke();
    const release = await hold('UPDATE ON passkeys', 'NEW.id = 1');
    const restored = store.restorePasskeys([1]);
    await waiting(1);
    const removed = remove();
    await Promise.race([removed, waiting(2)]);
    await release();
    await Promise.all([restored, removed]);
    expect(await store.listPasskeys()).toEqual([]);
  });
});
