import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, onTestFinished } from 'vitest';
import { tempFolder } from '../cli/temp-folder.js';
import type { Settings } from '../targets/relying-party.js';
import { startSimpleWebAuthn } from '../targets/simplewebauthn.js';
import { quick as test, thorough } from '../thorough.js';
import { until } from '../until.js';
import { browse, drive, SIMPLE_PAGE, startBrowsing } from './browse-harness.js';
import { addAuthenticator, sharedBrowser, skipWithoutBrowser } from './browser.js';
import { spawnPasskey } from './passkey-process.js';

/** A site whose page registers and logs in by itself. */
async function startShop(policy: Settings['policy'] = {}) {
  const shop = await startSimpleWebAuthn(SIMPLE_PAGE, { policy });
  onTestFinished(() => shop.close());
  return shop;
}

describe.skipIf(skipWithoutBrowser())('passkey browse', () => {
  test('answers a site as a persona, and judges both ceremonies', async () => {
    const shop = await startShop();
    const browsing = await browse(`${shop.url}/`, ['--persona', 'icloud-keychain']);
    const [registration, login] = await browsing.next(2);
    expect(registration).toMatchObject({
      ceremony: 'registration',
      origin: shop.url,
      cross_origin: false,
      persona: 'icloud-keychain',
      error: null,
      request: { method: 'POST', url: `${shop.url}/verify-registration` },
      explanation: { verdict: 'accepted', server: { status: 200, verdict: 'accepted', agrees: true } },
    });
    expect(login).toMatchObject({
      ceremony: 'authentication',
      request: { url: `${shop.url}/verify-authentication` },
      explanation: { verdict: 'accepted', server: { verdict: 'accepted', agrees: true } },
    });
    expect(JSON.stringify(registration?.options)).not.toContain('remoteDesktopClientOverride');
    expect(await browsing.stop()).toBe(0);
    expect(await readdir(browsing.cwd)).toEqual([]);
  });

  thorough('logs in with the passkey that an earlier session kept in a file, and lints the options of the site', async () => {
    const shop = await startShop({ algorithms: [-7, -257, -7] });
    const flags = ['--credentials', join(await tempFolder(), 'keys.json')];
    const first = await browse(`${shop.url}/`, flags);
    expect(await first.next(2)).toMatchObject([{ explanation: { advice: [{ pointer: '/pubKeyCredParams/2/alg' }] } }, {}]);
    await first.stop();
    const second = await browse(`${shop.url}/#login`, flags);
    expect(await second.next(1)).toMatchObject([{ ceremony: 'authentication', explanation: { server: { verdict: 'accepted' } } }]);
  });

  thorough('answers the pages of a browser that Playwright drives, gives them back, and watches and records them', async () => {
    const shop = await startShop();
    const { port, page } = await drive();
    const answering = await startBrowsing(['--attach', port, '--persona', 'windows-hello', '--tamper', 'login.signature-bit']);
    await page.goto(`${shop.url}/`);
    const accepted = { explanation: { verdict: 'accepted', server: { verdict: 'accepted' } } };
    expect(await answering.next(2)).toMatchObject([
      { persona: 'windows-hello', tamper: null, ...accepted },
      { persona: 'windows-hello', tamper: 'login.signature-bit', explanation: { verdict: 'rejected' } },
    ]);
    expect(await answering.stop()).toBe(0);

    const watching = await startBrowsing(['--attach', port, '--watch', '--record', 'fixtures']);
    await addAuthenticator(page);
    await page.goto(`${shop.url}/`);
    expect(await watching.next(2)).toMatchObject([
      { ceremony: 'registration', origin: shop.url, persona: null, ...accepted },
      { ceremony: 'authentication', origin: shop.url, persona: null, ...accepted },
    ]);
    expect(await watching.stop()).toBe(0);
    expect(await readdir(join(watching.cwd, 'fixtures'))).toEqual(['localhost-authentication.json', 'localhost-registration.json']);
  });

  thorough(
    'lists the ceremonies on the page beside it, where Break it breaks the next one and Answer with chooses who answers',
    async () => {
      const shop = await startShop();
      const { port, page } = await drive();
      const browsing = await startBrowsing(['--attach', port]);
      const context = await (await sharedBrowser()).newContext();
      onTestFinished(() => context.close());
      const ours = await context.newPage();
      await ours.goto(browsing.page());
      await ours.locator('html[data-ready=true]').waitFor();
      await page.goto(`${shop.url}/`);
      await ours.locator('.stream li[data-verdict=verified]').nth(1).waitFor();
      await ours.getByRole('button', { name: 'Answer with software authenticator' }).waitFor();
      // The server beside it has no users, passkeys or options of its own.
      expect(await ours.locator('#watching').innerText()).toBe('Watching the attached browser');
      expect(
        await ours.locator('#register-button, #login-button, #open-options, #switcher, #show-passkeys, #create-test-passkey').count(),
      ).toBe(0);
      await ours.keyboard.press('b');
      await ours.locator('#break-first [data-mutation="login.origin-other-port"] .mistake-run').click();
      await ours.locator('#undo-break').click();
      await ours.locator('#watching:has-text("broken")').waitFor({ state: 'detached' });
      expect(await ours.locator('#break-all').count()).toBe(0);
      await ours.locator('#break-first [data-mutation="login.signature-bit"] .mistake-run').click();
      await ours.locator('#watching:has-text("next login will be broken: one bit of the signature flipped")').waitFor();
      await ours.getByText(/^The next login at .* is broken: one bit of the signature flipped\.$/).waitFor();
      await page.goto(`${shop.url}/?again#login`);
      expect(await browsing.next(3)).toMatchObject([{ tamper: null }, { tamper: null }, { tamper: 'login.signature-bit' }]);
      await ours.locator('#watching:has-text("broken")').waitFor({ state: 'detached' });
      await page.reload();
      expect(await browsing.next(1)).toMatchObject([{ tamper: null, explanation: { server: { verdict: 'accepted' } } }]);
      await ours.locator('.stream li[data-verdict=rejected] button').click();
      await ours.locator('article[data-verdict=rejected]').getByText('Step 21 fails').waitFor();
      // The reason comes with the explanation.
      await ours
        .locator('article .verdict-word')
        .getByText(/^(?:Refused by your server|Your server failed) \(/)
        .waitFor();
      expect(await ours.locator('article .verdict-line').innerText()).toContain('signature_invalid: The site refused it (');
      const read = async (path: string) => await ours.evaluate(`fetch('${path}').then((answer) => answer.json())`);
      const entries: unknown = await read('/dev/stream');
      expect(entries).toMatchObject({ entries: [{}, {}, {}, { kind: 'registration', site: shop.url, software: { persona: 'plain' } }] });
      const id = await ours.locator('.stream li').nth(2).getAttribute('data-key');
      expect(await read(`/dev/stream/${id}`)).toMatchObject({ explanation: { verdict: 'accepted' }, fixture: { kind: 'authentication' } });
      await ours.locator('#answerer').click();
      const chosen = ours.waitForResponse('**/dev/site');
      await ours.locator('#answer-with-yubikey-5').check();
      await chosen;
      await page.reload();
      expect(await browsing.next(1)).toMatchObject([{ persona: 'yubikey-5' }]);
    },
  );

  // Windows has no such script.
  thorough.skipIf(process.platform === 'win32')('is interrupted while the browser is silent', async () => {
    const folder = await tempFolder();
    const browser = join(folder, 'browser');
    const started = join(folder, 'started');
    await writeFile(browser, `#!/bin/sh\nprintf '{"id":1,"result":{}}\\000' >&4\n: > '${started}'\ncat <&3 >&2\n`, { mode: 0o755 });
    const child = spawnPasskey(['browse', 'http://localhost/', '--browser', browser], { cwd: folder });
    await until(() => existsSync(started));
    child.kill('SIGINT');
    expect(await once(child, 'close')).toEqual([0, null]);
  });
});
