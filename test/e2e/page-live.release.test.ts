import { describe, expect, test } from 'vitest';
import { skipWithoutBrowser } from './browser.js';
import { act, pageTests, signIn } from './page-harness.js';
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

describe.skipIf(skipWithoutBrowser())('what happens at the server, live', () => {
  const { open } = pageTests();

  test('shows what this tab, another tab and a program do, and updates the list', async () => {
    const { context, page, url, complaints } = await open();
    const summary = page.locator('#live-card summary');
    await page.locator('#live-summary:text-is("nothing yet")').waitFor();
    await signIn(page);
    await act(page, '#register-button');
    await page.locator('#live-summary:text-is("1 event")').waitFor();
    await summary.click();
    const own = page.locator('#live > li[data-own=true]');
    expect(await own.innerText()).toMatch(
      /^verified Registration with “Passkey” \(passkey 1\) of User:1\.\s[^]* · \/api\/passkeys\/register · this tab$/,
    );

    const other = await context.newPage();
    await other.goto(url);
    await other.locator('#passkey-1-rename').click();
    await other.getByLabel('New name').fill('Renamed elsewhere');
    await act(other, '#passkeys button:has-text("Save")');
    await page.locator('#passkey-1-label:text-is("Renamed elsewhere")').waitFor();
    const renamed = page.locator('#live > li', { hasText: 'was renamed.' });
    expect(await renamed.innerText()).toContain('another tab of this browser');
    await page.locator('#live-summary:text-is("2 events, 1 from elsewhere")').waitFor();

    const id = (await page.locator('#passkey-1').getAttribute('data-credential-id')) ?? '';
    expect(await logInWithoutChallenge(url, id)).toBe(401);
    const refused = page.locator('#live > li', { hasText: 'script/1.0' });
    await refused.waitFor();
    expect(await refused.innerText()).toMatch(/^refused Authentication/);
    await refused.locator('summary').click();
    expect(await refused.locator('.step').innerText()).toContain('challenge_unknown');
    expect(complaints).toStrictEqual([]);
  });

  test('shows after a reload what happened before it', async () => {
    const { page } = await open();
    await signIn(page);
    await act(page, '#register-button');
    await page.reload();
    await page.locator('#live-summary:text-is("1 event, 1 from elsewhere")').waitFor();
  });

  test('closes its connection when the tab is hidden, and catches up afterwards', async () => {
    const { page, url } = await open();
    await signIn(page);
    await act(page, '#register-button');
    await page.locator('#live-summary:text-is("1 event")').waitFor();
    const view = (state: 'hidden' | 'visible') =>
      page.evaluate(`Object.defineProperty(document, 'visibilityState', { value: '${state}', configurable: true });
        document.dispatchEvent(new Event('visibilitychange'));`);
    await view('hidden');
    await page.locator('#live-summary:text-is("not connected · 1 event")').waitFor();
    const id = (await page.locator('#passkey-1').getAttribute('data-credential-id')) ?? '';
    await logInWithoutChallenge(url, id);
    await view('visible');
    await page.locator('#live-summary:text-is("2 events, 1 from elsewhere")').waitFor();
  });

  test('is hidden from browsers that may not use it', async () => {
    const { page } = await open({ flags: ['--trust-proxy'] });
    expect(await page.locator('#live-card').isVisible()).toBe(false);
  });

  test('reconnects to a restarted server', async () => {
    const { cwd, page, server, url } = await open();
    await page.locator('#live-summary:text-is("nothing yet")').waitFor();
    await server.stop();
    await page.locator('#live-summary:text-is("not connected · nothing yet")').waitFor();
    expect(await page.locator('#status').innerText()).toBe(`Lost the server at ${url}. Trying to reconnect.`);
    await passkeyHere(['user', 'add', '--email', 'late@example.com', '--name', 'Late'], { cwd });
    await serveHere(['--port', String(server.port)], { cwd });
    await page.locator('#status:text-is("Connected to the server again.")').waitFor();
    await page.locator('#live-summary:text-is("nothing yet")').waitFor();
    await page.getByRole('button', { name: 'Late' }).waitFor();
  });
});
