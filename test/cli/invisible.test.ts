import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openStore } from '../../src/store/open-store.js';
import { recorded } from './explain/run-explain.js';
import { runIn } from './run-in.js';
import { seeded } from './seeded-store.js';

/** Soft hyphen, zero-width space, joiner, override, Hangul filler, variation selector, a tag and a Braille blank. */
const HIDDEN = '\u00ad\u200b\u200d\u202e\u3164\ufe0f\u{e0041}\u2800';
const INVISIBLE = /[\p{Cf}\p{Default_Ignorable_Code_Point}\u2800]/u;

/** The seeded store with such characters in everything that people name, and files of that kind beside it. */
async function hidden(): Promise<string> {
  const { cwd, store } = await seeded();
  const lines = (await readFile(store, 'utf8'))
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
  for (const { passkey, owner } of lines) {
    if (passkey) Object.assign(passkey, { label: `Key${HIDDEN}`, rp_id: `a${HIDDEN}.test`, revoked_reason: `for${HIDDEN}` });
    if (owner) Object.assign(owner, { name: `Ada${HIDDEN}`, email: `${owner.type}${owner.id}${HIDDEN}@example.com` });
  }
  await writeFile(store, lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
  const opened = await openStore(store, { create: false });
  await opened.insertAccess({
    kind: 'token',
    owner: { type: 'User', id: 1 },
    hash: new Uint8Array(32),
    label: `CI${HIDDEN}`,
    createdAt: 0,
    passkeyId: undefined,
    expiresAt: undefined,
  });
  await opened.close();
  const fixture = JSON.parse(recorded('login-synced'));
  const clientData = { type: 'webauthn.get', challenge: 'AAAA', origin: `https://${HIDDEN}.test`, [`member${HIDDEN}`]: HIDDEN };
  await writeFile(join(cwd, `client${HIDDEN}.json`), JSON.stringify(clientData));
  await writeFile(
    join(cwd, 'fixture.json'),
    JSON.stringify({ ...fixture, description: HIDDEN, tags: [`x${HIDDEN}`], integrity: undefined }),
  );
  await writeFile(join(cwd, 'wrong.json'), JSON.stringify({ ...fixture, kind: HIDDEN, [HIDDEN]: 1 }));
  await writeFile(join(cwd, 'config.json'), JSON.stringify({ [`port${HIDDEN}`]: HIDDEN }));
  return cwd;
}

test.each<[string, string[]]>([
  ['list', ['list', '--all']],
  ['list --json', ['list', '--all', '--json']],
  ['list --csv', ['list', '--all', '--csv']],
  ['a filter of list', ['list', '--rp-id', `b${HIDDEN}`]],
  ['show', ['show', '1']],
  ['show --json', ['show', '1', '--json']],
  ['revoke', ['revoke', '1', '--yes', '--reason', HIDDEN]],
  ['restore', ['restore', '3', '--json']],
  ['user list', ['user', 'list']],
  ['user add', ['user', 'add', '--email', `x${HIDDEN}@example.com`, '--name', HIDDEN]],
  ['user remove', ['user', 'remove', 'User:1', '--yes']],
  ['token list', ['token', 'list']],
  ['token create for nobody', ['token', 'create', '--user', `no${HIDDEN}@example.com`]],
  ['explain', ['explain', `client${HIDDEN}.json`]],
  ['explain --json', ['explain', `client${HIDDEN}.json`, '--json']],
  ['explain of several', ['explain', `client${HIDDEN}.json`, 'wrong.json', `no${HIDDEN}`]],
  ['explain of what is no fixture', ['explain', 'wrong.json']],
  ['simulate', ['simulate', '--fixtures', 'fixture.json', '--replay', 'verbatim']],
  ['simulate --list', ['simulate', '--fixtures', 'fixture.json', '--list']],
  ['simulate of what is no fixture', ['simulate', '--fixtures', 'wrong.json']],
  ['a case that is none', ['simulate', `case${HIDDEN}`]],
  ['a command that is none', [`list${HIDDEN}`]],
  ['a flag that is none', ['list', `--all${HIDDEN}`]],
  ['a value that is none', ['list', '--sort', HIDDEN]],
  ['a configuration file', ['list', '--config', 'config.json']],
  ['a store that is none', ['list', '--store', `store${HIDDEN}`]],
  ['a URL that is none', ['simulate', '--url', `http://${HIDDEN}`, '--token', 'pk_a']],
])('invisible characters are written out: %s', async (_, argv) => {
  const { stdout, stderr } = await runIn(await hidden(), argv);
  expect(`${stdout}${stderr}`).not.toBe('');
  expect(INVISIBLE.exec(`${stdout}${stderr}`)).toBeNull();
});
