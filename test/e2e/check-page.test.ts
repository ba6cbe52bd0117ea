import type { Page } from 'playwright-core';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { Flows } from '../../src/testing/page/flow.js';
import { checkPage } from '../../src/testing/playwright/check-page.js';
import type { PageFlow } from '../../src/testing/playwright/page-driver.js';
import { share, thorough } from '../thorough.js';
import { sharedBrowser, skipWithoutBrowser } from './browser.js';
import { click, FAULTS, flowsOf } from './page-check/faults.js';
import { startShop } from './page-check/shop.js';
import { pageTests, signIn } from './page-harness.js';

async function openPage(url: string): Promise<Page> {
  const context = await (await sharedBrowser()).newContext();
  onTestFinished(() => context.close());
  const page = await context.newPage();
  await page.goto(url);
  return page;
}

interface CorrectPage {
  readonly flows: Flows;
  /** Number of cases that cannot be judged, and why. */
  readonly unjudged: number;
  readonly reasons: readonly string[];
}

const at = (name: string) => ({ goto: `/correct/${name}.html` });

/** Pages without a mistake, each built in another way; their titles say how. */
const CORRECT: Readonly<Record<string, CorrectPage>> = {
  app: { flows: { register: [at('app'), click('Add a passkey')], login: [at('app'), click('Sign in')] }, unjudged: 0, reasons: [] },
  messages: {
    flows: { register: [at('messages'), click('Add a passkey')], login: [at('messages'), click('Sign in')] },
    unjudged: 0,
    reasons: [],
  },
  form: {
    flows: { register: [at('form'), click('Add a passkey')], login: [at('form'), click('Log out'), click('Sign in')] },
    unjudged: 33,
    reasons: ['The control is gone after the first attempt.', 'The page sends the response by a form, which loads another document.'],
  },
  account: {
    flows: {
      register: [at('account'), { fill: { role: 'textbox', name: 'Name' }, value: 'Ada {n}' }, click('Sign up')],
      login: [at('account'), click('Sign in'), click('Use a passkey')],
    },
    unjudged: 31,
    reasons: [
      'Something covers the control after the first attempt.',
      'The second click sent POST /sign-up, which was answered with 409, and led to no call.',
    ],
  },
};

async function check(fault: string | undefined, cases?: readonly string[]) {
  await using shop = await startShop();
  const page = await openPage(shop.url);
  return await checkPage(page, flowsOf(fault === undefined ? '/' : `/?fault=${fault}`), cases && { cases });
}

describe.skipIf(skipWithoutBrowser())('the check of a page', () => {
  thorough('finds nothing on a correct page, in any case', { timeout: 500_000 }, async () => {
    const { findings, results } = await check(undefined);
    expect(findings).toEqual([]);
    expect(results.filter(({ status }) => status !== 'passed').map(({ id, reason }) => [id, reason])).toEqual([
      ['password.upgrade-refused', 'The page does not offer a passkey after a sign-in with a password.'],
    ]);
  });

  thorough('finds nothing on the page of passkey serve', { timeout: 500_000 }, async () => {
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

  thorough.each(Object.entries(CORRECT))(
    'finds nothing on the correct page %s',
    { timeout: 500_000 },
    async (_, { flows, ...expected }) => {
      await using shop = await startShop();
      const page = await openPage(shop.url);
      const { findings, results } = await checkPage(page, flows);
      expect(findings).toEqual([]);
      const unjudged = results.filter(({ status }) => status !== 'passed');
      expect({
        unjudged: unjudged.length,
        reasons: [...new Set(unjudged.map(({ reason = '' }) => reason))].toSorted((one, other) => one.localeCompare(other)),
      }).toEqual(expected);
    },
  );

  test.each(share(Object.entries(FAULTS), 50))(
    'reports the fault %s by its first finding',
    { timeout: 180_000 },
    async (fault, [cause, ...cases]) => {
      const { findings } = await check(fault, cases);
      expect(findings[0]).toMatchObject({ cause, cases });
    },
  );

  thorough('lists what it could not judge', async () => {
    const flows = { ...flowsOf('/'), login: [{ goto: '/' }, click('Log in')] };
    await using shop = await startShop();
    const page = await openPage(shop.url);
    const { results, summary } = await checkPage(page, flows, { cases: ['login.honest', 'login.cancelled'] });
    expect(summary).toMatchObject({ passed: 0, not_run: 2, not_judged: 2 });
    expect(results[1]?.reason).toMatch(/^The flow "login" did not reach its trigger: /);
  });
});
