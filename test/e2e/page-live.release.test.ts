import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { until } from '../until.js';
import { skipWithoutBrowser } from './browser.js';
import { act, focusOn, pageTests, press, signIn } from './page-harness.js';
import { passkeyHere, serveHere } from './passkey-in-process.js';

/** A login with a challenge that the server did not issue, as a program would send it. */
async function logInWithoutChallenge(url: string, id: string) {
  const clientData = { type: 'webauthn.get', challenge: 'AAAA', origin: url };
  const response = {
    clientDataJSON: Buffer.from(JSON.stringify(clientData)).toString('base64url'),
    authenticatorData: 'AA',
    signature: 'AA',
  };
  const answer = await fetch(`${url}/api/passkeys/login`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'user-agent': 'script/1.0' },
    body: JSON.stringify({ id, rawId: id, type: 'public-key', response }),
  });
  return answer.status;
}

/** Begins a login and leaves it, as a program would. */
async function begin(url: string) {
  const headers = { 'content-type': 'application/json', 'user-agent': 'script/1.0' };
  await fetch(`${url}/api/passkeys/login/options`, { method: 'POST', headers, body: '{}' });
}

const rows = (page: Page) => page.locator('.stream > li');
const connected = (page: Page) => page.locator('.where .dot.live').waitFor();

describe.skipIf(skipWithoutBrowser())('the list of ceremonies, live', () => {
  const { open } = pageTests();

  test('shows what this tab, another tab and a program do, and updates the passkeys', async () => {
    const { context, page, url, complaints } = await open();
    await page.locator('.nothing:has-text("Nothing yet.")').waitFor();
    await signIn(page);
    const { key } = await act(page, '#register-button');
    const own = page.locator(`.stream > li[data-key="${key}"]`);
    expect(await own.getAttribute('data-verdict')).toBe('verified');
    const shown = /^✓\s+Register a passkey Passkey\s+verified\s[^]*this tab\s+ada@example\.com/;
    await until(async () => shown.test(await own.innerText()));
    // The server's entry of it has joined it.
    expect(await rows(page).filter({ hasText: 'Register' }).count()).toBe(1);

    await press(page, '#passkey-1');
    const id = (await page.locator('#passkey-1').getAttribute('data-credential-id')) ?? '';
    const other = await context.newPage();
    await other.goto(url);
    await press(other, '#passkey-1-rename');
    await other.getByLabel('New name').fill('Renamed elsewhere');
    await act(other, '#passkeys button:has-text("Save")');
    await page.locator('#passkey-1-label:text-is("Renamed elsewhere")').waitFor();
    await page.locator('#show-ceremonies').click();
    const renamed = page.locator('.stream > li[data-verdict=changed]');
    expect(await renamed.innerText()).toMatch(/changed[^]*the test page/);
    await renamed.locator('button').click();
    await page.locator('#subject h2', { hasText: 'was renamed' }).waitFor();

    expect(await logInWithoutChallenge(url, id)).toBe(401);
    const refused = page.locator('.stream > li', { hasText: 'script/1.0' });
    await refused.waitFor();
    expect(await refused.innerText()).toContain('challenge_unknown');
    await refused.locator('button').click();
    await page.locator('#subject .step').waitFor();
    expect(await page.locator('#subject .run-summary').innerText()).toMatch(/^401 challenge_unknown: /);
    expect(complaints).toStrictEqual([]);
  });

  test('finds by filter and by every word of the search, and says when there is none', async () => {
    const { page, url } = await open({ begin: 'signed in' });
    await page.locator('#label').fill('Blue key');
    await act(page, '#register-button');
    await act(page, '#login-button');
    await begin(url);
    await logInWithoutChallenge(url, 'AAAA');
    await page.locator('.stream > li:has-text("script/1.0") >> nth=1').waitFor();
    const all = await rows(page).count();
    const verdicts = () => rows(page).evaluateAll((items) => items.map((item) => item.getAttribute('data-verdict')));
    await page.getByRole('button', { name: 'Mine: ceremonies of this tab' }).click();
    expect(new Set(await verdicts())).toEqual(new Set(['verified']));
    await page.getByRole('button', { name: 'Failed ceremonies' }).click();
    expect(new Set(await verdicts())).toEqual(new Set(['rejected']));
    await page.getByRole('button', { name: 'All ceremonies' }).click();
    expect(await rows(page).count()).toBe(all);
    await page.locator('#list-search').fill('blue this REGISTER');
    expect(await rows(page).count()).toBe(1);
    await page.locator('#list-search').fill('blue nothing');
    await page.locator('.nothing:has-text("No ceremony matches.")').waitFor();
  });

  test('is emptied when that is confirmed, here and in other tabs', async () => {
    const { context, page, url } = await open({ begin: 'with a passkey' });
    const other = await context.newPage();
    await other.goto(url);
    await rows(other).first().waitFor();
    await page.locator('#clear').click();
    await page.locator(':focus', { hasText: 'Keep it' }).waitFor({ state: 'attached' });
    await page.keyboard.press('Enter');
    expect(await rows(page).count()).toBeGreaterThan(0);
    await focusOn(page, 'clear');
    await page.locator('#clear').click();
    await page.locator('#clear-confirm').click();
    await page.locator('.nothing:has-text("Nothing yet.")').waitFor();
    await focusOn(page, 'list-heading');
    await rows(other).first().waitFor({ state: 'detached' });
  });

  test('closes its connection when the tab is hidden, and catches up afterwards', async () => {
    const { page, url } = await open();
    await connected(page);
    const view = (state: 'hidden' | 'visible') =>
      page.evaluate(`Object.defineProperty(document, 'visibilityState', { value: '${state}', configurable: true });
        document.dispatchEvent(new Event('visibilitychange'));`);
    await view('hidden');
    await page.locator('.where .dot:not(.live)').waitFor();
    await logInWithoutChallenge(url, 'AAAA');
    expect(await rows(page).count()).toBe(0);
    await view('visible');
    await rows(page).first().waitFor();
    await connected(page);
  });

  test('holds what this tab did, where the browser may not follow the server', async () => {
    const { page, url } = await open({ flags: ['--trust-proxy'] });
    await begin(url);
    expect(await rows(page).count()).toBe(0);
    expect(await page.locator('.where .dot.live').count()).toBe(0);
    await act(page, '#login-button');
    expect(await rows(page).count()).toBe(1);
  });

  test('reconnects to a restarted server, whose list is empty, and keeps what this tab did', async () => {
    const { cwd, page, server, url } = await open();
    await connected(page);
    await signIn(page);
    await begin(url);
    await rows(page).filter({ hasText: 'script/1.0' }).waitFor();
    await server.stop();
    await page.locator('#status:has-text("Lost the server")').waitFor();
    expect(await page.locator('#status').innerText()).toBe(`Lost the server at ${url}. Trying to reconnect.`);
    await page.locator('.where .dot:not(.live)').waitFor();
    await passkeyHere(['user', 'add', '--email', 'late@example.com', '--name', 'Late'], { cwd });
    await serveHere(['--port', String(server.port)], { cwd });
    await page.locator('#status:text-is("Connected to the server again.")').waitFor({ state: 'attached' });
    await until(async () => (await rows(page).count()) === 1);
    expect(await rows(page).innerText()).toContain('Sign in as ada@example.com');
    await page.locator('#switcher').click();
    await page.getByRole('button', { name: 'Late' }).waitFor();
  });
});
