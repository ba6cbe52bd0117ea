import { userInfo } from 'node:os';
import { expect, test } from 'vitest';
import type { StreamDetail, StreamDocument } from '../../src/server/schemas/stream.js';
import { temporaryFolder } from '../contract/adapters.js';
import { passkeyHere, serveHere } from './passkey-in-process.js';

const get = async <T>(url: string): Promise<T> => (await (await fetch(url)).json()) as T;
const entriesOf = async (url: string) => (await get<StreamDocument>(`${url}/dev/stream`)).entries;

/** Commands, of which each must succeed. */
async function runAll(cwd: string, ...commands: readonly (readonly string[])[]): Promise<void> {
  for (const argv of commands) expect(await passkeyHere(argv, { cwd })).toMatchObject({ code: 0 });
}

const ADA = 'ada@example.com';
const ME = userInfo().username;

test('what commands change is in the stream of every server, once, with who did it', async () => {
  const cwd = await temporaryFolder();
  await runAll(cwd, ['user', 'add', '--email', ADA, '--name', 'Ada']);
  // One that is started with a user of its own, which is not what a command did.
  const servers = [await serveHere(['--user', 'eve@example.com', '--print-token'], { cwd }), await serveHere([], { cwd })];
  const [first, second] = servers.map(({ url }) => url);
  if (first === undefined || second === undefined) throw new Error('Expected two servers.');
  expect(await entriesOf(first)).toEqual([]);
  await runAll(
    cwd,
    ['credential', 'create', '--user', ADA, '--origin', first, '--label', 'Phone'],
    ['revoke', '1', '--yes', '--reason', 'lost phone'],
    ['restore', '1', '--yes'],
    ['token', 'create', '--user', ADA, '--label', 'ci'],
    ['token', 'revoke', '2', '--yes'],
    ['user', 'edit', ADA, '--name', 'Ada Lovelace'],
    ['user', 'remove', ADA, '--yes', '--reason', 'left'],
  );
  const told = [
    [`User ${ADA} was removed by ${ME}, and passkey 1 was revoked: left.`, 'passkey user remove'],
    [`User ${ADA} was edited by ${ME}.`, 'passkey user edit'],
    [`Token 2 "ci" of User:1 was revoked by ${ME}.`, 'passkey token revoke'],
    [`Token 2 "ci" of User:1 was created by ${ME}.`, 'passkey token create'],
    [`Passkey 1 "Phone" was restored by ${ME}.`, 'passkey restore'],
    [`Passkey 1 "Phone" was revoked by ${ME}: lost phone.`, 'passkey revoke'],
    [`Passkey 1 "Phone" was registered by ${ME}.`, 'passkey credential create'],
  ];
  for (const url of [first, second, first]) {
    const entries = await entriesOf(url);
    expect(entries.map(({ message, via }) => [message, via])).toEqual(told);
    for (const entry of entries) expect(entry).toMatchObject({ kind: 'change', state: 'changed', owner: 'User:1' });
  }
  const [, , , , , revoked] = await entriesOf(second);
  expect(revoked).toMatchObject({ passkey: { id: 1, label: 'Phone' } });
  expect(await get<StreamDetail>(`${second}/dev/stream/${revoked?.id}`)).toMatchObject({
    change: { type: 'revoked', reason: 'lost phone' },
  });
  for (const { stop } of servers) await stop();
  const again = await serveHere([], { cwd });
  // A restarted server begins with an empty list.
  expect(await entriesOf(again.url)).toEqual([]);
  expect(await again.stop()).toBe(0);
});
