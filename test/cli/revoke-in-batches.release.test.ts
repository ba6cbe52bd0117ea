import { join } from 'node:path';
import { expect, test } from 'vitest';
import { run } from '../../src/cli/main.js';
import { openStore } from '../../src/store/open-store.js';
import type { Store } from '../../src/store/store.js';
import { temporaryFolder } from '../contract/adapters.js';
import { addMany } from '../contract/moved.js';
import { newOwner } from '../contract/samples.js';
import { fakeIo } from './fake-io.js';
import { runIn } from './run-in.js';

const PASSKEYS = 5001;

/** A store with more passkeys than two batches. */
async function world() {
  const folder = await temporaryFolder();
  const location = join(folder, 'passkeys.json');
  const inStore = async <T>(work: (store: Store) => Promise<T>): Promise<T> => {
    const store = await openStore(location, { create: true });
    try {
      return await work(store);
    } finally {
      await store.close();
    }
  };
  await inStore(async (store) => {
    await store.insertOwner(newOwner());
    await addMany(store, PASSKEYS);
  });
  const passkey = (...argv: string[]) => runIn(folder, [...argv, '--store', location]);
  const interrupt = async (argv: readonly string[], at: RegExp) => {
    const { io, written } = fakeIo({ cwd: folder, terminal: true });
    io.stderr.on('data', (chunk: Buffer) => {
      if (at.test(chunk.toString('utf8'))) (io.signals as NodeJS.EventEmitter).emit('SIGINT');
    });
    return { code: await run([...argv, '--store', location], io), ...written };
  };
  const revoked = () => inStore((store) => store.listPasskeys({ revoked: 'only' }));
  return { passkey, interrupt, revoked };
}

test('a change of many is made in batches, goes on after an interruption under its id, and is undone', { timeout: 120_000 }, async () => {
  const { passkey, interrupt, revoked } = await world();
  const revoke = ['revoke', '--type', 'User', '--yes', '--reason', 'leak'];
  expect((await passkey(...revoke, '--dry-run')).stderr).toBe('5,001 passkeys would be revoked; nothing was changed.\n');

  // In the first batch nothing is done, as in a change that is not made in batches.
  expect(await interrupt(revoke, /Revoking passkeys … 1,000 of 5,001/)).toMatchObject({
    code: 130,
    stdout: '',
    stderr: expect.stringContaining('passkey: Interrupted; nothing was changed.'),
  });
  expect(await revoked()).toEqual([]);

  const second = await interrupt(revoke, /Revoking passkeys … 3,500 of 5,001/);
  expect(second).toMatchObject({ code: 130, stdout: '' });
  const [, change = ''] = /--resume (\w+)/.exec(second.stderr) ?? [];
  expect(second.stderr).toContain(
    `passkey: Interrupted; 2,500 of 5,001 passkeys were revoked (change ${change}). Run the same command with --resume ${change} to go on. ` +
      `\`passkey restore --change ${change} --store `,
  );
  expect(new Set((await revoked()).map(({ revokedChange }) => revokedChange))).toEqual(new Set([change]));

  expect(await passkey('revoke', '--type', 'User', '--yes', '--resume', 'beef')).toMatchObject({
    code: 2,
    stderr: 'passkey: --resume expects the id of a change that was interrupted; none has revoked anything under "beef".\n',
  });
  // The rest is one passkey more than a batch.
  const rest = await passkey('revoke', '--type', 'User', '--yes', '--resume', change, '--json');
  expect([rest.code, rest.stderr]).toEqual([0, expect.stringContaining(`Revoked 2,501 passkeys (change ${change}).`)]);
  const document = JSON.parse(rest.stdout);
  expect({ ...document, passkeys: document.passkeys.length }).toEqual({ dry_run: false, change, passkeys: 2501 });
  const all = await revoked();
  expect(all).toHaveLength(PASSKEYS);
  expect(new Set(all.map(({ revokedChange, revokedReason }) => `${revokedChange} ${revokedReason}`))).toEqual(new Set([`${change} leak`]));

  const restored = await passkey('restore', '--change', change, '--yes');
  expect([restored.code, restored.stdout]).toEqual([0, '']);
  expect(restored.stderr).toContain('Restored 5,001 passkeys');
  expect(await revoked()).toEqual([]);
});
