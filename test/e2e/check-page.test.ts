import { describe, expect, onTestFinished, test } from 'vitest';
import type { Flows } from '../../src/testing/page/flow.js';
import { checkPage } from '../../src/testing/playwright/check-page.js';
import type { PageFlow } from '../../src/testing/playwright/page-driver.js';
import { quick, share, thorough } from '../thorough.js';
import { sharedBrowser, skipWithoutBrowser } from './browser.js';
import { FAULTS } from './page-check/faults.js';
import { startShop } from './page-check/shop.js';
import { pageTests, signIn } from './page-harness.js';

const click = (name: string) => ({ click: { role: 'button', name } });

function flowsOf(path: string): Flows {
  return {
    register: [{ goto: path }, click('Add a passkey')],
    login: [{ goto: path }, click('Sign in with a passkey')],
    password: [{ goto: path }, click('Sign in with a password')],
    remove: [click('Remove the passkey')],
    rename: [{ fill: { role: 'textbox', name: 'Name' }, value: 'Ada {n}' }, click('Save the name')],
  };
}

async function check(fault: string | undefined, cases?: readonly string[]) {
  await using shop = await startShop();
  const browser = await sharedBrowser();
  const context = await browser.newContext();
  onTestFinished(() => context.close());
  const page = await context.newPage();
  await page.goto(shop.url);
  return await checkPage(page, flowsOf(fault === undefined ? '/' : `/?fault=${fault}`), cases && { cases });
}

describe.skipIf(skipWithoutBrowser())('the check of a page', () => {
  thorough('finds nothing on a correct page, in any case', { timeout: 180_000 }, async () => {
    const { findings, results } = await check(undefined);
    expect(findings).toEqual([]);
    expect(results.filter(({ status }) => status !== 'passed').map(({ id, reason }) => [id, reason])).toEqual([
      ['password.upgrade-refused', 'The page offers no passkey after a password.'],
    ]);
  });

  thorough('finds nothing on the page of passkey serve', { timeout: 180_000 }, async () => {
    const { page, url } = await pageTests().open({ authenticator: false });
    const flow =
      (button: string): PageFlow =>
      async (opened) => {
        await opened.goto(url);
        await opened.locator('html[data-ready=true]').waitFor();
        await signIn(opened);
        await opened.locator(button).click();
      };
    const { findings, results } = await checkPage(page, { register: flow('#register-button'), login: flow('#login-button') });
    expect(findings).toEqual([]);
    expect(results.filter(({ status }) => status !== 'passed').map(({ id, reason }) => [id, reason])).toEqual([]);
  });

  quick('finds nothing in a few cases of a correct page', async () => {
    const { findings, summary } = await check(undefined, ['register.honest', 'login.cancelled', 'login.verification-500']);
    expect(findings).toEqual([]);
    expect(summary).toMatchObject({ total: 3, passed: 3 });
  });

  test.each(share(Object.entries(FAULTS), 50))(
    'reports the fault %s by its first finding',
    { timeout: 60_000 },
    async (fault, [cause, ...cases]) => {
      const { findings } = await check(fault, cases);
      expect(findings[0]).toMatchObject({ cause, cases });
    },
  );

  thorough('lists what it could not judge', async () => {
    const flows = { ...flowsOf('/'), login: [{ goto: '/' }, click('Log in')] };
    await using shop = await startShop();
    const context = await (await sharedBrowser()).newContext();
    onTestFinished(() => context.close());
    const page = await context.newPage();
    await page.goto(shop.url);
    const { results, summary } = await checkPage(page, flows, { cases: ['login.honest', 'login.cancelled'] });
    expect(summary).toMatchObject({ passed: 0, not_run: 2, not_judged: 2 });
    expect(results[1]?.reason).toMatch(/^The flow "login" did not reach its trigger: /);
  });
});
