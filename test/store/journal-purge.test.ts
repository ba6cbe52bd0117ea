import { copyFileSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { journalLine, readHeader } from '../../src/store/journal-text.js';
import { openJsonFileStore } from '../../src/store/json-file.js';
import { temporaryFolder } from '../contract/adapters.js';
import { newPasskey, START } from '../contract/samples.js';

async function open(path: string) {
  // The file does not follow by itself, so that no test depends on when it does.
  const store = await openJsonFileStore(path, { create: true, quiet: 3_600_000 });
  onTestFinished(() => store.close());
  return store;
}

async function withRevoked() {
  const path = join(await temporaryFolder(), 'passkeys.json');
  const store = await open(path);
  const passkeys = [await store.insertPasskey(newPasskey()), await store.insertPasskey(newPasskey())] as const;
  await store.revokePasskeys([1], { at: START, reason: undefined });
  return { path, store, passkeys };
}

const journalOf = (path: string): string[] => readFileSync(`${path}.journal`, 'utf8').split('\n').slice(0, -1);
const purged = { passkeys: [1], accesses: [] };

test('passkeys that are gone are a row of the journal; whoever reads it knows no such passkey', async () => {
  const { path, store, passkeys } = await withRevoked();
  const other = await open(path);
  await other.listPasskeys();
  await store.purge(purged, { endedBefore: START + 1 });
  expect(JSON.parse(journalOf(path).at(-1) ?? '')).toMatchObject({ n: 4, gone_passkeys: [1] });
  expect(await other.listPasskeys({ revoked: true })).toStrictEqual([passkeys[1]]);
  const again = await other.insertPasskey(newPasskey({ credential: passkeys[0].credential }));
  expect(again.id).toBe(3);

  const killed = join(await temporaryFolder(), 'passkeys.json');
  copyFileSync(path, killed);
  copyFileSync(`${path}.journal`, `${killed}.journal`);
  expect(await (await open(killed)).listPasskeys({ revoked: true })).toStrictEqual([passkeys[1], again]);
  await store.close();
  expect(await (await open(path)).listPasskeys({ revoked: true })).toStrictEqual([passkeys[1], again]);
});

test('a journal of the version before is begun anew, so that who knows only that one refuses it', async () => {
  const { path, store, passkeys } = await withRevoked();
  const [head = '', ...lines] = journalOf(path);
  const { journal, ...rest } = readHeader(Buffer.from(head));
  expect(journal).toBe(2);
  writeFileSync(`${path}.journal`, [journalLine({ journal: 1, ...rest }).trimEnd(), ...lines, ''].join('\n'));
  const other = await open(path);

  // It goes on as long as no passkey is gone.
  await other.renamePasskey(2, 'Phone');
  expect(readHeader(Buffer.from(journalOf(path)[0] ?? ''))).toStrictEqual({ journal: 1, ...rest });

  await other.purge(purged, { endedBefore: START + 1 });
  const [newHead = '', ...newLines] = journalOf(path);
  expect(readHeader(Buffer.from(newHead))).toMatchObject({ journal: 2, store: rest.store, after: rest.after });
  expect(newLines.slice(0, lines.length)).toStrictEqual(lines);
  for (const each of [store, other]) expect(await each.listPasskeys({ revoked: true })).toStrictEqual([{ ...passkeys[1], label: 'Phone' }]);
});
