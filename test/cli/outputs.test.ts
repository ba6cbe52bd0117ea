import { mkdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { run } from '../../src/cli/main.js';
import { openStore } from '../../src/store/open-store.js';
import { recordAnswer } from '../explain/server-answers.js';
import { fakeIo } from './fake-io.js';
import { seedCredentials } from './seeded-credentials.js';
import { passkeyOf, seeded } from './seeded-store.js';
import { tempFolder } from './temp-folder.js';

const DAY = 86_400_000;
const ALL_COLUMNS =
  'id,label,credential_id,created_at,passkeeable_id,passkeeable_type,rp_id,aaguid,sign_count,last_used_at,revoked_at,user,email,provider,backup_eligible,backup_state,uv_initialized,transports,authenticator_attachment,algorithm,attestation_format,attestation_trust,origin,revoked_reason';

/** Command lines, in their order: the later ones see what the earlier ones changed. `t:` on a terminal, `c:` in colour, `l:` 100 days later. */
const LINES = `
list
t:list
c:list --all
list --all --csv
list --all --csv --columns ${ALL_COLUMNS}
list --all --json --columns ${ALL_COLUMNS}
list --all --sort label --limit 2 --offset 1
list --limit 1
list --limit 1 --after 1 --json
list --revoked
list --user ada@example.com
list --label nothing
list --backed-up
list --no-backed-up --rp-id example.com
show 1
t:show 3
show 5
show 5 --json
stats
stats --json
stats --user ada@example.com
stats --label nothing
user add --email guest@example.com --name Guest --type Guest
user list
t:user list
user list --csv
user list --json --sort email
user list --without-passkey
user list --revoked
user show Guest:1
user show ada@example.com
user show User:2 --json
user edit Guest:1 --name Visitor
user edit Guest:1 --email visitor@example.com --json
token list
token create --user Guest:1 --label CI --expires 1d --json
token create --user User:1
token list
t:token list --all
token list --csv
token list --json
token revoke 1 --dry-run
token revoke 1 --reason lost --json
token revoke 1-9
token list --all
revoke 1 2 --dry-run
revoke 1 3 --dry-run --json
revoke --label phone --yes --reason stolen
revoke 2-9 --yes --json
restore 1 --dry-run
restore 1 --json
restore --user User:1 --yes
purge --older-than 1d
l:stats
l:stats --json
l:token list --all
l:purge --older-than 1d --dry-run
l:purge --older-than 1d --dry-run --json
l:purge --older-than 1d --user ada@example.com --dry-run
l:purge --older-than 1d --yes
l:audit --action purge --json
l:purge --older-than 1d --yes --json
user remove Guest:1 --dry-run
user remove User:1 Guest:1 --dry-run --json
user remove Guest:1 --yes
audit --limit 3 --json
audit --action user-add --json
audit --outcome refused
audit --user Guest:1 --action token-create,token-revoke --json
store check
store check --json
store export --out export.jsonl
store export --out again.jsonl --json
store import export.jsonl --store other.jsonl
store import export.jsonl --store other.jsonl --json
store copy .passkey/passkeys.jsonl copy.jsonl --json
store repair --out repaired.jsonl
store repair --out mended.jsonl --json
store backup --out backup.jsonl
credential list
credential list --json
credential remove AQIDBAUGBwgJCgsMDQ4PEA --dry-run
credential remove AQIDBAUGBwgJCgsMDQ4PEA --yes --json
list --store absent.jsonl
`;

/** What each line prints in a folder. */
async function printed(cwd: string, lines: string): Promise<string> {
  let text = '';
  for (const line of lines.trim().split('\n')) {
    const [, how, command = ''] = /^(?:(\w):)?(.*)$/.exec(line) ?? [];
    const env = how === 'c' ? { FORCE_COLOR: '1' } : { NO_COLOR: '1' };
    const { io, written } = fakeIo({ cwd, env, ...(how === 't' && { terminal: true, columns: 100 }) });
    const code = await run(command.split(' '), { ...io, now: () => io.now() + (how === 'l' ? 100 * DAY : 0) });
    text += `$ passkey ${command}\n${written.stdout}${written.stderr}${code === 0 ? '' : `exit ${code}\n`}\n`;
  }
  return text;
}

test('what the commands about passkeys, users, tokens and stores print is recorded', async () => {
  const { cwd, store } = await seeded();
  await seedCredentials(cwd);
  await writeFile(join(cwd, 'passkey.config.json'), '{}');
  const opened = await openStore(store, { create: false });
  const plain = { ...passkeyOf({ type: 'User', id: 2 }, 5, 'Key without a kind', 'example.com'), authenticatorAttachment: undefined };
  await opened.insertPasskey({
    ...plain,
    credential: { ...plain.credential, backupEligible: false, transports: [] },
    aaguid: '00000000-0000-0000-0000-000000000000',
  });
  await opened.close();
  const text = await printed(cwd, LINES);
  const changes = [...new Set(text.match(/\b[0-9a-f]{12}\b/g))].filter((word) => !/^0+$|^6e020557d7bd$/.test(word));
  const recorded = changes
    .reduce((all, change, index) => all.replaceAll(change, `change-${index + 1}`), text)
    .replaceAll(cwd, 'FOLDER')
    .replaceAll('\u001b', '\\e')
    .replaceAll(/\bpk_[\w-]{43}/g, 'pk_TOKEN')
    .replaceAll(/("os_user": )".*"/g, '$1"SYSTEM USER"');
  await expect(recorded).toMatchFileSnapshot('outputs.txt');
});

const FIXTURE_LINES = `
fixture list recorded
t:fixture list recorded
fixture list recorded/login-u2f.json --json
fixture check recorded
fixture check recorded broken
fixture check recorded/login-u2f.json broken --json
fixture import archive.har --out imported
fixture import archive.har --out imported
fixture import archive.har --out again --json
simulate --list register.default login.signature-bit
t:simulate --list register.default login.signature-bit
simulate --list --tag race
simulate --list --fixtures recorded --step sign-count
simulate --list --json login.signature-bit
simulate --list --target simplewebauthn login.signature-bit session.after-sign-out
browse --check --list http://localhost login.honest register.double-click
browse --check --list http://localhost login.honest --json
`;

test('what the commands about fixtures and cases print is recorded', async () => {
  const cwd = await tempFolder();
  await symlink(join(import.meta.dirname, '../../fixtures/recorded'), join(cwd, 'recorded'));
  await mkdir(join(cwd, 'broken'));
  const login = await readFile(join(cwd, 'recorded/login-u2f.json'), 'utf8');
  await writeFile(join(cwd, 'broken/cut.json'), login.slice(0, 200));
  await writeFile(join(cwd, 'broken/changed.json'), login.replace('"http://localhost', '"http://elsewhere'));
  const one = JSON.parse(recordAnswer({ status: 200, body: '{"verified":true}' }));
  const { entries } = one.log;
  await writeFile(join(cwd, 'archive.har'), JSON.stringify({ log: { ...one.log, entries: [...entries, ...entries] } }));
  await expect((await printed(cwd, FIXTURE_LINES)).replaceAll(cwd, 'FOLDER')).toMatchFileSnapshot('outputs-of-fixtures.txt');
});
