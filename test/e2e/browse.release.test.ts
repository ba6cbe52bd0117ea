import { readFileSync } from 'node:fs';
import { readdir, writeFile } from 'node:fs/promises';
import type { Socket } from 'node:net';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { readSittings, shownPattern, words } from '../cli/examples/markdown.js';
import { tempFolder } from '../cli/temp-folder.js';
import { openSite } from '../simulate/doctor/site.js';
import { startBetterAuth } from '../targets/better-auth.js';
import { html, listen, routes, serve } from '../targets/http.js';
import { startKeycloak } from '../targets/keycloak.js';
import { startSimpleWebAuthn } from '../targets/simplewebauthn.js';
import { until } from '../until.js';
import { DRIVERS, skipWithout } from './browse-drivers.js';
import { browse, drive, SIMPLE_PAGE, startBrowsing } from './browse-harness.js';
import { chromiumPath, skipWithoutBrowser } from './browser.js';
import { ROOT, spawnPasskey } from './passkey-process.js';

/** A page of better-auth that signs up, adds a passkey and signs in with it by itself. */
const BETTER_AUTH_PAGE = `<!doctype html><title>better-auth</title><script type="module">
const send = async (path, body) => (await fetch('/api/auth' + path, body && { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) })).json();
await send('/sign-up/email', { name: 'Ada', email: Math.random() + '@example.com', password: 'correct horse' });
const creation = PublicKeyCredential.parseCreationOptionsFromJSON(await send('/passkey/generate-register-options'));
await send('/passkey/verify-registration', { response: await navigator.credentials.create({ publicKey: creation }) });
const request = PublicKeyCredential.parseRequestOptionsFromJSON(await send('/passkey/generate-authenticate-options'));
await send('/passkey/verify-authentication', { response: await navigator.credentials.get({ publicKey: request }) });
</script>`;

type Start = (home: string) => ReturnType<typeof serve>;
const SITES: readonly (readonly [string, Start, string])[] = [
  ['better-auth', startBetterAuth, BETTER_AUTH_PAGE],
  ['SimpleWebAuthn', startSimpleWebAuthn, SIMPLE_PAGE],
];

async function open(start: Start, page: string) {
  const site = await start(page);
  onTestFinished(() => site.close());
  return site;
}

describe.skipIf(skipWithoutBrowser()).each(SITES)('passkey browse at %s', (name, start, home) => {
  test.each(['icloud-keychain', 'windows-hello', 'yubikey-5'])('%s registers and logs in', async (persona) => {
    const { url } = await open(start, home);
    const browsing = await browse(`${url}/`, ['--persona', persona]);
    const accepted = { persona, explanation: { verdict: 'accepted', server: { verdict: 'accepted' } } };
    expect(await browsing.next(2)).toMatchObject([accepted, accepted]);
  });

  test.each([
    ['register.challenge-unknown', 0],
    ['register.origin-other-site', 0],
    ['register.rp-id-hash', 0],
    ['login.type-swapped', 1],
    ['login.challenge-unknown', 1],
    ['login.origin-other-port', 1],
    ['login.signature-bit', 1],
  ])('%s is refused, by the site and by the steps', async (tamper, at) => {
    const { url } = await open(start, home);
    const browsing = await browse(`${url}/`, ['--tamper', tamper]);
    // A page whose registration was refused goes on to its login, which may end while the answer to the registration is still read.
    const ceremonies = await browsing.next(2);
    const others = at === 1 ? { explanation: { verdict: 'accepted' } } : { error: { name: 'NotAllowedError' } };
    expect(ceremonies.filter((each) => each['tamper'] === null)).toMatchObject([others]);
    // better-auth answers a registration that it refuses with 500.
    const server = name === 'better-auth' && at === 0 ? { status: 500, verdict: 'failed' } : { verdict: 'refused', agrees: true };
    expect(ceremonies.filter((each) => each['tamper'] !== null)).toMatchObject([{ tamper, explanation: { verdict: 'rejected', server } }]);
  });
});

const DOCUMENTED = readSittings(readFileSync(join(ROOT, 'docs/browse.md'), 'utf8')).flatMap(({ examples }) => examples);

