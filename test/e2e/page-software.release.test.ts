import { describe, expect, test } from 'vitest';
import { skipWithoutBrowser } from './browser.js';
import { act, focusOn, pageTests, reveal, show, signIn, signOut } from './page-harness.js';

/** As in a web view without WebAuthn. */
const WITHOUT_WEBAUTHN = `delete globalThis.PublicKeyCredential; Object.defineProperty(navigator, 'credentials', { value: undefined });`;

describe.skipIf(skipWithoutBrowser())('the first visit, and who answers', () => {
  const { open } = pageTests();

  test('one click signs in and creates a passkey; where the browser cannot, a software authenticator does, and the page says so', async () => {
    const { page, complaints } = await open({ authenticator: false, initScript: WITHOUT_WEBAUTHN });
    expect(await page.locator('#welcome').innerText()).toContain('so a software authenticator of the server answers');
    // What the next click needs; and a login that was refused, to explore, which is nobody's.
    const ids = await page
      .locator('.top button, .bar button, .list-pane button, #welcome > .line button')
      .evaluateAll((all) => all.map(({ id }) => id));
    expect(ids).toEqual(['', 'switcher', 'open-paste', 'create-test-passkey']);
    const example = page.locator('.example');
    await example.locator('.verdict-word:text-is("Refused")').waitFor();
    expect(await example.locator('.step').innerText()).toMatch(/http:\/\/localhost:3000\s+Received\s+http:\/\/localhost:7277/);
    await example.locator('.structure').first().waitFor();
    expect(await example.locator('.ceremony-actions button, #expectations').count()).toBe(0);
    expect(await page.locator('.stream li').count()).toBe(0);
    await page.locator('#create-test-passkey').click();
    await page.locator('#status:has-text("Registered “Passkey” as passkey 1.")').waitFor({ state: 'attached' });
    expect(await example.count()).toBe(0);
    expect(await page.locator('#signed-in-as').innerText()).toBe('test');
    expect(await page.locator('#answerer').innerText()).toContain('software authenticator');
    await page.locator('.stream li', { hasText: 'software' }).first().waitFor();
    expect(await act(page, '#login-button')).toMatchObject({ outcome: 'verified', summary: 'Logged in as test.' });
    expect(complaints).toStrictEqual([]);
  });

  test('a second passkey of the same software authenticator is refused for the reason a browser has, after a reload as well', async () => {
    const { page } = await open({ authenticator: false, initScript: WITHOUT_WEBAUTHN });
    await page.locator('#create-test-passkey').click();
    await page.locator('#status:has-text("Registered “Passkey” as passkey 1.")').waitFor({ state: 'attached' });
    const { outcome, summary, run } = await act(page, '#register-button');
    expect([outcome, summary]).toEqual(['browser-error', 'InvalidStateError: This authenticator already has a passkey for this user.']);
    const explained = await page.locator(`${run} .explanation`).innerText();
    expect(explained.split('already has a credential that excludeCredentials lists')).toHaveLength(2);
    await page.reload();
    await page.locator('.stream li[data-verdict=browser-error] button', { hasText: 'InvalidStateError' }).click();
    const subject = page.locator('#subject article[data-verdict=browser-error]');
    await subject.locator('[aria-label="The software authenticator’s error, explained"]', { hasText: 'excludeCredentials' }).waitFor();
    expect(await subject.locator('h2').innerText()).toContain('No answer from the software authenticator');
    expect(await subject.locator('.facts').innerText()).toContain('software authenticator');
  });

  test('with an authenticator the browser answers, as the user who was there last', async () => {
    const { page } = await open();
    await signIn(page, 'ada@example.com');
    await signOut(page);
    expect(await page.locator('#welcome').innerText()).toContain('signs in as ada@example.com');
    await page.locator('#create-test-passkey').click();
    await page.locator('#status:has-text("Registered “Passkey” as passkey 1.")').waitFor({ state: 'attached' });
    expect(await page.locator('#signed-in-as').innerText()).toBe('ada');
    expect(await page.locator('.stream li').first().innerText()).not.toContain('software');
  });

  test('a persona of one’s choice, labelled, kept in the tab; each is a device of its own', async () => {
    const { page } = await open({ authenticator: false, begin: 'signed in' });
    const choose = async (id: string) => {
      await page.locator('#answerer').click();
      await page.locator(`#answer-with-${id}`).check();
      await page.keyboard.press('Escape');
      await focusOn(page, 'answerer');
    };
    await choose('icloud-keychain');
    expect((await act(page, '#register-button')).outcome).toBe('verified');
    await choose('yubikey-5');
    const { outcome, key } = await act(page, '#register-button');
    expect(outcome).toBe('verified');
    expect(await page.locator(`.stream li[data-key="${key}"]`).innerText()).toContain('software: YubiKey 5');
    await page.reload();
    await page.locator('#answerer:has-text("YubiKey 5")').waitFor();
    await reveal(page, '#passkey-1');
    expect(await page.locator('#passkey-1-menu').innerText()).toContain('synced');
    expect(await page.locator('#passkey-2-menu').innerText()).toContain('this device only');
    expect((await act(page, '#passkey-1-verify')).outcome).toBe('verified');
    expect((await act(page, '#passkey-2-verify')).outcome).toBe('verified');
    // The same persona is the same device, which has a passkey of this user already.
    const again = await act(page, '#register-button');
    expect(again.outcome).toBe('browser-error');
    expect(again.summary).toContain('This authenticator already has a passkey for this user');
    await show(page, again.key);
  });

  test('with a bearer token from elsewhere only this browser does, and the page says why', async () => {
    const { page } = await open({ flags: ['--dev-sign-in', 'off'] });
    await page.locator('#answerer').click();
    expect(await page.locator('#answerers').innerText()).toContain('No software authenticator here: Development sign-in is off');
    expect(await page.locator('#answer-with-plain').isDisabled()).toBe(true);
    expect(await page.locator('#answer-with-browser').isChecked()).toBe(true);
  });
});
