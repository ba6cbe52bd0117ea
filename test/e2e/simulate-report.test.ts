import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Browser, Page } from 'playwright-core';
import { beforeAll, describe, expect, onTestFinished } from 'vitest';
import { renderHtml } from '../../src/simulate/reporters/html.js';
import { tempFolder } from '../cli/temp-folder.js';
import { HOSTILE_REPORT, SAMPLE } from '../simulate/reporters/sample-report.js';
import { quick as test, thorough } from '../thorough.js';
import { sharedBrowser, skipWithoutBrowser } from './browser.js';
import { violations } from './page-harness.js';

describe.skipIf(skipWithoutBrowser())('the HTML report in a browser', () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await sharedBrowser();
  });

  /** The page of a report, and whatever went wrong on it: errors, dialogs, requests other than for the file itself. */
  async function open(report: typeof SAMPLE) {
    const page = await browser.newPage();
    onTestFinished(() => page.close());
    const wrong: string[] = [];
    page.on('pageerror', ({ message }) => wrong.push(message));
    page.on('console', (message) => wrong.push(message.text()));
    page.on('dialog', (dialog) => {
      wrong.push(dialog.message());
      void dialog.dismiss();
    });
    const file = join(await tempFolder(), 'report.html');
    await writeFile(file, renderHtml(report));
    const url = pathToFileURL(file).href;
    page.on('request', (request) => {
      if (request.url() !== url) wrong.push(request.url());
    });
    await page.goto(url);
    return { page, wrong };
  }

  const visible = async (page: Page): Promise<string[]> => page.locator('.cases li:visible summary code').allTextContents();
  const ALL = [
    'login.origin-other-port',
    'shaky verbatim',
    'broken verbatim',
    'login verbatim',
    'clock verbatim',
    'late verbatim',
    'padded verbatim',
  ];

  thorough('filters by ending and by text', async () => {
    const { page, wrong } = await open(SAMPLE);
    expect(await visible(page)).toEqual(ALL);
    await page.getByLabel('passed').uncheck();
    await page.getByLabel('not applicable').uncheck();
    expect(await visible(page)).toEqual(ALL.filter((key) => !['login verbatim', 'clock verbatim', 'padded verbatim'].includes(key)));
    expect(await page.getByRole('status').textContent()).toBe('4 of 7 cases');
    await page.getByLabel('passed').check();
    await page.getByLabel('Find').fill('BASE64 padded');
    expect(await visible(page)).toEqual(['padded verbatim']);
    await page.getByLabel('Find').fill('nothing like this');
    expect(await visible(page)).toEqual([]);
    expect(await page.locator('#none').isVisible()).toBe(true);
    expect(wrong).toEqual([]);
  });

  thorough('works by keyboard alone', async () => {
    const { page } = await open(SAMPLE);
    await page.keyboard.press('Tab');
    await page.keyboard.press('Space');
    expect(await visible(page)).toEqual(ALL.slice(1));
    await page.keyboard.press('/');
    await page.keyboard.type('clock');
    expect(await visible(page)).toEqual(['clock verbatim']);
    // The findings come before the cases.
    for (const _ of [...SAMPLE.findings, 'the case']) await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    expect(await page.locator('.cases li:visible details').getAttribute('open')).toBe('');
    expect(await page.getByText('needs a pinned clock').first().isVisible()).toBe(true);
  });

  test('runs nothing that a target says', async () => {
    const { page, wrong } = await open(HOSTILE_REPORT);
    expect(await page.locator('.cases li').count()).toBe(HOSTILE_REPORT.results.length);
    expect(wrong).toEqual([]);
  });

  thorough('axe-core finds nothing wrong, in light and dark', async () => {
    const { page } = await open(SAMPLE);
    await page.evaluate("for (const each of document.querySelectorAll('details')) each.open = true");
    expect(await violations(page)).toStrictEqual([]);
  });

  thorough.each([320, 768, 1280])('nothing overflows at %i px', async (width) => {
    const { page } = await open(HOSTILE_REPORT);
    await page.setViewportSize({ width, height: 800 });
    expect(await page.evaluate('document.documentElement.scrollWidth - document.documentElement.clientWidth')).toBe(0);
  });

  thorough('prints in black on white, without the filters', async () => {
    const { page } = await open(SAMPLE);
    await page.emulateMedia({ media: 'print', colorScheme: 'dark' });
    expect(await page.locator('#filters').isVisible()).toBe(false);
    expect(await page.evaluate('getComputedStyle(document.body).backgroundColor')).toBe('rgb(255, 255, 255)');
    expect(await page.evaluate('getComputedStyle(document.body).color')).toBe('rgb(0, 0, 0)');
    expect(await page.locator('.findings').getByText('Any other program on the machine').isVisible()).toBe(true);
  });

  thorough('can be read without a script', async () => {
    const context = await browser.newContext({ javaScriptEnabled: false });
    const page = await context.newPage();
    await page.setContent(renderHtml(SAMPLE));
    expect(await page.locator('.cases li:visible').count()).toBe(SAMPLE.results.length);
    expect(await page.locator('#filters').isVisible()).toBe(false);
    await context.close();
  });
});