describe.skipIf(skipWithoutBrowser())('passkey browse', () => {
  test('prints what docs/browse.md shows', async () => {
    const shop = await open(startSimpleWebAuthn, SIMPLE_PAGE);
    const [{ command, shown } = { command: '', shown: [] }] = DOCUMENTED;
    const [, ...argv] = words(command.replace('http://localhost:3000', shop.url));
    const child = spawnPasskey([...argv, '--headless', '--browser', chromiumPath ?? ''], { cwd: await tempFolder() });
    onTestFinished(() => void child.kill('SIGINT'));
    let printed = '';
    for (const stream of [child.stdout, child.stderr]) {
      stream?.setEncoding('utf8').on('data', (text: string) => {
        printed += text;
      });
    }
    await until(() => printed.includes(' authentication at ') || child.exitCode !== null);
    expect(printed.replaceAll(shop.url, 'http://localhost:3000')).toMatch(shownPattern(shown));
  });

  // Windows has neither the signal nor such a script.
  test.skipIf(process.platform === 'win32')('ends with a browser that hangs after one interrupt', async () => {
    const folder = await tempFolder();
    const browser = join(folder, 'browser');
    const pid = join(folder, 'pid');
    await writeFile(browser, `#!/bin/sh\necho $$ > '${pid}'\nexec '${chromiumPath ?? ''}' "$@"\n`, { mode: 0o755 });
    const shop = await open(startSimpleWebAuthn, SIMPLE_PAGE);
    const browsing = await startBrowsing([`${shop.url}/`, '--headless', '--browser', browser]);
    await browsing.next(1);
    process.kill(Number(readFileSync(pid, 'utf8')), 'SIGSTOP');
    expect(await browsing.stop()).toBe(0);
    // Chromium leaves its own when it is killed.
    expect((await readdir(browsing.cwd)).filter((name) => !name.startsWith('org.chromium'))).toEqual([]);
  });

  for (const driver of DRIVERS) {
    test.skipIf(skipWithout(driver))(`answers the pages of a browser that ${driver.name} drives`, async () => {
      const shop = await open(startSimpleWebAuthn, SIMPLE_PAGE);
      const tab = await driver.start();
      const browsing = await startBrowsing(
        words(DOCUMENTED.find(({ command }) => command.includes('--attach'))?.command.replace('9222', tab.port) ?? '').slice(2),
      );
      await tab.open(`${shop.url}/`);
      const accepted = { explanation: { verdict: 'accepted', server: { verdict: 'accepted' } } };
      expect(await browsing.next(2)).toMatchObject([accepted, accepted]);
    });
  }

  test('names the flag that keeps the extension from a driven browser', async () => {
    const { port } = await drive([]);
    const browsing = await startBrowsing(['--attach', port]);
    expect(await browsing.ended).toBe(2);
    expect(browsing.stderr()).toContain('Start it with --enable-unsafe-extension-debugging and without --disable-extensions.');
  });

  test('a popup is followed from its first request', async () => {
    const shop = await open(startSimpleWebAuthn, SIMPLE_PAGE);
    const button = `<button onclick="window.open('${shop.url}/')">Open</button>`;
    const around = await serve(() => routes({ 'GET /': () => html(200, button) }));
    onTestFinished(() => around.close());
    const { port, page } = await drive();
    const browsing = await startBrowsing(['--attach', port]);
    await page.goto(`${around.url}/`);
    await page.locator('button').click();
    expect(await browsing.next(2)).toMatchObject([{ cross_origin: false }, { cross_origin: false }]);
  });

  test('a frame of another origin is told from its own', async () => {
    const shop = await open(startSimpleWebAuthn, SIMPLE_PAGE);
    const frame = `<iframe src="${shop.url}/#login" allow="publickey-credentials-get"></iframe>`;
    const around = await serve(() => routes({ 'GET /': () => html(200, frame) }));
    onTestFinished(() => around.close());
    const { port, page } = await drive();
    const browsing = await startBrowsing(['--attach', port]);
    await page.goto(`${shop.url}/`);
    await browsing.next(2);
    await page.goto(`${around.url}/`);
    const [login] = await browsing.next(1);
    expect(login).toMatchObject({ ceremony: 'authentication', origin: shop.url, cross_origin: true });
    expect(login?.explanation.server?.verdict).toBe('accepted');
  });

  test('a site whose RP ID is that of a related one', async () => {
    const page = `<!doctype html><script type="module">
const publicKey = { challenge: new Uint8Array(32), rp: { id: 'shop.example', name: 'Shop' }, user: { id: new Uint8Array(9), name: 'ada', displayName: 'Ada' }, pubKeyCredParams: [{ type: 'public-key', alg: -7 }] };
await fetch('/', { method: 'POST', body: JSON.stringify(await navigator.credentials.create({ publicKey })) });</script>`;
    const { address, close } = await openSite({ '/': { headers: { 'content-type': 'text/html' }, body: page } });
    onTestFinished(close);
    const { port, page: tab } = await drive(
      ['--disable-extensions'],
      [`--host-resolver-rules=MAP * ${address}`, '--ignore-certificate-errors'],
    );
    const browsing = await startBrowsing(['--attach', port]);
    await tab.goto('https://shop.test/');
    expect(await browsing.next(1)).toMatchObject([{ origin: 'https://shop.test', error: null, explanation: { ceremony: 'registration' } }]);
  });

  test('survives a site that is gone, and ends with its browser', async () => {
    const shop = await open(
      startSimpleWebAuthn,
      SIMPLE_PAGE.replace(
        "await read('/verify-registration', ",
        "await fetch('/gone').catch(() => {}); await read('/verify-registration', ",
      ),
    );
    const { port, browser, page } = await drive();
    const attached = await startBrowsing(['--attach', port]);
    page.on('request', (request) => void (request.url().endsWith('/gone') && shop.close()));
    await page.goto(`${shop.url}/`);
    expect(await attached.next(1)).toMatchObject([{ error: null, explanation: { server: null } }]);
    await browser.close();
    expect(await attached.ended).toBe(0);
  });

  test('takes its browser along when it is killed', async () => {
    const held: Socket[] = [];
    const site = await listen(() => (request, response) => {
      // The browser waits for the second response as long as it runs.
      if (request.url === '/held') held.push(request.socket);
      else response.setHeader('content-type', 'text/html').end('<!doctype html><title>A shop</title><script>fetch("/held")</script>');
    });
    onTestFinished(() => site.close());
    const killed = await browse(`${site.url}/`);
    await until(() => held.length > 0);
    await killed.stop('SIGKILL');
    await until(() => held.every(({ destroyed }) => destroyed));
  });
});

