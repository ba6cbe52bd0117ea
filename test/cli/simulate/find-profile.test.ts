import { writeFile } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { readProfile } from '../../../src/simulate/target/read-profile.js';
import { recordForms } from '../../simulate/target/recording/record-pages.js';
import { startFormServer } from '../../simulate/target/recording/recorded-servers.js';
import { startBetterAuth } from '../../targets/better-auth.js';
import { startCorrectApplication } from '../../targets/correct-application.js';
import { json, serve } from '../../targets/http.js';
import { quick, thorough } from '../../thorough.js';
import { runIn } from '../run-in.js';
import { tempFolder } from '../temp-folder.js';

const PLAIN = ['register.default', 'login.default'];

async function opened<T extends { close(): Promise<void> }>(target: Promise<T>): Promise<T> {
  const started = await target;
  onTestFinished(() => started.close());
  return started;
}

/** A port at which nothing answers. */
async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

describe('simulate URL', () => {
  test('finds the built-in profile that fits, and says so', async () => {
    const { url } = await opened(startBetterAuth());
    const { code, stdout, stderr } = await runIn(await tempFolder(), ['simulate', url, ...PLAIN, '--reporter', 'brief']);
    expect({ code, stderr }).toEqual({ code: 0, stderr: `The profile better-auth, which is built in, fits ${url}.\n` });
    expect(stdout).toMatch(/^passes: 2 of 2 as expected; .*, profile better-auth\n/);
  });

  test('finds the profile of a file in the folder before the built-in ones', async () => {
    const { url } = await opened(startBetterAuth());
    const cwd = await tempFolder();
    const { profile } = await readProfile('better-auth', cwd);
    await writeFile(join(cwd, 'package.json'), '{ "name": "shop" }');
    await writeFile(join(cwd, 'broken.yaml'), 'a: [');
    await writeFile(join(cwd, 'other.json'), JSON.stringify({ ...profile, account: [{ request: 'POST /elsewhere' }] }));
    await writeFile(join(cwd, 'shop.json'), JSON.stringify({ ...profile, name: 'shop' }));
    const { code, stdout, stderr } = await runIn(cwd, ['simulate', ...PLAIN, url, '--json']);
    expect({ code, stderr }).toEqual({ code: 0, stderr: `The profile shop.json fits ${url}.\n` });
    expect(JSON.parse(stdout).profile).toMatchObject({ name: 'shop', file: 'shop.json' });
  });

  test('recognises the library of the server by its answers, so that remedies name its options', async () => {
    const { url } = await opened(startCorrectApplication(['none']));
    const cwd = await tempFolder();
    const { library: _, ...profile } = (await readProfile('simplewebauthn', cwd)).profile;
    await writeFile(join(cwd, 'shop.json'), JSON.stringify({ ...profile, name: 'shop' }));
    const { code, stdout, stderr } = await runIn(cwd, ['simulate', url, ...PLAIN, '--json']);
    expect({ code, stderr }).toEqual({
      code: 0,
      stderr: `The profile shop.json fits ${url}.\nIts responses are those of @simplewebauthn/server.\n`,
    });
    expect(JSON.parse(stdout).profile).toMatchObject({ name: 'shop', library: '@simplewebauthn/server' });
  });

  test('names the mistake of a profile in the folder', async () => {
    const cwd = await tempFolder();
    await writeFile(join(cwd, 'shop.json'), '{ "format": "passkey-target-profile", "version": 1, "name": "shop" }');
    const { code, stderr } = await runIn(cwd, ['simulate', `http://localhost:${await freePort()}`]);
    expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringMatching(/shop\.json:1:1 .*registrationOptions/s) });
  });

  quick('takes the profile of a recording, or says where it does not fit', async () => {
    const { url } = await opened(startFormServer());
    const cwd = await tempFolder();
    await writeFile(join(cwd, 'shop.har'), JSON.stringify((await recordForms(url)).har()));
    const recorded = ['simulate', 'register.default', '--har', 'shop.har'];
    const { code, stdout, stderr } = await runIn(cwd, [...recorded, url, '--reporter', 'brief']);
    const [note, ...more] = stderr.split('\n');
    expect({ code, stdout: stdout.split(';')[0], more }).toEqual({
      code: 0,
      stdout: 'passes: 1 of 1 as expected',
      more: [`The profile of the recording shop.har fits ${url}.`, ''],
    });
    expect(note).toMatch(/./);
    const listed = JSON.parse((await runIn(cwd, [...recorded, '--url', url, '--list', '--json'])).stdout);
    expect(listed).toMatchObject([{ id: 'register.default' }]);
    const other = await opened(serve(() => () => json(404, {})));
    expect(await runIn(cwd, [...recorded, other.url])).toEqual({
      code: 2,
      stdout: '',
      stderr: expect.stringMatching(
        /^passkey: The recording shop\.har does not fit http.*: .*404.*\nWrite its profile to a file, and change the line that does not fit: passkey simulate --init-profile --har shop\.har\n$/,
      ),
    });
  });

  thorough('takes the profile of a recording, with what the server is measured to have', async () => {
    const { url } = await opened(startFormServer());
    const cwd = await tempFolder();
    await writeFile(join(cwd, 'shop.har'), JSON.stringify((await recordForms(url)).har()));
    const { code, stdout, stderr } = await runIn(cwd, ['simulate', url, '--har', 'shop.har', ...PLAIN, '--json']);
    expect(stderr).toContain(`The profile of the recording shop.har fits ${url}.\n`);
    expect({ code, ...JSON.parse(stdout).summary }).toMatchObject({ code: 0, passed: 2 });
    // As the command that repeats a case has it.
    const again = await runIn(cwd, ['simulate', 'login.default', '--url', url, '--har', 'shop.har', '--json']);
    expect({ code: again.code, profile: JSON.parse(again.stdout).profile.name }).toEqual({ code: 0, profile: 'shop' });
    const probed = await runIn(cwd, ['simulate', url, '--har', 'shop.har', '--probe', '--json']);
    expect(JSON.parse(probed.stdout)).toMatchObject({ profile: 'shop', found: { logins: expect.arrayContaining([expect.any(String)]) } });
    const load = ['--load', '--duration', '100ms', '--concurrency', '1', '--json'];
    const loaded = await runIn(cwd, ['simulate', url, '--har', 'shop.har', ...load]);
    expect(JSON.parse(loaded.stdout)).toMatchObject({ format: 'passkey-load-report', target: url });
    const listed = await runIn(cwd, ['simulate', 'session.after-sign-out', url, '--har', 'shop.har', '--list', '--json']);
    expect(JSON.parse(listed.stdout)).toHaveLength(1);
    const other = await opened(serve(() => () => json(404, {})));
    const unfit = await runIn(cwd, ['simulate', other.url, '--har', 'shop.har']);
    expect(unfit.code).toBe(2);
    expect(unfit.stderr).toMatch(
      /^passkey: The recording shop\.har does not fit http.*: .*404.*\n.*simulate --init-profile --har shop\.har\n$/,
    );
  });

  test('prints the command that makes a profile where none fits; one that does not fit hides none that does', async () => {
    const { url } = await opened(serve(() => () => json(404, { error: 'nothing here' })));
    const { code, stderr } = await runIn(await tempFolder(), ['simulate', url]);
    expect(code).toBe(2);
    expect(stderr.trimEnd().split('\n')).toEqual([
      `passkey: None of the 12 built-in profiles fits ${url}, and no file in this folder is a profile.`,
      '  not tried: passkey (needs --token)',
      `Save a registration and a login of your page as a HAR (developer tools of the browser, Network panel), and run: passkey simulate "${url}" --har recording.har`,
    ]);
    const folder = await tempFolder();
    const { profile } = await readProfile('simplewebauthn', folder);
    const { authenticationOptions, ...others } = profile;
    const other = {
      ...others,
      authenticationOptions: authenticationOptions.map((request) => ({ ...request, request: 'POST /elsewhere' })),
    };
    await writeFile(join(folder, 'shop.json'), JSON.stringify(other));
    const application = await opened(startCorrectApplication(['none']));
    expect((await runIn(folder, ['simulate', application.url, ...PLAIN])).stderr).toBe(
      `The profile simplewebauthn, which is built in, fits ${application.url}.\n`,
    );
  });

  test('says which profile comes closest', async () => {
    const { url } = await opened(
      serve(
        () =>
          ({ path }) =>
            path === '/sign-up' ? json(200, {}) : json(404, {}),
      ),
    );
    const cwd = await tempFolder();
    const { profile } = await readProfile('better-auth', cwd);
    await writeFile(join(cwd, 'shop.json'), JSON.stringify({ ...profile, account: [{ request: 'POST /sign-up' }] }));
    const { code, stderr } = await runIn(cwd, ['simulate', url]);
    expect(code).toBe(2);
    expect(stderr).toMatch(
      /^passkey: None of the 12 built-in profiles fits http:.*, and not shop\.json in this folder\.\n {2}shop\.json comes closest, up to registration options: expected .*, got .*404/,
    );
  });

  test('sends nothing where nothing answers, or to a host that was not named', async () => {
    const url = `http://127.0.0.1:${await freePort()}`;
    const { code, stderr } = await runIn(await tempFolder(), ['simulate', url]);
    expect({ code, stderr }).toEqual({ code: 4, stderr: `passkey: No server responds at ${url}. Start the server, or check the URL.\n` });
    const elsewhere = await runIn(await tempFolder(), ['simulate', 'https://shop.example']);
    expect(elsewhere).toMatchObject({ code: 2, stderr: expect.stringContaining('--allow-host shop.example') });
  });

  test.each([
    [['http://localhost:1', 'http://localhost:2'], 'Expected one URL, got http://localhost:1 and http://localhost:2.'],
    [['http://localhost:1', '--url', 'http://localhost:2'], 'Expected the URL once, got http://localhost:1 and --url. Leave one out.'],
    [['localhost:3000'], 'Expected a case or a URL, got localhost:3000. Is it http://localhost:3000?'],
    [['http://localhost:1', '--har', 'shop.har', '--target', 'fido2'], 'Expected --target or --har; got both. Leave one out.'],
    [['--url', 'http://localhost:1', '--har', 'shop.har', '--target', 'fido2'], 'Expected --target or --har; got both. Leave one out.'],
    [['--har', 'shop.har'], '--har needs --init-profile. Add it, or leave --har out.'],
  ])('refuses %j', async (argv, message) => {
    const { code, stderr } = await runIn('/', ['simulate', ...argv]);
    expect({ code, stderr }).toEqual({ code: 2, stderr: `passkey: ${message}\n` });
  });
});
