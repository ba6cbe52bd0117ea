import { describe, expect, test } from 'vitest';
import { skipWithoutBrowser } from './browser.js';
import { act, pageTests, signIn, violations } from './page-harness.js';
import { passkeyHere } from './passkey-in-process.js';

describe.skipIf(skipWithoutBrowser())('states of a page that stays open', () => {
  const { open } = pageTests();

  test('axe-core finds nothing wrong: asked, revoked, refused, restored, signalled, remarks, many events', async () => {
    const { page } = await open();
    await signIn(page);
    await act(page, '#register-button');
    await page.locator('#passkey-1-revoke').click();
    expect(await violations(page)).toStrictEqual([]);
    await act(page, '#passkey-1-revoke-confirm');
    await act(page, '#login-button');
    expect(await violations(page)).toStrictEqual([]);
    await act(page, '#passkey-1-restore');
    await page.locator('#passkey-1-signals summary').click();
    await act(page, '#passkey-1-signalUnknownCredential');
    for (let refusals = 0; refusals < 8; refusals++) {
      await act(page, '#login-button');
    }
    await page.locator('#options-panel > summary').click();
    await page.locator('#options-registration-json').fill('{ "extensions": { "credProtect": 1 } }');
    await page.locator('#live-card > details > summary').click();
    await page.locator('#passkey-1-details summary').click();
    expect(await violations(page)).toStrictEqual([]);
  });

  test('highlights the next step: sign in or log in first, then register', async () => {
    const { page } = await open();
    const primary = () => page.locator('button.primary:visible').allInnerTexts();
    expect(await primary()).toStrictEqual(['Sign in as a test user', 'Log in with a passkey']);
    await signIn(page);
    expect(await primary()).toStrictEqual(['Register a passkey']);
  });

  test('offers the newest of many users as buttons, the others by e-mail', async () => {
    const { cwd, page } = await open();
    for (let user = 1; user <= 10; user++) {
      await passkeyHere(['user', 'add', '--email', `user${user}@example.com`, '--name', `User ${user}`], { cwd });
    }
    await page.reload();
    const people = page.getByRole('group', { name: 'Sign in again as' }).getByRole('button');
    await people.first().waitFor();
    expect(await people.allInnerTexts()).toStrictEqual([10, 9, 8, 7, 6, 5, 4, 3].map((user) => `User ${user}`));
    expect(await page.locator('#known-emails option').count()).toBe(10);
    await people.first().click();
    await page.locator('#signed-in-as:text-is("User 10")').waitFor();
  });

  test('with a bearer token from another machine it says why it offers no signal and no undo', async () => {
    const { cwd, page } = await open({ flags: ['--trust-proxy'] });
    await passkeyHere(['user', 'add', '--email', 'eve@example.com', '--name', 'Eve'], { cwd });
    const { stdout } = await passkeyHere(['token', 'create', '--user', 'eve@example.com'], { cwd });
    await page.locator('#token').fill(stdout.trim());
    await page.getByRole('button', { name: 'Use this token' }).click();
    await page.locator('#signed-in-as').waitFor();
    await act(page, '#register-button');
    const signals = page.locator('#passkey-1-signals');
    await signals.locator('summary').click();
    expect(await signals.innerText()).toMatch(/The page does not know the rp\.id and user handle/);
    expect(await signals.getByRole('button').count()).toBe(0);
    await page.locator('#passkey-1-revoke').click();
    expect(await page.locator('#passkey-1-revoke-text').innerText()).toContain('`passkey restore 1`');
    expect((await act(page, '#passkey-1-revoke-confirm')).outcome).toBe('verified');
    expect(await page.locator('#passkey-1-restore').count()).toBe(0);
  });

  test('a rename and a live event do not interfere', async () => {
    const { context, page, url } = await open();
    await signIn(page);
    await act(page, '#register-button');
    const other = await context.newPage();
    await other.goto(url);
    await page.locator('#passkey-1-rename').click();
    await page.getByLabel('New name').fill('Half a na');
    await other.locator('#passkey-1-rename').click();
    await other.getByLabel('New name').fill('Theirs');
    const listed = page.waitForResponse((response) => response.url().includes('/dev/passkeys'));
    await act(other, '#passkeys button:has-text("Save")');
    await listed;
    expect(await page.getByLabel('New name').inputValue()).toBe('Half a na');
    await page.getByLabel('New name').press('Escape');
    expect(await page.locator('#passkey-1-label').innerText()).toBe('Theirs');
    expect(await page.evaluate('document.activeElement.id')).toBe('passkey-1-rename');
  });

  test('the bars at top and bottom do not cover what has the focus', async () => {
    const { page } = await open({ context: { viewport: { width: 800, height: 420 } } });
    await signIn(page);
    await act(page, '#register-button');
    await page.locator('#options-panel > summary').click();
    await page.locator('#sign-out').focus();
    const covered: unknown[] = [];
    for (const key of [...Array<string>(45).fill('Tab'), ...Array<string>(45).fill('Shift+Tab')]) {
      await page.keyboard.press(key);
      covered.push(
        await page.evaluate(`(() => {
          const { top, bottom, height } = document.activeElement.getBoundingClientRect();
          const bar = document.getElementById('status-bar').getBoundingClientRect();
          const inside = document.activeElement.closest('#status-bar') !== null;
          return inside || height > 200 || (top >= 0 && bottom <= bar.top) ? undefined : document.activeElement.id || document.activeElement.outerHTML.slice(0, 80);
        })()`),
      );
    }
    expect(covered.filter((one) => one !== undefined)).toStrictEqual([]);
  });
});