/** The scripts that the pages of Keycloak import, as short as their forms allow. */
const KEYCLOAK_SCRIPT = `
const bytes = (text) => Uint8Array.from(atob(text.replaceAll('-', '+').replaceAll('_', '/')), (sign) => sign.charCodeAt(0));
const post = (form, fields) => {
  for (const [name, value] of Object.entries(fields)) if (form.elements[name]) form.elements[name].value = value;
  form.submit();
};
export async function registerByWebAuthn({ challenge, userid, username, signatureAlgorithms, rpEntityName, rpId }) {
  const { id, response } = (await navigator.credentials.create({ publicKey: {
    challenge: bytes(challenge), rp: { id: rpId, name: rpEntityName }, user: { id: bytes(userid), name: username, displayName: username },
    pubKeyCredParams: signatureAlgorithms.map((alg) => ({ type: 'public-key', alg })),
    authenticatorSelection: { residentKey: 'required', requireResidentKey: true, userVerification: 'required' },
  } })).toJSON();
  post(document.getElementById('register'), { ...response, publicKeyCredentialId: id });
}
export async function authenticateByWebAuthn({ challenge, rpId, userVerification }) {
  const { id, response } = (await navigator.credentials.get({ publicKey: { challenge: bytes(challenge), rpId, userVerification } })).toJSON();
  post(document.getElementById('webauth'), { ...response, credentialId: id });
}`;

