import { describe, expect, test } from 'vitest';
import { skipWithoutBrowser } from './browser.js';
import { act, focusOn, openPeople, pageTests, press, signIn, signOut } from './page-harness.js';
import { passkeyHere } from './passkey-in-process.js';

describe.skipIf(skipWithoutBrowser())('states of a page that stays open', () => {
  const { open } = pageTests();

  test('highlights the next step: the one of the first visit, then to log in', async () => {
    const { cwd, page } = await open();
    const primary = page.locator('button.primary:visible');
    const isOnly = async (name: string) => {
      await primary.and(page.locator(`:text-is("${name}")`)).waitFor();
      expect(await primary.allInnerTexts()).toStrictEqual([name]);
    };
    const ceremonies = page.locator('#register-button, #login-button, #verify-button, #autofill-switch');
    await isOnly('Register a test passkey');
    expect(await ceremonies.count()).toBe(0);
    expect(await page.locator('#log-in-instead').count()).toBe(0);
    await page.keyboard.press('r');
    await focusOn(page, 'create-test-passkey');
    // Somebody may have a passkey where there are users.
    await passkeyHere(['user', 'add', '--email', 'eve@example.com', '--name', 'Eve'], { cwd });
    await page.reload();
    await page.locator('#log-in-instead').waitFor();
    await isOnly('Register a test passkey');
    await signIn(page);
    await isOnly('Register a test passkey');
    expect(await ceremonies.count()).toBe(4);
    await page.locator('#create-test-passkey').click();
    await page.locator('#subject article[data-verdict=verified]').waitFor();
    await isOnly('Log in');
    await signOut(page);
    await isOnly('Log in');
    // Nothing that would end in an InvalidStateError, since this authenticator has a passkey of this user.
    await page.reload();
    await page.locator('#open-paste').click();
    await page.locator('#paste-box').waitFor();
    await isOnly('Log in');
    expect(await page.locator('#create-test-passkey').count()).toBe(0);
  });

  test('with a bearer token from another machine it says why it offers no signal and no undo', async () => {
    const { cwd, page } = await open({ flags: ['--trust-proxy'] });
    await passkeyHere(['user', 'add', '--email', 'eve@example.com', '--name', 'Eve'], { cwd });
    const { stdout } = await passkeyHere(['token', 'create', '--user', 'eve@example.com'], { cwd });
    await openPeople(page);
    await page.locator('#token').fill(stdout.trim());
    await page.getByRole('button', { name: 'Use this token' }).click();
    await page.locator('#signed-in-as').waitFor();
    await act(page, '#register-button');
    await press(page, '#passkey-1-signals > summary');
    const signals = page.locator('#passkey-1-signals');
    expect(await signals.innerText()).toMatch(/The page does not know the rp\.id and user handle/);
    expect(await signals.getByRole('button').count()).toBe(0);
    await press(page, '#passkey-1-revoke');
    expect(await page.locator('#passkey-1-revoke-text').innerText()).toContain('`passkey restore 1`');
    expect((await act(page, '#passkey-1-revoke-confirm')).outcome).toBe('verified');
    expect(await page.locator('#passkey-1-restore').count()).toBe(0);
  });

  test('a rename and a live event do not interfere', async () => {
    const { context, page, url } = await open({ begin: 'with a passkey' });
    const other = await context.newPage();
    await other.goto(url);
    await press(page, '#passkey-1-rename');
    await page.getByLabel('New name').fill('Half a na');
    await press(other, '#passkey-1-rename');
    await other.getByLabel('New name').fill('Theirs');
    const listed = page.waitForResponse((response) => response.url().includes('/dev/passkeys'));
    await act(other, '#passkeys button:has-text("Save")');
    await listed;
    expect(await page.getByLabel('New name').inputValue()).toBe('Half a na');
    await page.getByLabel('New name').press('Escape');
    await page.locator('#passkey-1-label:text-is("Theirs")').waitFor();
    await focusOn(page, 'passkey-1-rename');
  });

  test('nothing covers what has the focus', async () => {
    const { page } = await open({ context: { viewport: { width: 1280, height: 420 } }, begin: 'with a passkey' });
    await page.locator('#switcher').focus();
    const covered: unknown[] = [];
    for (const key of [...Array<string>(45).fill('Tab'), ...Array<string>(45).fill('Shift+Tab')]) {
      await page.keyboard.press(key);
      covered.push(
        await page.evaluate(`(() => {
          const focused = document.activeElement;
          const { left, top, bottom, width, height } = focused.getBoundingClientRect();
          if (focused === document.body || focused.matches('.skip') || height > 200) return;
          const above = document.elementFromPoint(left + Math.min(width / 2, 20), (top + bottom) / 2);
          if (above === null || !(focused.contains(above) || above.contains(focused) || above.matches('label'))) return focused.id || focused.outerHTML.slice(0, 80);
        })()`),
      );
    }
    expect(covered.filter((one) => one !== undefined)).toStrictEqual([]);
  });
});
