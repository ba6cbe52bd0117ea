import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Value } from 'typebox/value';
import { describe, expect, test } from 'vitest';
import { schemas } from '../../src/cli/schemas.js';
import { tempFolder } from '../cli/temp-folder.js';
import { interruptHere, passkeyHere, serveHere } from './passkey-in-process.js';
import { browserAt } from './relying-party-over-http.js';

/** A folder with `recorded/`: a registration and two logins that a served relying party accepted. */
async function recordings() {
  const cwd = await tempFolder();
  await passkeyHere(['user', 'add', '--email', 'ada@example.com', '--name', 'Ada'], { cwd });
  const token = (await passkeyHere(['token', 'create', '--user', 'User:1'], { cwd })).stdout.trim();
  const { url, stop } = await serveHere(['--record', 'recorded'], { cwd });
  const browser = browserAt(url, token);
  const { id } = await browser.register();
  await browser.logIn(id);
  await browser.logIn(id, 'verify');
  await stop();
  return { cwd, files: (await readdir(join(cwd, 'recorded'))).map((name) => join(cwd, 'recorded', name)) };
}

describe('passkey simulate', () => {
  test('replays what serve --record wrote, and notices one changed bit', async () => {
    const { cwd, files } = await recordings();
    expect(files).toHaveLength(3);
    expect(await passkeyHere(['simulate', '--fixtures', 'recorded'], { cwd })).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('6 of 6 as expected'),
    });

    const { code, stdout } = await passkeyHere(['simulate', '--fixtures', 'recorded', '--json'], { cwd });
    const schema = schemas['passkey-simulate-report'];
    expect(code).toBe(0);
    expect(schema && [...Value.Errors(schema, JSON.parse(stdout))]).toStrictEqual([]);

    const login = files.find((file) => file.includes('authentication')) ?? '';
    const fixture = JSON.parse(await readFile(login, 'utf8'));
    const signature = Buffer.from(fixture.response.response.signature, 'base64url');
    signature.writeUInt8(signature.readUInt8(signature.length - 1) ^ 1, signature.length - 1);
    fixture.response.response.signature = signature.toString('base64url');
    await writeFile(login, JSON.stringify(fixture));
    expect(await passkeyHere(['simulate', '--fixtures', 'recorded'], { cwd })).toMatchObject({
      code: 1,
      stdout: expect.stringContaining('5 of 6 as expected, 1 not'),
    });
  });

  test('ends with 2 for what it cannot run', async () => {
    const { cwd, files } = await recordings();
    await mkdir(join(cwd, 'empty'));
    await writeFile(join(cwd, 'broken.json'), '{ "format": "passkey-fixture", ');
    const rows: [argv: string[], stderr: string][] = [
      [['--fixtures', 'nowhere'], 'nowhere'],
      [['--fixtures', 'empty'], 'empty'],
      [['--fixtures', 'broken.json'], 'broken.json:1:'],
      [['--fixtures', 'recorded', 'no-such-case'], 'no-such-case'],
      [['--fixtures', 'recorded', '--tag', 'no-such-tag'], 'no-such-tag'],
      [['--fixtures', 'recorded', '--replay', 'backwards'], '--replay: "backwards" is not one of'],
      [['--token', 'pk_x'], '--url'],
      [['--app-url', 'https://app.example'], '--url'],
      [['--fixtures', 'recorded', '--url', 'http://localhost:7277/?a=b', '--token', 'pk_x'], 'http or https URL of a server'],
      [['--fixtures', 'recorded', '--url', 'localhost', '--token', 'pk_x'], 'localhost'],
      [['--url', 'http://localhost:7277'], 'The profile passkey needs --token'],
    ];
    for (const [argv, stderr] of rows) {
      expect(await passkeyHere(['simulate', ...argv], { cwd })).toMatchObject({
        code: 2,
        stdout: '',
        stderr: expect.stringContaining(stderr),
      });
    }
    expect(files).toHaveLength(3);
  });

  test('runs against a running server with --url, and ends with 4 where there is none', async () => {
    const { cwd } = await recordings();
    const tokens = [];
    for (const email of ['ada@example.com', 'bob@example.com']) {
      await passkeyHere(['user', 'add', '--email', email, '--name', 'N'], { cwd });
      tokens.push('--token', (await passkeyHere(['token', 'create', '--user', email], { cwd })).stdout.trim());
    }
    const { url, stop } = await serveHere([], { cwd });
    const target = ['--fixtures', 'recorded', '--url', url, ...tokens];
    const { code, stdout } = await passkeyHere(['simulate', ...target, '--json'], { cwd });
    const without = await passkeyHere(['simulate', '--fixtures', 'recorded', '--url', url], { cwd });
    const verbatim = await passkeyHere(['simulate', ...target, '--replay', 'verbatim'], { cwd });
    const strict = await passkeyHere(['simulate', ...target, '--fail-on-not-applicable'], { cwd });
    await stop();
    expect(without).toMatchObject({ code: 2, stdout: '', stderr: expect.stringContaining(' token create --user EMAIL`') });
    expect(strict).toMatchObject({
      code: 1,
      stdout: expect.stringContaining('3 of 6 as expected, 3 not applicable'),
      stderr: '3 cases not applicable, which --fail-on-not-applicable does not allow.\n',
    });
    expect(verbatim).toMatchObject({
      code: 1,
      stdout: expect.stringContaining('0 of 3 as expected, 3 not applicable'),
      stderr: expect.stringContaining('Nothing ran: none of the selected cases is applicable'),
    });
    expect({ code, summary: JSON.parse(stdout).summary }).toMatchObject({ code: 0, summary: { total: 6, failed: 0 } });
    expect(await passkeyHere(['simulate', ...target], { cwd })).toMatchObject({ code: 4, stderr: expect.stringContaining(url) });
  });

  test('shows three findings with --demo, names the wrong lines of a shop that is there, and ends with 1', async () => {
    const cwd = await tempFolder();
    const { code, stdout, stderr } = await passkeyHere(['simulate', '--demo'], { cwd });
    expect(code).toBe(1);
    expect(stdout.match(/^(?:critical|high|medium|low|note), [\w-]+/gm)).toEqual([
      'critical, another-user-signed-in',
      'high, challenge-reuse',
      'high, origin-in-header',
    ]);
    const named = [...stderr.matchAll(/^(.+shop\.ts):(\d+)\n {2}- (.+)\n {2}\+ .+$/gm)];
    expect(named).toHaveLength(3);
    for (const [, file = '', line, text] of named) {
      expect((await readFile(file, 'utf8')).split('\n')[Number(line) - 1]?.trim()).toBe(text);
    }
    expect(stderr).toMatch(/simulate --init-profile own\.yaml\n$/);
    expect(await readdir(cwd)).toEqual([]);
  });

  test('ends with 130 when it is interrupted', async () => {
    const { cwd } = await recordings();
    const { code, stderr } = await interruptHere(['simulate', '--fixtures', 'recorded'], { cwd });
    expect({ code, stderr }).toEqual({ code: 130, stderr: expect.stringContaining('interrupted') });
  });
});
