import { describe, expect } from 'vitest';
import { quick as test, thorough } from '../thorough.js';
import { skipWithoutBrowser } from './browser.js';
import { act, pageTests, signIn, violations } from './page-harness.js';

describe.skipIf(skipWithoutBrowser())('axe-core finds nothing wrong with the test page in light and dark', () => {
  const { open } = pageTests();

  thorough.each([1280, 360])('at %i px', async (width) => {
    const { page } = await open({ context: { viewport: { width, height: 800 } }, fragment: 'autofill=on' });
    expect(await violations(page)).toStrictEqual([]);
    await page.locator('#autofill-switch').uncheck();
    await signIn(page);
    await act(page, '#register-button');
    await act(page, '#register-button');
    await page.locator('#passkey-1-rename').click();
    await page.evaluate("for (const each of document.querySelectorAll('details')) each.open = true");
    await page.locator('#options-registration-json').fill('{');
    await page.locator('.decoded .field').first().waitFor();
    expect(await violations(page)).toStrictEqual([]);
  });

  test('with a notice, and while the browser waits', async () => {
    const { page } = await open({ host: '127.0.0.1', fragment: 'stay=on', authenticator: { automaticPresenceSimulation: false } });
    expect(await violations(page)).toStrictEqual([]);
    await page.goto(page.url().replace('127.0.0.1', 'localhost'));
    await signIn(page);
    await page.locator('#register-button').click();
    await page.locator('#waiting').waitFor();
    expect(await violations(page)).toStrictEqual([]);
    await page.locator('#cancel-button').click();
  });
});
