import axe from 'axe-core';
import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { skipWithoutBrowser } from './browser.js';
import { act, pageTests, signIn } from './page-harness.js';

/** WCAG 2.2 A and AA, and what axe calls best practice. */
const RULES = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];

/** What axe finds wrong, as lines. */
async function violations(page: Page): Promise<string[]> {
  const found: { id: string; nodes: { html: string; failureSummary?: string }[] }[] = await page.evaluate(
    `${axe.source}; axe.run(document, { runOnly: ${JSON.stringify(RULES)} }).then((result) => result.violations)`,
  );
  return found.flatMap(({ id, nodes }) => nodes.map(({ html, failureSummary = '' }) => `${id}: ${html.slice(0, 120)} (${failureSummary})`));
}

describe.skipIf(skipWithoutBrowser())('axe-core finds nothing wrong with the test page', () => {
  const { open } = pageTests();

  test.each([
    ['light', 1280],
    ['dark', 1280],
    ['light', 360],
    ['dark', 360],
  ] as const)('%s, %i px wide', async (colorScheme, width) => {
    const { page } = await open({ context: { colorScheme, viewport: { width, height: 800 } }, fragment: 'autofill=on' });
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
