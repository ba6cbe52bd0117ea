import { describe, expect, test } from 'vitest';
import { until } from '../until.js';
import { skipWithoutBrowser } from './browser.js';
import { fillServer } from './page-filled.js';
import { pageTests, reload, signIn } from './page-harness.js';

describe.skipIf(skipWithoutBrowser())('with 200 passkeys and 1,000 ceremonies', () => {
  const { open } = pageTests();

  test('only the first rows are drawn, and a new ceremony draws only its own', async () => {
    const { page, url } = await open({ authenticator: false });
    await fillServer(url, { passkeys: 200, ceremonies: 1_000 });
    const before = await page.locator('.stream > li').count();
    expect(before).toBeLessThanOrEqual(150);
    await reload(page);
    await page.locator('#show-older:has-text("(9")').waitFor();
    expect(await page.locator('.stream > li').count()).toBeLessThanOrEqual(150);
    expect(await page.evaluate("document.querySelectorAll('body *').length")).toBeLessThan(2_500);

    await page.evaluate(`globalThis.added = 0; new MutationObserver((changes) => {
      for (const { addedNodes } of changes) for (const node of addedNodes) added += 1 + (node.querySelectorAll?.('*').length ?? 0);
    }).observe(document.body, { childList: true, subtree: true })`);
    const first = await page.locator('.stream > li').first().getAttribute('data-key');
    await fillServer(url, { passkeys: 0, ceremonies: 1 });
    await page.locator(`.stream > li:first-child:not([data-key="${first}"])`).waitFor();
    expect(await page.evaluate('added')).toBeLessThan(40);

    await signIn(page);
    await page.locator('#show-passkeys').click();
    await page.locator('#show-more').waitFor();
    expect(await page.locator('#passkeys .passkey').count()).toBeLessThanOrEqual(150);
    await page.locator('#show-ceremonies').click();
    await page.locator('#show-older').click();
    // Find in page, screen readers and keys reach rows that are not laid out yet.
    expect(await page.evaluate("getComputedStyle(document.querySelector('.stream > li:last-child')).contentVisibility")).toBe('auto');
    // The button may go away: the focus goes to what it added.
    const isThere = "[...document.querySelectorAll('.stream .row')].indexOf(document.activeElement) === 100";
    await until(async () => (await page.evaluate(isThere)) === true);
  });
});
