import { expect, onTestFinished, test } from 'vitest';
import { openDatabase } from '../../src/store/postgres/database.js';
import { openPostgresStore } from '../../src/store/postgres/open.js';
import { runIn } from '../cli/run-in.js';
import { temporaryFolder } from '../contract/adapters.js';
import { fill } from '../contract/moved.js';
import { HAS_POSTGRES, postgresServer } from './postgres-server.js';

test.skipIf(!HAS_POSTGRES)('a role that may only read tables and views runs every command that only reads', async () => {
  const url = await (await postgresServer()).newDatabase();
  const store = await openPostgresStore(url, { create: true });
  onTestFinished(() => store.close());
  await fill(store);
  const database = await openDatabase(url);
  onTestFinished(() => database.close());
  await database.change("CREATE ROLE reader LOGIN PASSWORD 'readers'");
  await database.change('GRANT SELECT ON ALL TABLES IN SCHEMA public TO reader');
  const folder = await temporaryFolder();
  const passkey = (as: string, ...argv: string[]) => runIn(folder, [...argv, '--store', as]);
  const reader = url.replace('tester:secret@', 'reader:readers@');
  for (const command of [
    'list --all --json',
    'show 1 --json',
    'stats --json',
    'user list --json',
    'token list --all --json',
    'audit --json',
  ]) {
    const [here, there] = [await passkey(reader, ...command.split(' ')), await passkey(url, ...command.split(' '))];
    expect({ ...here, command }).toStrictEqual({ ...there, command, code: 0, stderr: '' });
  }
  expect(await passkey(reader, 'store', 'export', '--out', 'x.jsonl')).toMatchObject({ code: 0 });
  expect(await passkey(reader, 'revoke', '1', '--yes')).toMatchObject({
    code: 3,
    stderr: expect.stringContaining('permission denied for table passkeys'),
  });
  expect(await store.findPasskey(1)).toMatchObject({ revokedAt: undefined });
});
