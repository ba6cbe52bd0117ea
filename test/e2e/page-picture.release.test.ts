import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { skipWithoutBrowser } from './browser.js';
import { act, pageTests, WIDE } from './page-harness.js';
import { ROOT } from './passkey-process.js';

const docs = join(ROOT, 'docs');
/** Takes the pictures anew, on the port that readers have. */
const taking = process.env.PASSKEY_PICTURES !== undefined;
/** Bytes, ids and times differ in each run. */
const LASTING = '#open-break, #register-button, .stream .row-title, #subject h2, #subject dt, #subject .step, #subject .steps-line';
const COLOURED = ['body', '#register-button', '#subject .verdict-word', '#subject .step'];

describe.skipIf(skipWithoutBrowser())('the pictures of the README', () => {
  const { open } = pageTests();

  test('show the page as it is: PASSKEY_PICTURES=1 npx vitest run --config vitest.release.config.ts test/e2e/page-picture.release.test.ts takes them anew', async () => {
    const { page, url } = await open({ context: WIDE, begin: 'signed in', authenticator: false, flags: taking ? ['--port', '7277'] : [] });
    await page.locator('#answerer').click();
    await page.locator('#answer-with-icloud-keychain').check();
    await page.keyboard.press('Escape');
    for (const button of ['#register-button', '#login-button']) expect((await act(page, button)).outcome).toBe('verified');
    await page.keyboard.press('b');
    for (const mistake of ['login.signature-bit', 'login.origin-other-port']) {
      await act(page, `#break-first [data-mutation="${mistake}"] .mistake-run`);
    }
    await page.locator('#open-break').press('Enter');
    await page.locator('#subject .structure').first().waitFor();
    const shown = [(await page.locator(LASTING).allInnerTexts()).join('\n').replaceAll(url, 'http://localhost:7277')];
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme });
      const colours = COLOURED.map((one) => `getComputedStyle(document.querySelector('${one}'))`);
      shown.push(await page.evaluate(`[${colours}].map(({ color, backgroundColor }) => color + ' on ' + backgroundColor).join('\\n')`));
      if (taking) await page.screenshot({ path: join(docs, `page-${colorScheme}.png`) });
    }
    const text = `${shown.join('\n')}\n`;
    if (taking) await writeFile(join(import.meta.dirname, 'page-picture.txt'), text);
    expect(text).toBe(await readFile(join(import.meta.dirname, 'page-picture.txt'), 'utf8'));
  });
});
