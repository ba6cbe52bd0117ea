import type { Page } from 'playwright-core';
import { describe, expect } from 'vitest';
import { quick as test, thorough } from '../thorough.js';
import { skipWithoutBrowser } from './browser.js';
import { act, focusOn, openPeople, pageTests, paste, press, show, signIn, violations } from './page-harness.js';

const PASTED = '{"challenge": "AAECAwQFBgcICQoLDA0ODw", "rpId": "localhost", "userVerification": "required"}';

/** Collects what axe finds in each state, and says where the focus is: never nowhere. */
function checks(page: Page) {
  const found: string[] = [];
  return {
    found,
    async look(state: string) {
      found.push(...(await violations(page)).map((line) => `${state}: ${line}`));
      if (await page.evaluate('document.activeElement === document.body')) found.push(`${state}: the focus is on body`);
    },
  };
}

/** Opens a drawer, looks, and closes it. */
async function throughDrawer(page: Page, drawer: string, look: () => Promise<void>) {
  await page.locator('#list-heading').focus();
  await page.keyboard.press({ options: 'o', break: 'b', browser: '?' }[drawer] ?? '');
  await page.locator(`#${drawer}-heading`).waitFor();
  await look();
  await page.locator(`#${drawer}-heading`).press('Escape');
}

describe.skipIf(skipWithoutBrowser())(
  'axe-core finds nothing wrong with the test page in light and dark, and the focus is never lost',
  () => {
    const { open } = pageTests();

    thorough.each([1280, 390])('in every state of a visit, at %i px', async (width) => {
      const { page, url } = await open({ context: { viewport: { width, height: 800 } } });
      const { found, look } = checks(page);
      await page.locator('#list-heading').focus();
      await look('welcome');
      await page.locator('#create-test-passkey').click();
      await page.locator('#subject article[data-verdict=verified]').waitFor();
      await page.locator('.steps-line').click();
      await page.locator('.hex .run').first().waitFor();
      await look('verified, with all steps');
      const verified = (await page.locator('#subject article').getAttribute('data-key')) ?? '';

      // This authenticator has one already.
      await page.locator('#register-button').click();
      await page.locator('#subject article[data-verdict=browser-error]').waitFor();
      await look('the browser’s error');

      for (const drawer of ['options', 'break', 'browser']) {
        await throughDrawer(page, drawer, async () => {
          if (drawer === 'break') await page.locator('#break-first .mistake-run').first().waitFor();
          await look(`drawer ${drawer}`);
        });
      }
      await page.locator('#open-options').click();
      await page.locator('#options-registration-json').fill('{');
      await look('options that cannot be used');
      await page.locator('#options-registration-json').fill('');
      await page.locator('#options-heading').press('Escape');

      await page.locator('#open-break').click();
      await page.locator('#break-first [data-mutation="login.signature-bit"] .mistake-run').click();
      await page.locator('#subject article[data-verdict=rejected] .step').waitFor();
      // On a phone the drawer has given way to what came of it.
      if ((await page.locator('#break').count()) === 0) await page.locator('#open-break').click();
      await page.locator('#break-first .fared').waitFor();
      await look('a mistake was made');
      await page.locator('#break-heading').press('Escape');
      await look('refused');

      await page.locator('#subject .compare-with').selectOption({ index: 1 });
      await page.locator('.comparison tr.differs').first().waitFor();
      await look('comparison');
      await page.getByRole('button', { name: 'Close the comparison' }).click();
      await look('comparison closed');
      await page.locator('#subject .share > button').click();
      await look('share');
      await page.keyboard.press('Escape');

      await paste(page, PASTED);
      await look('pasted');

      await fetch(`${url}/api/passkeys/login`, { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{"id":1}' });
      await fetch(`${url}/api/passkeys/login/options`, { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{}' });
      for (const verdict of ['refused', 'open']) {
        await page.locator(`.stream li[data-verdict=${verdict}]:not([data-key^=run]) .row`).first().press('Enter');
        await page.locator(`#subject article[data-verdict=${verdict}]`).waitFor();
        await look(`of a program: ${verdict}`);
      }
      await page.locator('#list-search').fill('nothing of the kind');
      await page.locator('.nothing').waitFor();
      await look('nothing found');
      await page.locator('#list-search').fill('');
      await page.locator('#clear').click();
      await look('asked whether to empty');
      await page.getByRole('button', { name: 'Keep it' }).click();
      await look('kept');

      await press(page, '#passkey-1-rename');
      await look('rename');
      await page.getByLabel('New name').fill('Other');
      await page.getByLabel('New name').press('Enter');
      await page.locator('.stream, #passkey-1-label:text-is("Other")').first().waitFor();
      await press(page, '#passkey-1-signals > summary');
      await press(page, '#passkey-1-details > summary');
      await press(page, '#passkey-1-revoke');
      await look('menu of a passkey');
      await act(page, '#passkey-1-revoke-confirm');
      await look('revoked');
      await act(page, '#passkey-1-restore');
      await look('restored');
      await show(page, verified);
      await look('shown from the list');

      await page.locator('#answerer').click();
      await page.locator('#answer-with-titan').waitFor();
      await look('answerers');
      await page.keyboard.press('Escape');
      await openPeople(page);
      await look('people');
      await page.locator('#sign-out').click();
      await page.locator('#switcher:has-text("Sign in")').waitFor();
      await look('signed out');
      expect(found).toStrictEqual([]);
    });

    thorough.each([1280, 390])('while the browser waits, and cancelled, at %i px', async (width) => {
      const { page } = await open({ context: { viewport: { width, height: 800 } }, authenticator: { automaticPresenceSimulation: false } });
      const { found, look } = checks(page);
      await signIn(page);
      await page.locator('#register-button').click();
      await page.locator('.waiting-line:has-text("answer the browser")').waitFor();
      await look('waiting');
      await page.locator('#show-passkeys').click();
      await page.locator('#cancel-here').waitFor();
      await look('waiting, with the passkeys');
      await page.locator('#cancel-here').click();
      await page.locator('#subject article[data-verdict=cancelled]').waitFor();
      await look('cancelled');
      expect(found).toStrictEqual([]);
    });

    thorough('with a notice', async () => {
      const { page } = await open({ host: '127.0.0.1', fragment: 'stay=on' });
      expect(await violations(page)).toStrictEqual([]);
    });

    test('while the browser waits', async () => {
      const { page } = await open({ authenticator: { automaticPresenceSimulation: false }, begin: 'signed in' });
      await page.locator('#register-button').click();
      await page.locator('.waiting-line').waitFor();
      expect(await violations(page)).toStrictEqual([]);
      await page.locator('#cancel-button').click();
      await page.locator('#subject article[data-verdict=cancelled]').waitFor();
      await focusOn(page, 'run-2-heading');
    });
  },
);
