// Every command of the program, as the executable runs it.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

const FIXTURES = join(import.meta.dirname, '../../fixtures');
const CREATION = JSON.stringify({
  challenge: 'Y2hhbGxlbmdlIG9mIDE2IGJ5dGVz',
  rp: { id: 'localhost', name: 'Test' },
  user: { id: 'dXNlcg', name: 'ada', displayName: 'Ada' },
  pubKeyCredParams: [{ type: 'public-key', alg: -7 }],
});

/**
 * Runs them all; `check` counts and reports. Returns the names of those that ran.
 *
 * @param {{ folder: string, exec: Function, serve: Function }} environment
 * @param {(name: string, work: () => Promise<void>) => Promise<void>} check
 * @param {{ version: string, executable: string, database: string | undefined }} about
 */
export async function everyCommand(environment, check, { version, executable, database }) {
  const { exec, serve, folder } = environment;
  const ran = new Set();

  /** Runs one, which has to succeed, and returns what it writes to stdout. */
  async function passkey(command, parameters = [], { code = 0, input } = {}) {
    ran.add(command);
    const result = await exec([...(command === '' ? [] : command.split(' ')), ...parameters], { input });
    assert.equal(result.code, code, `${command} ${parameters.join(' ')}: ${result.stderr || result.stdout}`);
    return result.stdout;
  }
  const json = async (command, parameters = [], options = {}) => JSON.parse(await passkey(command, [...parameters, '--json'], options));

  /** A user who registers a passkey over the API, and logs in with it. Returns the passkey. */
  async function ceremonies(url, email, store) {
    await passkey('user add', ['--email', email, '--name', email, ...store]);
    const token = (await passkey('token create', ['--user', email, ...store])).trim();
    const post = async (path, body) => {
      const headers = { 'content-type': 'application/json', authorization: `Bearer ${token}` };
      const answer = await fetch(`${url}/api/passkeys/${path}`, { method: 'POST', headers, body: JSON.stringify(body) });
      assert.equal(answer.status, 200, path);
      return await answer.json();
    };
    const respond = async (options) => {
      const given = ['-', '--origin', url, '--credentials', `${email}.json`];
      return JSON.parse(await passkey('credential answer', given, { input: JSON.stringify(options) }));
    };
    const registration = await respond(await post('register/options', { app_name: 'Test', app_url: url }));
    const { passkey: registered } = await post('register', registration);
    const login = await respond(await post('verify/options', { credential_id: registered.credential_id }));
    return { passkey: registered, login: await post('login', login), token };
  }

  /** The catalogue over HTTP: ceremonies by the software authenticator, and all that is to be refused. */
  async function simulateAgainst(url, store, ...selection) {
    const one = await ceremonies(url, 't1@example.com', store);
    const two = await ceremonies(url, 't2@example.com', store);
    const { summary } = await json('simulate', [...selection, '--url', url, '--token', one.token, '--token', two.token, '--jobs', '2']);
    assert.equal(summary.failed, 0);
    assert.ok(summary.passed >= 10, `${summary.passed} passed`);
    return one.passkey.id;
  }

  await check('--version and --help', async () => {
    assert.equal(await passkey('', ['--version']), `${version}\n`);
    assert.match(await passkey('', ['--help']), /^Usage: passkey /m);
    assert.match(await passkey('help', ['token', 'create']), /^Usage: passkey token create /m);
  });

  await check('users and tokens, and the name of the executable in advice', async () => {
    const { code, stdout, stderr } = await exec(['user', 'add', '--email', 'ada@example.com', '--name', 'Ada']);
    ran.add('user add');
    assert.deepEqual([code, stdout], [0, 'User:1\n']);
    assert.ok(stderr.includes(executable), stderr);
    assert.match(await passkey('token create', ['--user', 'User:1', '--label', 'one']), /^\S{40,}\n$/);
    assert.equal((await json('user list')).length, 1);
    const [{ id }] = await json('token list');
    await passkey('token revoke', [String(id), '--yes']);
    assert.deepEqual(await json('token list'), []);
    await passkey('user add', ['--email', 'bob@example.com', '--name', 'Bob']);
    await passkey('user remove', ['bob@example.com', '--yes']);
    assert.equal((await json('user list')).length, 1);
    await passkey('user edit', ['User:1', '--name', 'Ada Lovelace']);
    assert.equal((await json('user show', ['User:1'])).name, 'Ada Lovelace');
  });

  await check('serve with its page, on the JSON store; simulate --url; the passkeys that come of it', async () => {
    const { url } = await serve([]);
    const page = await fetch(url);
    assert.equal(page.status, 200);
    const assets = [...(await page.text()).matchAll(/(?:src|href)="(\/[^"]+\.(?:js|css|svg))"/g)].map(([, path]) => path);
    assert.ok(assets.length >= 2, `${assets}`);
    for (const path of assets) {
      const asset = await fetch(new URL(path, url));
      assert.equal(asset.status, 200, path);
      assert.ok((await asset.text()).length > 100, path);
    }
    assert.deepEqual(await (await fetch(`${url}/healthz`)).json(), { status: 'ok' });
    assert.equal((await (await fetch(`${url}/openapi.json`)).json()).info.version, version);
    const id = await simulateAgainst(url, []);
    const ids = (await json('list')).map((each) => each.id);
    assert.ok(ids.includes(id), `${ids}`);
    assert.equal((await json('show', [String(id)])).id, id);
    assert.equal((await json('stats')).passkeys.live, ids.length);
    await passkey('revoke', [String(id), '--yes']);
    await passkey('restore', [String(id), '--yes']);
    await passkey('revoke', [String(id), '--yes']);
    await passkey('purge', ['--older-than', '365d', '--yes']);
  });

  await check('a module of the user as auth action, which waits at its top', async () => {
    await writeFile(join(folder, 'action.mjs'), 'const kind = await Promise.resolve("own"); export default () => ({ kind });\n');
    const store = ['--store', 'action.json'];
    const { url } = await serve([...store, '--auth-action', 'action.mjs']);
    assert.deepEqual((await ceremonies(url, 'eve@example.com', store)).login, { kind: 'own' });
  });

  await check('exec, and what the audit tells', async () => {
    const command = ['--store', 'action.json', '--user', 'ada@example.com', '--', executable, 'user', 'list', '--json'];
    const users = JSON.parse(await passkey('exec', command));
    assert.deepEqual(
      users.map(({ email }) => email),
      ['eve@example.com', 'ada@example.com'],
    );
    const actions = (await json('audit', ['--store', 'action.json'])).map(({ action }) => action);
    for (const action of ['register', 'authenticate']) assert.ok(actions.includes(action), `${actions}`);
  });

  await check('simulate: the whole catalogue in process, on two threads; the demo', async () => {
    const { summary } = await json('simulate', ['--jobs', '2']);
    assert.equal(summary.passed, summary.total);
    assert.ok(summary.total > 900, `${summary.total} cases`);
    assert.match(await passkey('simulate', ['--demo'], { code: 1 }), /^critical, another-user-signed-in/m);
  });

  await check('explain and fixtures', async () => {
    const recorded = join(FIXTURES, 'recorded');
    assert.match(await passkey('explain', [join(recorded, 'registration-packed.json')]), /verified/i);
    await passkey('fixture check', [FIXTURES]);
    assert.ok((await json('fixture export', ['--algorithm', 'ml-dsa-44', '--out', 'vectors'])).length > 30);
    assert.ok((await json('fixture list', [recorded])).length > 5);
    await passkey('fixture import', [join(recorded, 'registration-packed.json'), '--out', 'fixtures']);
  });

  await check('credentials, and the TEST root', async () => {
    await passkey('credential create', ['--user', 'User:1', '--persona', 'icloud-keychain']);
    const answer = await passkey('credential answer', ['-', '--origin', 'http://localhost:7277'], { input: CREATION });
    assert.equal(JSON.parse(answer).type, 'public-key');
    const listed = await json('credential list');
    assert.equal((listed.credentials ?? listed).length, 2);
    assert.match(await passkey('credential convert', ['--to', 'devtools']), /privateKey/);
    await passkey('credential remove', [JSON.parse(answer).id, '--yes']);
    assert.match(await passkey('attestation-root'), /^-----BEGIN CERTIFICATE-----$/m);
  });

  await check('store: check, repair, export, import, copy, backup', async () => {
    await passkey('store check');
    await passkey('store repair', ['--out', 'repaired.json']);
    assert.ok((await readFile(join(folder, 'repaired.json'))).length > 1000);
    const lines = await passkey('store export');
    await passkey('store import', ['-', '--store', 'imported.json'], { input: lines });
    await passkey('store copy', ['imported.json', 'copied.json']);
    await passkey('store backup', ['--store', 'copied.json', '--out', 'backup.json']);
    assert.deepEqual(await json('user list', ['--store', 'backup.json']), await json('user list'));
  });

  await check('completion', async () => {
    assert.match(await passkey('completion', ['bash']), /__complete/);
    assert.match(await passkey('__complete', ['--', 'tok']), /^token/m);
  });

  if (database !== undefined) {
    await check('serve and the commands on PostgreSQL', async () => {
      const store = ['--store', database];
      await passkey('store migrate', store);
      const { url } = await serve(store);
      // What the catalogue tries on PostgreSQL is tested elsewhere.
      const id = await simulateAgainst(url, store, '--step', 'challenge');
      assert.equal((await json('show', [String(id), ...store])).id, id);
    });
  }
  return ran;
}

/**
 * A prompt on a terminal: `script` of util-linux makes one. Ctrl-C leaves it, and nothing is changed.
 *
 * @param {{ folder: string }} environment
 */
export async function promptOnTerminal({ folder }, executable) {
  const child = spawn('script', ['-qefc', `env -i TERM=xterm "${executable}" user add`, '/dev/null'], { cwd: folder });
  let written = '';
  child.stdout.setEncoding('utf8').on('data', (text) => {
    const asked = written.includes('mail');
    written += text;
    if (!asked && written.includes('mail')) child.stdin.write('\u0003');
  });
  const [code] = await once(child, 'close');
  assert.equal(code, 130, written);
}
