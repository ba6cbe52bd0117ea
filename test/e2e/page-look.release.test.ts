import { describe, expect, test } from 'vitest';
import { skipWithoutBrowser } from './browser.js';
import { act, pageTests, signIn } from './page-harness.js';

const OPEN_ALL = "for (const each of document.querySelectorAll('details')) each.open = true";

describe.skipIf(skipWithoutBrowser())('layout and accessibility of the test page', () => {
  const { open } = pageTests();

  test('nothing overflows at 320 to 1280 px with everything open', async () => {
    const { page } = await open();
    await signIn(page, 'somebody.with.a.very.long.address@subdomain.of.a.long.domain.example.com');
    await page.locator('#label').fill('W'.repeat(120));
    await act(page, '#register-button');
    await act(page, '#register-button');
    await page.evaluate(OPEN_ALL);
    await page.locator('.decoded .field').first().waitFor();
    for (const width of [320, 360, 768, 1280]) {
      await page.setViewportSize({ width, height: 800 });
      const overflowing: unknown = await page.evaluate(
        `[...document.querySelectorAll('body *')]
          .filter((each) => each.getBoundingClientRect().right > document.documentElement.clientWidth + 0.5)
          .map((each) => each.tagName + '#' + each.id + '.' + each.className)`,
      );
      expect(overflowing, `${width} px`).toStrictEqual([]);
      expect(await page.evaluate('document.documentElement.scrollWidth - document.documentElement.clientWidth')).toBe(0);
    }
  });

  test('follows the preferred colour scheme', async () => {
    const { page } = await open({ authenticator: false });
    const brightness = async (colorScheme: 'light' | 'dark') => {
      await page.emulateMedia({ colorScheme });
      const colour: string = await page.evaluate('getComputedStyle(document.body).backgroundColor');
      const [red = 0, green = 0, blue = 0] = (colour.match(/\d+/g) ?? []).map(Number);
      return (red + green + blue) / 3;
    };
    expect(await brightness('light')).toBeGreaterThan(230);
    expect(await brightness('dark')).toBeLessThan(40);
  });

  test('works by keyboard alone, and keeps the focus', async () => {
    const { page } = await open();
    const focused = () => page.evaluate('document.activeElement.id');
    const tabTo = async (id: string) => {
      for (let presses = 0; presses < 40 && (await focused()) !== id; presses++) {
        await page.keyboard.press('Tab');
      }
      expect(await focused()).toBe(id);
    };
    await page.keyboard.press('Tab');
    expect(await page.evaluate('document.activeElement.textContent')).toBe('Skip to what happened');
    await page.keyboard.press('Enter');
    expect(await focused()).toBe('happened');
    await page.reload();
    await tabTo('sign-in-button');
    await page.keyboard.press('Enter');
    await page.locator('#signed-in-as').waitFor();
    await tabTo('register-button');
    await page.keyboard.press('Enter');
    await page.locator('#passkey-1-login').waitFor();
    await page.locator('#register-button[aria-disabled=false]').waitFor();
    expect(await focused()).toBe('register-button');
    await tabTo('passkey-1-login');
    await page.keyboard.press('Enter');
    await page.locator('#runs > .run.verified:has-text("Logged in as test.")').waitFor();
    await page.locator('#login-button[aria-disabled=false]').waitFor();
    expect(await focused()).toBe('passkey-1-login');
  });

  test('every control and section has a name, and events are announced', async () => {
    const { page } = await open();
    await signIn(page);
    await act(page, '#register-button');
    await page.evaluate(OPEN_ALL);
    const tree = await page.locator('body').ariaSnapshot();
    expect(tree).not.toMatch(/- (button|textbox|checkbox|combobox|link|region|spinbutton)( \[.*\])?:?$/m);
    expect(tree).toContain('- status: Registered “Passkey” as passkey 1.');
    expect(tree).toMatch(/- main/);
    expect(tree).toContain('- heading "What happened" [level=2]');
  });
});
