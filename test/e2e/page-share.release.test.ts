import { readFile } from 'node:fs/promises';
import { describe, expect, test } from 'vitest';
import { explain } from '../../src/explain/library.js';
import { parseFixture } from '../../src/fixture/read.js';
import { skipWithoutBrowser } from './browser.js';
import { act, pageTests, show, signIn } from './page-harness.js';

describe.skipIf(skipWithoutBrowser())('ceremonies of others', () => {
  const { open } = pageTests();

  test('leave in every shape: as one file, JSON, curl and fixture', async () => {
    const { page, context, url } = await open();
    await signIn(page);
    await page.locator('#label').fill('Of the first tab');
    await act(page, '#register-button');

    const other = await context.newPage();
    await other.goto(url);
    await other.locator('html[data-ready=true]').waitFor();
    const key = await other.locator('.stream li[data-verdict=verified]').first().getAttribute('data-key');
    const ceremony = await show(other, key ?? '');
    await other.locator(`${ceremony} button.steps-line`).waitFor();
    const leave = async (name: string) => {
      await other.locator(`${ceremony} .share-button`).click();
      await other.locator(`${ceremony} [data-export=${name}]`).click();
      await other.locator('#status:has-text("Copied as")').waitFor({ state: 'attached' });
      return await other.evaluate<string>('navigator.clipboard.readText()');
    };

    expect(await explain(await leave('json'))).toMatchObject({ ceremony: 'registration', verdict: 'accepted', error: null });
    expect(await leave('curl')).toContain(`curl -sS -X POST '${url}/api/passkeys/register'`);
    expect(parseFixture(await leave('fixture'), 'copied')).toMatchObject({ kind: 'registration', expected: { outcome: 'verified' } });
    const downloading = other.waitForEvent('download');
    await other.locator(`${ceremony} .share-button`).click();
    await other.locator(`${ceremony} [data-export=file]`).click();
    const file = JSON.parse(await readFile(await (await downloading).path(), 'utf8'));
    expect(file).toMatchObject({
      format: 'passkey-ceremony',
      item: { kind: 'registration', verdict: 'verified', passkey: 'Of the first tab' },
      legs: [
        { kind: 'browser', call: 'create' },
        { kind: 'http', path: '/api/passkeys/register' },
      ],
      explanation: { verdict: 'accepted' },
      fixture: { kind: 'registration' },
    });
  });
});
