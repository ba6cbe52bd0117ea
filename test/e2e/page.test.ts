import { describe, expect } from 'vitest';
import { quick as test, thorough } from '../thorough.js';
import { until } from '../until.js';
import { skipWithoutBrowser } from './browser.js';
import { act, focusOn, openPeople, pageTests, press, reveal, revoke, signIn, signOut } from './page-harness.js';
import { passkey } from './passkey-process.js';

describe.skipIf(skipWithoutBrowser())('the test page in a real Chromium', () => {
  const { open } = pageTests();

  test('registers, logs in by a chosen and by a discoverable passkey, and verifies; `passkey list` elsewhere shows it', async () => {
    const { cwd, page, complaints } = await open({ ownProcess: true, begin: 'signed in' });
    await page.locator('#label').fill('My laptop');
    expect(await act(page, '#register-button')).toMatchObject({ outcome: 'verified', summary: 'Registered “My laptop” as passkey 1.' });
    expect(await page.locator('#label').inputValue()).toBe('');
    expect(await act(page, '#passkey-1-verify')).toMatchObject({
      outcome: 'verified',
      summary: 'Verified: passkey 1 of User 1. No user was logged in.',
    });
    expect(await act(page, '#passkey-1-login')).toMatchObject({ outcome: 'verified', summary: 'Logged in as ada.' });
    await signOut(page);
    expect(await act(page, '#login-button')).toMatchObject({ outcome: 'verified', summary: 'Logged in as ada.' });
    await openPeople(page);
    expect(await page.locator('#people').innerText()).toContain('with the session of a login');

    const { stdout } = await passkey(['list', '--json'], { cwd });
    expect(JSON.parse(stdout)).toMatchObject([{ id: 1, label: 'My laptop', rp_id: 'localhost', sign_count: 4, passkeeable_id: 1 }]);
    expect(complaints).toStrictEqual([]);
  });

  thorough('shows the options, the decoded response and the server’s answer', async () => {
    const { page, url } = await open({ begin: 'signed in' });
    const { run } = await act(page, '#register-button');
    for (const summary of await page.locator(`${run} .leg summary`).all()) await summary.click();
    await page.locator(`${run} .leg`, { hasText: '"credential_id"' }).first().waitFor();
    const text = await page.locator(run).textContent();
    expect(text).toContain('POST /api/passkeys/register/options');
    expect(text).toContain('"pubKeyCredParams"');
    expect(text).toContain('"credential_id"');
    const decoded = page.locator(`${run} .bytes`);
    await decoded.getByText('rpIdHash').first().waitFor();
    const lines = await decoded.innerText();
    expect(lines).toContain('SHA-256 of "localhost"');
    expect(lines).toContain(url);
    expect(lines).toContain('UP UV AT');
    expect(lines).toContain('01020304-0506-0708-0102-030405060708');
    expect(lines).toContain('ES256');
    expect(await decoded.locator('.bad').count()).toBe(0);
  });

  thorough('a passkey revoked with `passkey revoke` is a 404 at the next login', async () => {
    // A page that hears of the change takes the passkey off the list.
    const { cwd, page } = await open({
      initScript: 'globalThis.EventSource = class extends EventTarget { close() {} };',
      begin: 'with a passkey',
    });
    expect(await passkey(['revoke', '1', '--yes'], { cwd })).toMatchObject({ code: 0 });
    const chosen = await act(page, '#passkey-1-login');
    expect(chosen).toMatchObject({ outcome: 'rejected', summary: expect.stringMatching(/^404 passkey_not_found: /) });
    await page.locator('#passkey-1').waitFor({ state: 'detached' });
  });

  thorough('revokes, and restores after a reload', async () => {
    const { page } = await open({ begin: 'with a passkey' });
    expect((await revoke(page, 1)).outcome).toBe('verified');
    await focusOn(page, 'passkey-1-restore');
    expect(await page.locator('#passkey-1').innerText()).toContain('revoked');
    await page.reload();
    await page.locator('#show-passkeys').click();
    await page.locator('#show-revoked').check();
    await reveal(page, '#passkey-1-restore');
    expect(await page.locator('#passkey-1-restore').innerText()).toBe('Restore');
    expect((await act(page, '#passkey-1-restore')).outcome).toBe('verified');
    await focusOn(page, 'passkey-1-revoke');
  });

  thorough('accepts a bearer token instead of a sign-in, and says when the server does not', async () => {
    const { cwd, page } = await open();
    await passkey(['user', 'add', '--email', 'eve@example.com', '--name', 'Eve'], { cwd });
    const { stdout } = await passkey(['token', 'create', '--user', 'eve@example.com'], { cwd });
    await openPeople(page);
    await page.getByText('Use a bearer token instead').click();
    await page.locator('#token').fill('not-a-token');
    await page.getByRole('button', { name: 'Use this token' }).click();
    await page.locator('#status[data-outcome=rejected]:has-text("The server does not accept the bearer token")').waitFor();
    expect(await page.locator('.status').getAttribute('class')).toContain('failed');
    expect(await page.locator('#token').inputValue()).toBe('not-a-token');
    await page.locator('#token').fill(`Bearer ${stdout.trim()}`);
    await page.getByRole('button', { name: 'Use this token' }).click();
    expect(await page.locator('#signed-in-as').innerText()).toBe('Eve');
    expect((await act(page, '#register-button')).outcome).toBe('verified');
    await page.reload();
    expect(await page.locator('#signed-in-as').innerText()).toBe('Eve');
    await reveal(page, '#passkey-1');
  });

  thorough('adopts the token of the auth action `token`', async () => {
    const { page } = await open({ flags: ['--auth-action', 'token'], begin: 'with a passkey' });
    await signOut(page);
    expect((await act(page, '#login-button')).outcome).toBe('verified');
    await openPeople(page);
    expect(await page.locator('#people').innerText()).toContain('with a bearer token in this tab');
  });

  thorough('a session ends with the passkey that opened it, the page says so, and Undo still works', async () => {
    const { page } = await open({ begin: 'with a passkey' });
    await signOut(page);
    await act(page, '#login-button');
    expect((await revoke(page, 1)).summary).toContain('Your session ended: its passkey was revoked.');
    await page.locator('#switcher:has-text("Sign in")').waitFor();
    expect((await act(page, '#passkey-1-restore')).outcome).toBe('verified');
    expect(await page.locator('#signed-in-as').innerText()).toBe('ada');
    expect((await act(page, '#login-button')).outcome).toBe('verified');
  });

  thorough('keeps two tabs with two users apart', async () => {
    const { context, page, url } = await open();
    await signIn(page, 'ada@example.com');
    const other = await context.newPage();
    await other.goto(url);
    // The session cookie is shared, the bearer token is not.
    await signOut(other);
    await signIn(other, 'bob@example.com');
    await page.bringToFront();
    expect((await act(page, '#register-button')).outcome).toBe('verified');
    expect(await page.locator('#signed-in-as').innerText()).toBe('ada');
    await other.reload();
    expect(await other.locator('#signed-in-as').innerText()).toBe('bob');
    await other.locator('#show-passkeys').click();
    await other.locator('#passkeys:has-text("None yet")').waitFor();
  });

  thorough('returning to the tab shows what changed elsewhere, and keeps unsaved input', async () => {
    const { context, cwd, page, url } = await open({ begin: 'with a passkey' });
    const elsewhere = await context.newPage();
    const comeBack = async () => {
      await elsewhere.goto(`${url}/healthz`);
      const listed = page.waitForResponse((response) => response.url().includes('/dev/passkeys'));
      await page.evaluate("document.dispatchEvent(new Event('visibilitychange'))");
      await listed;
    };
    await press(page, '#passkey-1-rename');
    await page.getByLabel('New name').fill('Half a na');
    await comeBack();
    expect(await page.getByLabel('New name').inputValue()).toBe('Half a na');
    await page.keyboard.press('Escape');
    await passkey(['revoke', '1', '--yes'], { cwd });
    await comeBack();
    await page.locator('#passkey-1').waitFor({ state: 'detached' });
  });

  test('loads few files, and the rest later, under a policy that allows no inline code', async () => {
    const { page, url, complaints } = await open();
    const requested: string[] = [];
    page.on('request', (request) => requested.push(new URL(request.url()).pathname));
    const response = await page.reload();
    await page.locator('html[data-ready=true]').waitFor();
    const files = () => [...new Set(requested)].filter((path) => !/^\/(?:dev|api)\//.test(path)).toSorted();
    const script = expect.stringMatching(/^\/page\/\w+\.js$/);
    // One with the page, one once it stands.
    await until(() => files().length >= 5);
    expect(files()).toEqual(['/', '/page.css', '/page.js', script, script]);
    const policy = response?.headers()['content-security-policy'];
    expect(policy).toContain("default-src 'none'");
    expect(policy).not.toContain('unsafe');
    const html = await (await fetch(`${url}/`)).text();
    expect(html).not.toMatch(/ style=|<style|<script(?![^>]* src=)| on[a-z]+=/);
    expect(complaints).toStrictEqual([]);
  });
});
