import type { BrowserContextOptions, Page } from '@playwright/test';
import { expect, test } from 'vitest';
import { type CheckPageOptions, checkPage } from '../../../src/testing/playwright/check-page.js';
import type { PageFlow } from '../../../src/testing/playwright/page-driver.js';
import { scriptBrowser } from './scripted-browser.js';

const STATE = { cookies: [], origins: [] };

/** A page of a user, and the browser in which its flows are played. */
function openPage(url = 'https://shop.example/account?x=1') {
  const scripted = scriptBrowser();
  const page: Page = Object({
    url: () => url,
    context: () => ({ browser: () => scripted.browser, storageState: async () => await Promise.resolve(STATE) }),
  });
  return { ...scripted, page };
}

const flow: PageFlow = [{ goto: '/login' }];
const flows = { register: flow, login: flow };

async function check(options: CheckPageOptions, url?: string) {
  const { page, calls } = openPage(url);
  const report = await checkPage(page, flows, options);
  const of = (name: string) => calls.filter(([called]) => called === name).map(([, given]) => given);
  return { report, contexts: of('newContext'), addresses: of('goto') };
}

test('a page is checked in contexts of its browser, with its cookies and from its address', async () => {
  const context: BrowserContextOptions = { locale: 'en-GB' };
  const { report, contexts, addresses } = await check({ cases: ['register.honest', 'login.cancelled'], context, now: () => 7_000 });
  expect([contexts, addresses]).toEqual([
    [
      { storageState: STATE, locale: 'en-GB' },
      { storageState: STATE, locale: 'en-GB' },
    ],
    ['https://shop.example/login', 'https://shop.example/login'],
  ]);
  expect(report).toMatchObject({
    format: 'passkey-page-report',
    target: 'https://shop.example/account?x=1',
    tool_version: process.env['PASSKEY_BUILD_VERSION'] ?? '',
    started_at: '1970-01-01T00:00:07.000Z',
  });
  expect(report.results.map(({ id, status }) => [id, status])).toEqual([
    ['register.honest', 'not_run'],
    ['login.cancelled', 'not_run'],
  ]);
});

test('a page without an address of its own has the addresses of its context; its cookies may be others', async () => {
  const storageState = { cookies: [], origins: [{ origin: 'https://shop.example', localStorage: [] }] };
  const { report, contexts, addresses } = await check({ cases: ['register.honest'], context: { storageState } }, 'about:blank');
  expect([report.target, contexts[0], addresses[0]]).toEqual(['', { storageState }, '/login']);
});

test.each<[CheckPageOptions, boolean]>([
  [{}, true],
  [{ authenticator: { persona: 'security-key-u2f' } }, false],
])('the authenticator of the pages is that of %j', async (options, conditionalGet) => {
  const { page, ask } = openPage();
  const asked: unknown[] = [];
  const asks: PageFlow = async () => void asked.push(await ask({ operation: 'capabilities' }));
  const { results } = await checkPage(page, { register: asks, login: asks }, { ...options, cases: ['login.cancelled'], jobs: 0 });
  // Without jobs, the flows alone are played.
  expect([asked[0], results]).toMatchObject([{ ok: true, value: { conditionalGet } }, []]);
});

test('a page that cannot be checked is refused', async () => {
  const { page } = openPage();
  const alone: Page = Object({ context: () => ({ browser: () => null }) });
  await expect(checkPage(alone, flows)).rejects.toThrow(
    new TypeError('Expected a page of a browser that can open other contexts; this page belongs to a persistent context.'),
  );
  await expect(checkPage(page, flows, Object({ job: 1 }))).rejects.toThrow('checkPage() has no option "job" (did you mean "jobs"?).');
  await expect(checkPage(page, Object({ ...flows, removal: flow }))).rejects.toThrow('the flows of checkPage() has no option "removal"');
  await expect(checkPage(page, flows, { cases: ['login.canceled'] })).rejects.toMatchObject({ code: 'usage' });
});
