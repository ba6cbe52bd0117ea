import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { skipWithoutBrowser } from './browser.js';
import { act, pageTests, reload, violations } from './page-harness.js';

/** Selects the newest item of the list. */
async function showNewest(page: Page, having: string): Promise<string> {
  const row = page.locator(`.stream li:has-text("${having}")`).first();
  await row.locator('button.row').click();
  return `#subject article.ceremony[data-key="${await row.getAttribute('data-key')}"]`;
}

describe.skipIf(skipWithoutBrowser())('a ceremony whole, in every state', () => {
  const { open } = pageTests();

  test('a disclosure stays open when the ceremony is drawn again', async () => {
    const { page, url } = await open({ begin: 'signed in' });
    const { run } = await act(page, '#register-button');
    const part = page.locator(`${run} .leg details.part`).first();
    await part.locator('summary').click();
    await part.locator('.json').waitFor();
    // Another program's ceremony arrives.
    await fetch(`${url}/api/passkeys/login/options`, { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{}' });
    await page.locator('.stream li[data-verdict=open]').waitFor();
    expect(await part.getAttribute('open')).not.toBeNull();
    expect(await part.locator('.json').count()).toBe(1);
  });

  test('another program’s refused request says what was wrong with it', async () => {
    const { page, url } = await open({ begin: 'signed in' });
    await fetch(`${url}/api/passkeys/login`, { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{"id":1}' });
    const shown = await showNewest(page, 'validation_failed');
    expect(await page.locator(`${shown} .verdict-word`).innerText()).toBe('Refused');
    expect(await page.locator(`${shown} .run-summary`).innerText()).toMatch(/^422 validation_failed: /);
    expect(await page.locator(`${shown} .compare-with`).count()).toBe(0);
  });

  test('a ceremony is shown with its steps and bytes after a reload', async () => {
    const { page } = await open({ begin: 'with a passkey' });
    await reload(page);
    const shown = await showNewest(page, 'verified');
    await page.locator(`${shown} button.steps-line`).click();
    expect(await page.locator(`${shown} .checklist .step-line`).count()).toBe(29);
    await page.locator(`${shown} [data-structure=attestationObject] .hex .run`).first().waitFor();
    await page.locator(`${shown} .part:has-text("Response, as JSON") summary`).click();
    await page.locator(`${shown} .json`).waitFor();
  });

  test('a certificate is folded until it is asked for, in hex and in the tree', async () => {
    const { page } = await open({ flags: ['--attestation', 'direct'], begin: 'signed in' });
    const { run } = await act(page, '#register-button');
    const object = page.locator(`${run} [data-structure=attestationObject]`);
    const rows = object.locator('.hex-row');
    const before = await rows.count();
    await object.locator('button:has-text("bytes of x5c[0]")').click();
    expect(await rows.count()).toBeGreaterThan(before + 10);
    const certificate = object.locator('.field:has-text("x5c[0]")');
    expect(await certificate.getAttribute('aria-expanded')).toBe('false');
    await certificate.focus();
    await page.keyboard.press('ArrowRight');
    expect(await certificate.getAttribute('aria-expanded')).toBe('true');
    await page.keyboard.press('ArrowRight');
    expect(await page.evaluate('document.activeElement.getAttribute("aria-level")')).toBe('4');
    expect(await violations(page)).toStrictEqual([]);
  });
});
