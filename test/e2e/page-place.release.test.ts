import { describe, expect, test } from 'vitest';
import { tempFolder } from '../cli/temp-folder.js';
import { skipWithoutBrowser } from './browser.js';
import { act, pageTests, press, signIn } from './page-harness.js';
import { serveHere } from './passkey-in-process.js';

describe.skipIf(skipWithoutBrowser())('where the page is opened', () => {
  const { open } = pageTests();

  test.each(['127.0.0.1', '[::1]'])('from %s it redirects to localhost with its setup, and says so', async (host) => {
    const { page, server } = await open({ host, fragment: 'app_name=Shop', flags: ['--host', host.replace(/[[\]]/g, '')] });
    expect(page.url()).toBe(`http://localhost:${server.port}/#app_name=Shop`);
    expect(await page.locator('#status').innerText()).toBe(
      `Opened at ${host}. Browsers refuse IP addresses as rp.id, so the page moved to localhost.`,
    );
    expect(await page.locator('#notices').innerText()).toBe('');
    await signIn(page);
    expect((await act(page, '#register-button')).outcome).toBe('verified');
  });

  test('without a secure context it says what is missing, and the rest works', async () => {
    const { page, complaints } = await open({
      authenticator: false,
      initScript: `Object.defineProperty(window, 'isSecureContext', { value: false });
        delete globalThis.PublicKeyCredential;
        Object.defineProperty(navigator, 'credentials', { value: undefined });
        Object.defineProperty(navigator, 'clipboard', { value: undefined });
        Object.defineProperty(crypto, 'subtle', { value: undefined });`,
    });
    expect(await page.locator('#notices').innerText()).toMatch(
      /Not a secure context Browsers offer passkeys on https and on http:\/\/localhost only\./,
    );
    await signIn(page);
    const { outcome, run } = await act(page, '#register-button');
    expect(outcome).toBe('browser-error');
    await page.locator(`${run} .share > button`).click();
    await page.locator(`${run} .share .popup-panel button:has-text("Copy as JSON")`).click();
    await page.locator('#status:has-text("The browser does not let this page copy, so it was saved as ")').waitFor({ state: 'attached' });
    expect(complaints).toStrictEqual([]);
  });

  test('reports a permissions policy that forbids passkeys', async () => {
    const { page } = await open({
      initScript: `Object.defineProperty(document, 'permissionsPolicy', { value: { allowsFeature: (name) => !name.endsWith('-get') } });
        Object.defineProperty(document, 'featurePolicy', { value: undefined });`,
    });
    expect(await page.locator('#notices').innerText()).toContain('Missing: publickey-credentials-get.');
  });

  test('works with blocked storage', async () => {
    const { page, complaints } = await open({
      initScript: `for (const area of ['localStorage', 'sessionStorage']) {
          Object.defineProperty(window, area, { get() { throw new DOMException('blocked', 'SecurityError'); } });
        }`,
    });
    await signIn(page);
    expect((await act(page, '#register-button')).outcome).toBe('verified');
    await press(page, '#passkey-1-signals > summary');
    expect((await act(page, '#passkey-1-signalUnknownCredential')).outcome).toBe('verified');
    await page.locator('#passkey-1:has-text("maybe hidden")').waitFor();
    expect(complaints).toStrictEqual([]);
  });

  test('does not exist in production', async () => {
    const { url } = await serveHere(['--production'], { cwd: await tempFolder() });
    for (const path of ['/', '/page.js', '/page.css', '/dev/state', '/dev/events']) {
      expect((await fetch(url + path)).status).toBe(404);
    }
  });
});
