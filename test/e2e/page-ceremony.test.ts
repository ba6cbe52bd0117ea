import type { Page } from 'playwright-core';
import { describe, expect } from 'vitest';
import { quick, thorough } from '../thorough.js';
import { skipWithoutBrowser } from './browser.js';
import { act, pageTests, show } from './page-harness.js';

/** Waits until the explanation is there. */
async function explained(page: Page, run: string) {
  const line = page.locator(`${run} button.steps-line`);
  await line.waitFor();
  return line;
}

describe.skipIf(skipWithoutBrowser())('a ceremony whole', () => {
  const { open } = pageTests();

  quick('shows every step, and bytes that light up with what they mean', async () => {
    const { page, complaints } = await open({ begin: 'with a passkey' });
    const { run } = await act(page, '#login-button');
    expect(await page.locator(`${run} .verdict-word`).innerText()).toBe('Verified');

    const steps = await explained(page, run);
    expect(await steps.innerText()).toMatch(/^✓\s+\d+ steps pass/);
    expect(await page.locator(`${run} .step-line`).count()).toBe(0);
    await steps.click();
    expect(await page.locator(`${run} .checklist .step-line`).count()).toBe(25);
    expect(await page.locator(`${run} .step-line >> nth=24 >> a`).getAttribute('href')).toMatch(/#sctn-verifying-assertion$/);

    // The pointer on a line lights up its bytes.
    const data = `${run} [data-structure=authenticatorData]`;
    await page.locator(`${data} .field:has-text("rpIdHash")`).hover();
    expect(await page.locator(`${data} .hex .run.lit`).count()).toBe(2);
    await page.mouse.move(0, 0);
    // The keys go from field to field, and light up their line. The whole dump is one stop for the Tab key.
    expect(await page.locator(`${data} .hex [tabindex="0"]`).count()).toBe(1);
    await page.locator(`${data} .hex [tabindex="0"]`).focus();
    await page.keyboard.press('ArrowRight');
    expect(await page.locator(`${data} .field.lit .field-name`).innerText()).toBe('flags');
    expect(await page.locator(`${data} .hex [tabindex="0"]`).count()).toBe(1);
    await page.keyboard.press('End');
    expect(await page.locator(`${data} .field.lit .field-name`).innerText()).toBe('signCount');
    expect(complaints).toStrictEqual([]);
  });

  thorough('stands beside another with what differs', async () => {
    const { page } = await open({ begin: 'with a passkey' });
    const first = await act(page, '#login-button');
    const second = await act(page, '#login-button');
    await page.locator(`${second.run} .compare-with`).selectOption(first.key);
    const comparison = page.locator(`${second.run} .comparison`);
    await comparison.locator('tr.differs:has-text("signCount")').waitFor();
    expect(await comparison.locator('h3').innerText()).toMatch(/^1 difference$/i);
    await comparison.locator('input').check();
    await comparison.locator('tr:has-text("userVerification")').waitFor();
    await page.getByRole('button', { name: 'Close the comparison' }).click();
    await comparison.waitFor({ state: 'detached' });
    // It is offered from the other side too.
    await page.locator(`${await show(page, first.key)} .compare-with`).selectOption(second.key);
    await page.locator(`#subject article[data-key="${first.key}"] .comparison`).waitFor();
  });
});