describe.skipIf(skipWithoutBrowser())('passkey browse at the pages of Keycloak', () => {
  // It answers a login with a redirect or with its page again, which say nothing: how it decided is on that page.
  test.each([
    ['correct', [], 'accepted', 302, 'Account Management'],
    ['broken', ['--tamper', 'login.signature-bit'], 'rejected', 200, 'Failed to authenticate by the Passkey.'],
  ])('a security key registers, and its login is %s', async (_how, flags, verdict, status, text) => {
    const { url, close } = await startKeycloak();
    onTestFinished(close);
    const { port, context, page } = await drive();
    const browsing = await startBrowsing(['--attach', port, '--persona', 'yubikey-5', ...flags]);
    await page.route('**/resources/login/js/*.js', (route) => route.fulfill({ contentType: 'text/javascript', body: KEYCLOAK_SCRIPT }));
    const connect = `${url}/realms/master/protocol/openid-connect`;
    const client = `client_id=account&redirect_uri=${url}/realms/master/account/`;
    const signedIn = async () => await page.waitForURL(({ pathname }) => pathname.endsWith('/account/'));
    await page.goto(`${connect}/registrations?${client}`);
    for (const input of await page.locator('form input[id]').all()) await input.fill('ada@example.com');
    await page.locator('[type=submit]').click();
    await signedIn();
    await page.goto(`${connect}/auth?${client}&kc_action=webauthn-register-passwordless`);
    await page.locator('#registerWebAuthn').click();
    expect(await browsing.next(1)).toMatchObject([{ explanation: { verdict: 'accepted', server: { status: 302 } } }]);
    await signedIn();
    await context.clearCookies({ name: 'KEYCLOAK_IDENTITY' });
    await page.goto(`${connect}/auth?${client}`);
    await page.locator('#authenticateWebAuthnButton').click();
    expect(await browsing.next(1)).toMatchObject([{ explanation: { verdict, server: { status, verdict: 'unknown' } } }]);
    await page.waitForFunction(`document.documentElement.textContent.includes('${text}')`);
  });
});

/** Everything that a page can try to reach the extension, the command or its page. Each resolves to what it got. */
const ATTEMPTS = (extension: string, ours: string, port: string) => ({
  'read the script of the extension': `fetch('${extension}worker.js')`,
  'read the manifest of the extension': `fetch('${extension}manifest.json')`,
  'frame the extension': `new Promise((resolve, reject) => { const frame = document.createElement('iframe'); frame.src = '${extension}manifest.json'; frame.onload = () => { try { resolve(frame.contentDocument.body.innerText || reject()); } catch (error) { reject(error); } }; document.body.append(frame); })`,
  'send the extension a message': `new Promise((resolve, reject) => chrome.runtime.sendMessage('${new URL(extension).host}', 'hello', (answer) => answer === undefined ? reject() : resolve(answer)))`,
  'call the function of its worker': 'Promise.resolve().then(() => passkeyBrowse("{}"))',
  'use the interface of the extension': 'Promise.resolve().then(() => chrome.webAuthenticationProxy.attach())',
  'have the page answer': `fetch('${ours}/dev/answer', { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{}' }).then((answer) => answer.text())`,
  'choose the next answer': `fetch('${ours}/dev/site', { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{"tamper":"login.signature-bit"}' }).then((answer) => answer.text())`,
  'read the ceremonies': `fetch('${ours}/dev/stream').then((answer) => answer.text())`,
  'drive the browser': `fetch('http://localhost:${port}/json/version').then((answer) => answer.text())`,
});

test.skipIf(skipWithoutBrowser())("an attacker's page reaches neither the extension nor the command", async () => {
  const shop = await open(startSimpleWebAuthn, '<!doctype html><title>Attacker</title><body>');
  const { port, page } = await drive();
  const browsing = await startBrowsing(['--attach', port]);
  await page.goto(`${shop.url}/`);
  const targets: unknown = await (await fetch(`http://localhost:${port}/json/list`)).json();
  const [extension] = /chrome-extension:\/\/\w+\//.exec(JSON.stringify(targets)) ?? [];
  expect(extension).toBeDefined();
  for (const [attempt, script] of Object.entries(ATTEMPTS(extension ?? '', browsing.page(), port))) {
    const got: unknown = await page.evaluate(`(${script}).then((value) => 'got ' + value, () => 'nothing')`);
    expect(got, attempt).toBe('nothing');
  }
});
