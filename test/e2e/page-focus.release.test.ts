import type { Route } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { skipWithoutBrowser } from './browser.js';
import { act, focusOn, pageTests, WIDE } from './page-harness.js';

const FOCUSED = 'document.activeElement.id';

describe.skipIf(skipWithoutBrowser())('the focus', () => {
  const { open } = pageTests();

  test('stays in the field in which something is pasted, and goes back to where a drawer was opened', async () => {
    const { page } = await open({ authenticator: false });
    await page.keyboard.press('b');
    await page.locator('#break-heading:focus').waitFor();
    await page.locator('#open-paste').click();
    await page.locator('#paste-box').fill('{"challenge": "AAECAwQFBgcICQoLDA0ODw", "rpId": "localhost"}');
    // Chromium takes seconds for long words that may break anywhere.
    expect(await page.evaluate("getComputedStyle(document.getElementById('paste-box')).overflowWrap")).toBe('normal');
    await page.locator('#pasted-1-heading').waitFor();
    expect(await page.evaluate(FOCUSED)).toBe('paste-box');

    await page.locator('#open-options').click();
    await page.locator('#options-heading:focus').waitFor();
    await page.locator('#open-break').click();
    await page.locator('#break-heading:focus').waitFor();
    await page.keyboard.press('Escape');
    await page.locator('#break').waitFor({ state: 'detached' });
    await focusOn(page, 'open-break');
  });

  test('waits at the ceremony when the button of the first visit has gone', async () => {
    const { page } = await open({ authenticator: { automaticPresenceSimulation: false } });
    await page.locator('#create-test-passkey').click();
    await page.locator('#cancel-button').waitFor();
    await page.locator('article.ceremony h2:focus').waitFor();
  });

  test.each([390, 1_000])('goes from a drawer that covers the ceremony to the result, at %i px', async (width) => {
    const { page } = await open({ context: { viewport: { width, height: 800 } }, authenticator: false });
    await page.locator('#create-test-passkey').click();
    await page.locator('#subject .verdict-word:text-is("Verified")').waitFor();
    await page.locator('#open-break').click();
    const answers: Route[] = [];
    await page.route('**/dev/answer', (route) => void answers.push(route));
    await page.getByRole('button', { name: 'Break it: a page of another site', exact: true }).click();
    // There already while the ceremony waits.
    await page.locator('#subject article[data-verdict=waiting] h2:focus').waitFor();
    expect(await page.locator('.drawer').count()).toBe(0);
    await answers[0]?.continue();
    await page.locator('#subject article[data-verdict=rejected] h2:focus').waitFor();
  });

  test('at 1280 px a drawer stands beside the ceremony, and keeps the focus while one waits', async () => {
    const { page } = await open({ context: { viewport: { width: 1_280, height: 800 } }, authenticator: false });
    await page.keyboard.press('b');
    await page.locator('#break-heading').waitFor();
    const [drawer, pane] = await Promise.all([page.locator('.drawer').boundingBox(), page.locator('#subject').boundingBox()]);
    expect(drawer?.x).toBeGreaterThanOrEqual((pane?.x ?? 0) + (pane?.width ?? 0));
    await page.route('**/dev/answer', () => undefined);
    await page.locator('#break-by-software').click();
    await page.getByRole('button', { name: 'Break it: a page of another site', exact: true }).click();
    await page.locator('#cancel-button').waitFor();
    await page.locator('.drawer [data-mutation] button:focus').waitFor();
  });

  test('a ceremony stays readable beside the options', async () => {
    const { page } = await open({ context: WIDE });
    await page.locator('#create-test-passkey').click();
    const word = page.locator('#subject .verdict-word:text-is("Verified")');
    await word.waitFor();
    await page.locator('#subject article.ceremony').waitFor();
    await act(page, '#login-button');
    await page.locator('#open-options').click();
    await page.locator('#options-heading').waitFor();
    const lines = await page.evaluate(`(() => {
      const range = document.createRange();
      range.selectNodeContents(document.querySelector('#subject .verdict-word'));
      return new Set([...range.getClientRects()].map(({ top }) => top)).size;
    })()`);
    expect(lines).toBe(1);
  });
});
