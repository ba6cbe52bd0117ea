import type { BrowserContext } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { addAuthenticator, skipWithoutBrowser } from './browser.js';
import { act, openPeople, pageTests, signIn } from './page-harness.js';
import { passkeyHere } from './passkey-in-process.js';

const WITH_KEY = ['--dev-sign-in', 'key'];

async function openAt(context: BrowserContext, url: string | null) {
  const page = await context.newPage();
  await addAuthenticator(page);
  await page.goto(url ?? '');
  await page.locator('html[data-ready=true]').waitFor();
  return page;
}

async function tokenFor(email: string, cwd: string): Promise<string> {
  await passkeyHere(['user', 'add', '--email', email, '--name', 'Eve'], { cwd });
  return (await passkeyHere(['token', 'create', '--user', email], { cwd })).stdout.trim();
}

describe.skipIf(skipWithoutBrowser())('development sign-in on the page', () => {
  const { open } = pageTests();

  test('with the key in the address it signs in, and the key is gone from the address', async () => {
    const { context, server, url } = await open({ flags: WITH_KEY });
    expect(server.document.page).toMatch(/^http:\/\/localhost:\d+\/#key=[A-Za-z0-9_-]{43}$/);
    const page = await openAt(context, `${server.document.page}&app_name=Shop`);
    expect(page.url()).toBe(`${url}/#app_name=Shop`);
    await signIn(page);
    expect((await act(page, '#register-button')).outcome).toBe('verified');
    await page.locator('.dot.live').waitFor();
    const cookies = await context.cookies(`${url}/dev/state`);
    expect(cookies.find(({ name }) => name === `passkey_dev_${server.port}`)).toMatchObject({
      httpOnly: true,
      sameSite: 'Strict',
      path: '/dev',
    });
    expect(await page.evaluate('document.cookie')).toBe('');

    // The cookie belongs to the browser, so the plain address now works too.
    const again = await openAt(context, url);
    await again.locator('#signed-in-as').waitFor();
    expect(`${server.output.stderr}`).not.toContain(server.document.page?.split('=')[1]);
  });

  test('without the key it asks for a bearer token', async () => {
    const { cwd, page } = await open({ flags: WITH_KEY });
    await openPeople(page);
    expect(await page.locator('#people').innerText()).toMatch(/^Development sign-in needs the key of this start\. Open the URL that/);
    expect(await page.locator('#sign-in, #email').count()).toBe(0);
    await page.locator('#token').fill(await tokenFor('eve@example.com', cwd));
    await page.getByRole('button', { name: 'Use this token' }).click();
    await page.locator('#signed-in-as:text-is("Eve")').waitFor();
    expect((await act(page, '#register-button')).outcome).toBe('verified');
  });

  test('the key pasted into the address of the open page is accepted', async () => {
    const { page, server, url } = await open({ flags: WITH_KEY });
    await page.goto(server.document.page ?? '');
    await openPeople(page);
    await page.locator('#email').waitFor();
    expect(page.url()).toBe(`${url}/`);
    await signIn(page);
  });

  test('the key of another start is refused, and the page says so', async () => {
    const { page, url } = await open({ flags: WITH_KEY, fragment: 'key=AAAA' });
    expect(page.url()).toBe(`${url}/`);
    expect(await page.locator('#status').innerText()).toContain('This is not the key of this start of the server.');
    await openPeople(page);
    expect(await page.locator('#token').count()).toBe(1);
  });

  test('a key that the server does not need is silently removed from the address', async () => {
    const { page, url } = await open({ fragment: 'key=AAAA' });
    expect(page.url()).toBe(`${url}/`);
    expect(await page.locator('#status').innerText()).toBe('');
    await signIn(page);
  });

  test('with --dev-sign-in off it asks for a bearer token', async () => {
    const { cwd, page, server, url } = await open({ flags: ['--dev-sign-in', 'off'] });
    expect(server.document.page).toBe(url);
    await openPeople(page);
    expect(await page.locator('#people').innerText()).toMatch(/^Development sign-in is off/);
    expect(await page.locator('#sign-in, #email').count()).toBe(0);
    await page.locator('#token').fill(await tokenFor('eve@example.com', cwd));
    await page.getByRole('button', { name: 'Use this token' }).click();
    await page.locator('#signed-in-as:text-is("Eve")').waitFor();
  });
});
