import { describe, expect, test } from 'vitest';
import { skipWithoutBrowser } from './browser.js';
import { pageTests, reload, WIDE } from './page-harness.js';

describe.skipIf(skipWithoutBrowser())('the list of ceremonies', () => {
  const { open } = pageTests();

  test('keeps its titles, its one stop of Tab and the ceremony that is shown when the page is loaded again', async () => {
    const { page, url } = await open({ context: WIDE, authenticator: false });
    await page.locator('#create-test-passkey').click();
    await page.locator('#subject article[data-verdict=verified]').waitFor();
    await page.keyboard.press('b');
    await page.getByRole('button', { name: 'Break it: a page of another site', exact: true }).click();
    await page.locator('#subject article[data-verdict=rejected] h2:focus').waitFor();
    // The drawer does not have the focus any more.
    await page.keyboard.press('Escape');
    await page.locator('.drawer').waitFor({ state: 'detached' });

    // Signing in is no ceremony, and the server keeps nothing of it.
    const titles = async () => (await page.locator('.row-title b').allInnerTexts()).slice(0, 2);
    const before = await titles();
    expect(before[0]).toMatch(/^Break it: /);
    expect(await page.locator('.row[tabindex="0"]').count()).toBe(1);
    const address = page.url();
    expect(address).toMatch(/#ceremony=[\w-]+$/);

    await reload(page);
    await page.locator('#subject article[data-verdict=rejected]').waitFor();
    expect(await titles()).toEqual(before);
    expect(await page.locator('.row').first().innerText()).toContain('this tab');
    expect(await page.locator('.row[tabindex="0"][aria-current=true]').count()).toBe(1);
    expect(page.url()).toBe(address);

    await page.goto(`${url}/#ceremony=gone`);
    await page.locator('#status:has-text("any more")').waitFor();
    await page.locator('#welcome').waitFor();
  });

  test('leaves the height to the ceremony: on a phone, and on a large screen at 200 %', async () => {
    const { page } = await open({ authenticator: false, context: { viewport: { width: 390, height: 844 } } });
    await page.locator('#create-test-passkey').click();
    await page.locator('#subject article[data-verdict=verified]').waitFor();
    const toolbars = () =>
      page.evaluate(
        `['.top', '.bar', '.pane-head', '.tools'].map((one) => document.querySelector(one).offsetHeight).reduce((a, b) => a + b)`,
      );
    expect(await toolbars()).toBeLessThanOrEqual(0.2 * 844);
    await page.setViewportSize({ width: 720, height: 450 });
    const head = await page.locator('.verdict-word').boundingBox();
    expect(head?.y).toBeLessThan(225);
  });
});
