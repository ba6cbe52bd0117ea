import { readFile } from 'node:fs/promises';
import { describe, expect, test } from 'vitest';
import { explain } from '../../src/explain/library.js';
import { parseFixture } from '../../src/fixture/read.js';
import { skipWithoutBrowser } from './browser.js';
import { act, pageTests, paste, show } from './page-harness.js';

describe.skipIf(skipWithoutBrowser())('ceremonies of others', () => {
  const { open } = pageTests();

  test('one that cannot be drawn is told of, and takes nothing else with it', async () => {
    const { page } = await open({ authenticator: false });
    const nothing = {
      server: null,
      known_errors: [],
      steps: [],
      difference: null,
      attestation: null,
      observations: [],
      encoding: [],
      advice: [],
      error: null,
    };
    const explanation = { source: 'x', ...nothing, library: { verdict: 'maybe' }, expected: 5, input: {}, verdict: 'perhaps' };
    const item = { kind: 'registration', verdict: 'verified', source: 'x', changed: [] };
    const file = { format: 'passkey-ceremony', version: 1, title: 'Changed by hand', kind: 'registration', legs: [], item, explanation };
    await page.locator('#paste-box').fill(JSON.stringify(file));
    await page.locator('#subject [role=alert]:has-text("cannot draw it")').waitFor();
    expect(await page.locator('.stream li').innerText()).toContain('Changed by hand');
    expect(await paste(page, '{"challenge": "AAECAwQFBgcICQoLDA0ODw", "rpId": "localhost"}')).toContain('pasted-2');
  });

  test('leave in every shape: as one file, JSON, curl and fixture', async () => {
    const { page, context, url } = await open({ begin: 'signed in' });
    await page.locator('#label').fill('Of the first tab');
    await act(page, '#register-button');

    const other = await context.newPage();
    await other.goto(url);
    await other.locator('html[data-ready=true]').waitFor();
    const key = await other.locator('.stream li[data-verdict=verified]').first().getAttribute('data-key');
    const ceremony = await show(other, key ?? '');
    await other.locator(`${ceremony} button.steps-line`).waitFor();
    const leave = async (name: string) => {
      await other.locator(`${ceremony} .share > button`).click();
      await other.locator(`${ceremony} [data-export=${name}]`).click();
      await other.locator('#status:has-text("Copied as")').waitFor({ state: 'attached' });
      return await other.evaluate<string>('navigator.clipboard.readText()');
    };

    expect(await explain(await leave('json'))).toMatchObject({ ceremony: 'registration', verdict: 'undecided', error: null });
    expect(await leave('curl')).toContain(`curl -sS -X POST '${url}/api/passkeys/register'`);
    expect(parseFixture(await leave('fixture'), 'copied')).toMatchObject({ kind: 'registration', expected: { outcome: 'verified' } });
    const downloading = other.waitForEvent('download');
    await other.locator(`${ceremony} .share > button`).click();
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
