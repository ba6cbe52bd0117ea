import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { tempFolder } from '../cli/temp-folder.js';
import { skipWithoutBrowser } from './browser.js';
import { act, pageTests, signIn, signOut } from './page-harness.js';
import { serveHere } from './passkey-in-process.js';

async function goTo(page: Page, url: string): Promise<void> {
  await page.goto(`${url}/`);
  await page.locator('html[data-ready=true]').waitFor();
}

/** Like a page without a bearer token: only with the browser's cookies. */
async function whoseSession(page: Page): Promise<unknown> {
  return await page.evaluate("fetch('/dev/state').then((answer) => answer.json()).then(({ user }) => user?.email)");
}

/** Two projects of one developer, each with its own server and store, all on localhost. */
describe.skipIf(skipWithoutBrowser())('two servers on two ports of localhost', () => {
  const { open } = pageTests();

  test('register their first users in one authenticator; neither passkey replaces the other, and both log in', async () => {
    const { page, url: one, authenticator } = await open();
    const { url: two } = await serveHere([], { cwd: await tempFolder() });
    await signIn(page);
    expect((await act(page, '#register-button')).outcome).toBe('verified');
    await goTo(page, two);
    await signIn(page);
    expect((await act(page, '#register-button')).outcome).toBe('verified');

    const kept = await authenticator?.session.send('WebAuthn.getCredentials', { authenticatorId: authenticator.id });
    expect(kept?.credentials).toMatchObject([
      { rpId: 'localhost', isResidentCredential: true },
      { rpId: 'localhost', isResidentCredential: true },
    ]);
    expect(new Set(kept?.credentials.map(({ userHandle }) => userHandle)).size).toBe(2);
    expect(await act(page, '#passkey-1-login')).toMatchObject({ outcome: 'verified', summary: 'Logged in as ada.' });
    await goTo(page, one);
    expect(await act(page, '#passkey-1-login')).toMatchObject({ outcome: 'verified', summary: 'Logged in as ada.' });
  });

  test('keep their sessions apart in one browser', async () => {
    const { page, url: one, context } = await open();
    const { url: two } = await serveHere([], { cwd: await tempFolder() });
    await signIn(page, 'ada@example.com');
    await goTo(page, two);
    await signIn(page, 'grace@example.com');
    expect((await context.cookies()).map(({ name }) => name).toSorted()).toEqual(
      [one, two].map((url) => `passkey_session_${new URL(url).port}`).toSorted(),
    );
    expect(await whoseSession(page)).toBe('grace@example.com');
    await goTo(page, one);
    expect(await whoseSession(page)).toBe('ada@example.com');
    await signOut(page);
    expect(await whoseSession(page)).toBeUndefined();
    await goTo(page, two);
    expect(await whoseSession(page)).toBe('grace@example.com');
  });
});
