import { describe, expect, onTestFinished, test } from 'vitest';
import { openStore } from '../../src/store/open-store.js';
import { named, openDatabase } from '../../src/store/postgres/database.js';
import { migrate } from '../../src/store/postgres/migrations.js';
import { openPostgresStore } from '../../src/store/postgres/open.js';
import { newCeremony, newOwner, newPasskey, START } from '../contract/samples.js';
import { HAS_POSTGRES, postgresServer } from './postgres-server.js';

async function opened(url: string) {
  const store = await openPostgresStore(url, { create: true });
  onTestFinished(() => store.close());
  return store;
}

async function databaseOf(url: string) {
  const database = await openDatabase(url);
  onTestFinished(() => database.close());
  return database;
}

const newDatabase = async () => (await postgresServer()).newDatabase();

describe.skipIf(!HAS_POSTGRES)('opening a database', () => {
  test('is what --store postgres://… does; the location tells neither user nor password', async () => {
    const url = await newDatabase();
    const store = await openStore(url, { create: true });
    onTestFinished(() => store.close());
    expect(store.location).toBe(url.replace('tester:secret@', ''));
    await store.check();
  });

  test('without tables is a store that is absent, for whoever only reads', async () => {
    const url = await newDatabase();
    await expect(openStore(url, { create: false })).rejects.toMatchObject({
      code: 'store_absent',
      exitCode: 3,
      message: expect.stringMatching(
        /^The database postgres:\/\/127\.0\.0\.1:\d+\/test_\d+ has no passkey store yet\. `passkey store migrate`/,
      ),
    });
    expect(await (await databaseOf(url)).read("SELECT 1 FROM information_schema.tables WHERE table_schema = 'public'")).toEqual([]);
  });

  test('by several processes at once makes the tables once', async () => {
    const url = await newDatabase();
    const stores = await Promise.all(Array.from({ length: 6 }, () => opened(url)));
    const ids = await Promise.all(stores.map(async (store) => (await store.insertPasskey(newPasskey())).id));
    expect(ids.sort((a, b) => a - b)).toEqual([1, 2, 3, 4, 5, 6]);
  });

  test('with older tables names the command that migrates, and changes nothing', async () => {
    const url = await newDatabase();
    const database = await databaseOf(url);
    await migrate(database);
    await database.transaction((query) => query('DELETE FROM passkey_schema WHERE version > 1'));
    await expect(openPostgresStore(url, { create: true })).rejects.toMatchObject({
      code: 'store_unavailable',
      message: expect.stringMatching(/has schema 1, and this passkey needs \d+\. Run `passkey store migrate`\./),
    });
    expect(await database.read('SELECT version FROM passkey_schema')).toEqual([{ version: 1 }]);
  });

  test('with newer tables asks for a newer passkey; migrating too', async () => {
    const url = await newDatabase();
    const database = await databaseOf(url);
    const { from, to } = await migrate(database);
    expect(from).toBe(0);
    expect(to).toBeGreaterThan(1);
    expect(await migrate(database)).toEqual({ from: to, to });
    await database.transaction((query) => query('INSERT INTO passkey_schema (version) VALUES (99)'));
    const newer = {
      code: 'store_unavailable',
      message: expect.stringMatching(/has schema 99, written by a newer passkey; .* Update passkey\.$/),
    };
    await expect(openPostgresStore(url, { create: true })).rejects.toMatchObject(newer);
    await expect(migrate(database)).rejects.toMatchObject(newer);
  });

  test.each([
    [
      'a wrong password',
      (url: string) => url.replace(':secret@', ':wrong@'),
      /password authentication failed.* The password is wrong or missing\./,
    ],
    ['no password', (url: string) => url.replace(':secret@', '@'), /empty password.* The password is wrong or missing\./],
    ['a database that is not there', (url: string) => `${url}_gone`, /does not exist\. There is no such database\. Create it/],
    ['a port where nothing listens', (url: string) => url.replace(/:\d+\//, ':1/'), /Nothing listens there\. Start PostgreSQL/],
    [
      'a host that is not known',
      (url: string) => url.replace('127.0.0.1', 'no-such-host.invalid'),
      /The host is not known|could not be looked up/,
    ],
  ])('%s is said in one sentence with what to do', async (_, spoil, message) => {
    await expect(openStore(spoil(await newDatabase()), { create: true })).rejects.toMatchObject({
      code: 'store_unavailable',
      exitCode: 3,
      message: expect.stringMatching(message),
    });
    const error = await openStore(spoil(await newDatabase()), { create: true }).catch((each: unknown) => each);
    expect(String(error)).not.toContain('secret');
  });

  test('a URL that cannot be read is wrong usage, and is not repeated', async () => {
    const error = await openStore('postgres://me:secret@[x/db', { create: true }).catch((each: unknown) => each);
    expect(error).toMatchObject({ code: 'usage', message: expect.stringContaining('postgres://user@localhost:5432/passkeys') });
    expect(String(error)).not.toContain('secret');
  });
});

/** Ends every connection of a database but this one's, as a restart of the server does. */
async function cutConnections(url: string): Promise<void> {
  const database = await databaseOf(url);
  await database.read(
    'SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()',
  );
}

describe.skipIf(!HAS_POSTGRES)('a connection that is lost', () => {
  test('while nobody uses it is nobody’s error', async () => {
    const url = await newDatabase();
    const store = await opened(url);
    await store.insertPasskey(newPasskey());
    for (let round = 0; round < 5; round += 1) {
      await cutConnections(url);
      expect(await store.listPasskeys()).toHaveLength(1 + round);
      await store.insertPasskey(newPasskey());
    }
  });

  test('in the middle of a change undoes it, and it runs again as a whole', async () => {
    const url = await newDatabase();
    const database = await databaseOf(url);
    await migrate(database);
    let runs = 0;
    await database.transaction(async (query) => {
      runs += 1;
      await query("INSERT INTO passkey_owner_types (type, highest_id) VALUES ('User', 1)");
      if (runs < 3) await cutConnections(url);
      await query("UPDATE passkey_owner_types SET highest_id = highest_id + 1 WHERE type = 'User'");
    });
    expect(runs).toBe(3);
    expect(await database.read('SELECT * FROM passkey_owner_types')).toEqual([{ type: 'User', highest_id: 2 }]);
  });

  test('again and again makes the store unavailable, and changes nothing', async () => {
    const url = await newDatabase();
    const database = await databaseOf(url);
    await migrate(database);
    const change = database.transaction(async (query) => {
      await query("INSERT INTO passkey_owner_types (type, highest_id) VALUES ('User', 1)");
      await cutConnections(url);
      await query('SELECT 1');
    });
    await expect(change).rejects.toMatchObject({ code: 'store_unavailable' });
    expect(await database.read('SELECT * FROM passkey_owner_types')).toEqual([]);
  });
});

describe.skipIf(!HAS_POSTGRES)('several stores on one database', () => {
  test('a challenge is good once, whoever takes it', async () => {
    const url = await newDatabase();
    const stores = await Promise.all(Array.from({ length: 4 }, () => opened(url)));
    for (let round = 0; round < 5; round += 1) {
      const ceremony = newCeremony();
      await stores[round % 4]?.saveCeremony(ceremony);
      const taken = await Promise.all(stores.flatMap((store) => [1, 2, 3].map(() => store.takeCeremony(ceremony.challenge, START))));
      expect(taken.filter(({ status }) => status === 'open')).toHaveLength(1);
      expect(taken.filter(({ status }) => status === 'used')).toHaveLength(11);
    }
  });

  test('of uses of one passkey at once each that holds the old sign count wins once: no update is lost', async () => {
    const url = await newDatabase();
    const stores = await Promise.all(Array.from({ length: 4 }, () => opened(url)));
    const { id } = (await stores[0]?.insertPasskey(newPasskey())) ?? { id: 0 };
    const use = (signCount: number) => ({
      expectedSignCount: signCount - 1,
      signCount,
      backupState: true,
      uvInitialized: true,
      lastUsedAt: START,
    });
    for (let signCount = 1; signCount <= 10; signCount += 1) {
      const outcomes = await Promise.all(stores.map((store) => store.recordLogin({ passkeyId: id, use: use(signCount) })));
      expect(outcomes.filter(({ status }) => status === 'recorded')).toHaveLength(1);
    }
    expect(await stores[3]?.findPasskey(id)).toMatchObject({ credential: { signCount: 10 } });
  });

  test('changes that hold the same owners and passkeys in every order end, and each is whole', async () => {
    const url = await newDatabase();
    const [first, second] = [await opened(url), await opened(url)];
    const owner = await first.insertOwner(newOwner());
    const passkeys = await Promise.all(Array.from({ length: 20 }, () => first.insertPasskey(newPasskey({ owner }))));
    const ids = passkeys.map(({ id }) => id);
    const change = { at: START, reason: undefined };
    await Promise.all(
      [
        ...[ids, [...ids].reverse()].flatMap((order) => [first.revokePasskeys(order, change), second.restorePasskeys(order)]),
        first.removeOwner(owner, { at: START, reason: 'left' }),
        second.insertPasskey(newPasskey({ owner })).catch(() => undefined),
      ].map((each) => each.catch(() => undefined)),
    );
    await first.revokePasskeys(ids, change);
    expect(await second.listPasskeys({ owner })).toEqual([]);
    await expect(second.restorePasskeys(ids)).rejects.toMatchObject({ code: 'passkey_not_restorable' });
  });
});

describe.skipIf(!HAS_POSTGRES)('a statement with a name', () => {
  const ADD = named('INSERT INTO passkey_owner_types (type, highest_id) VALUES ($1, $2)');
  const READ = named('SELECT type, highest_id FROM passkey_owner_types WHERE highest_id >= $1 ORDER BY type');

  /** A database whose statements all take one connection, by turns, and the statements that it has prepared. */
  async function oneConnection(query = '') {
    const database = await databaseOf(`${await newDatabase()}${query}`);
    await migrate(database);
    const names = async () => (await database.read<{ name: string }>('SELECT name FROM pg_prepared_statements')).map(({ name }) => name);
    return { database, names };
  }

  test('is planned once', async () => {
    const { database, names } = await oneConnection();
    await database.change(ADD, ['A', 1]);
    await database.change(ADD, ['B', 2]);
    expect(await names()).toEqual([ADD.name]);
  });

  test('has none with ?prepare=false', async () => {
    const { database, names } = await oneConnection('?prepare=false');
    await database.change(ADD, ['A', 1]);
    expect(await database.read(READ, [1])).toEqual([{ type: 'A', highest_id: 1 }]);
    expect(await names()).toEqual([]);
  });

  test('any other value of prepare is wrong usage', async () => {
    await expect(openStore('postgres://me:secret@127.0.0.1/db?prepare=no', { create: false })).rejects.toMatchObject({
      code: 'usage',
      message: 'prepare in the URL of --store expects true or false; got "no".',
    });
  });

  describe.each(['forgotten', 'taken'] as const)('that is %s', (fault) => {
    /** What a pooler does that gives each transaction another connection. */
    async function spoiled() {
      const { database, names } = await oneConnection();
      if (fault === 'taken') for (const { name } of [ADD, READ]) await database.read(`PREPARE ${name} AS SELECT 7`);
      else {
        await database.change(ADD, ['A', 1]);
        await database.read(READ, [1]);
        await database.read('DEALLOCATE ALL');
      }
      return { database, before: fault === 'taken' ? [] : [{ type: 'A', highest_id: 1 }], names, left: await names() };
    }

    test('is repeated without, and so are all others from then on', async () => {
      const { database, before, names, left } = await spoiled();
      await database.change(ADD, ['B', 2]);
      expect(await database.read(READ, [1])).toEqual([...before, { type: 'B', highest_id: 2 }]);
      await database.read(named('SELECT $1::text'), ['another']);
      expect(await names()).toEqual(left);
    });

    test('reads what is there', async () => {
      const { database, before } = await spoiled();
      expect(await database.read(READ, [1])).toEqual(before);
    });

    test('in a transaction begins the transaction again', async () => {
      const { database, before } = await spoiled();
      await database.transaction(async (query) => {
        await query("INSERT INTO passkey_owner_types (type, highest_id) VALUES ('C', 3)");
        await query(ADD, ['D', 4]);
      });
      expect(await database.read(READ, [1])).toEqual([...before, { type: 'C', highest_id: 3 }, { type: 'D', highest_id: 4 }]);
    });
  });
});

test.skipIf(!HAS_POSTGRES)('times keep their microseconds, wherever the server is and however it writes them', async () => {
  const url = await newDatabase();
  const database = await databaseOf(url);
  for (const setting of ["timezone = 'Asia/Kolkata'", "datestyle = 'German'"]) {
    await database.change(`ALTER DATABASE "${new URL(url).pathname.slice(1)}" SET ${setting}`);
  }
  const store = await opened(url);
  const at = START + 123.456;
  const { id } = await store.insertPasskey(newPasskey({ createdAt: at }));
  expect(await store.findPasskey(id)).toMatchObject({ createdAt: at });
});

test.skipIf(!HAS_POSTGRES)('a text with a NUL character is refused with a reason', async () => {
  const store = await opened(await newDatabase());
  await expect(store.insertPasskey(newPasskey({ label: 'a\0b' }))).rejects.toMatchObject({ message: expect.stringContaining('NUL') });
});
